#include "server/admission/work_pool.h"

#include <sys/resource.h>
#include <unistd.h>

#include <algorithm>
#include <utility>

namespace mulligan {
namespace {

// Nice value, 0 to 19: a third of a core when cheap calls compete for it.
constexpr int kNice = 3;

// On Linux the priority is the thread's own.
void LowerPriority() {
  setpriority(PRIO_PROCESS, static_cast<id_t>(gettid()), kNice);
}

}  // namespace

WorkPool::WorkPool(std::size_t threads, std::function<void()> rest)
    : rest_(std::move(rest)) {
  for (std::size_t i = 0; i < threads; ++i) {
    threads_.emplace_back([this] { Work(); });
  }
}

WorkPool::~WorkPool() {
  {
    const std::lock_guard lock(mutex_);
    ending_ = true;
  }
  wake_.notify_all();
  for (std::thread& thread : threads_) thread.join();
}

bool WorkPool::Add(Job job) {
  {
    const std::lock_guard lock(mutex_);
    const auto now = QueueDelay::Clock::now();
    if (queue_.empty()) delay_.OnEmpty(now);
    if (queue_.size() >= kMaxQueued) return false;
    queue_.push_back({std::move(job), now});
  }
  wake_.notify_one();
  return true;
}

std::size_t WorkPool::queued() const {
  const std::lock_guard lock(mutex_);
  return queue_.size();
}

void WorkPool::Wait(std::unique_lock<std::mutex>& lock) {
  const auto wanted = [this] { return ending_ || !queue_.empty(); };
  if (rest_ == nullptr) return wake_.wait(lock, wanted);
  for (std::chrono::seconds idle = kIdle; !wake_.wait_for(lock, idle, wanted);
       idle = std::min(2 * idle, kMaxIdle)) {
    lock.unlock();
    rest_();
    lock.lock();
  }
}

void WorkPool::Work() {
  LowerPriority();
  std::unique_lock lock(mutex_);
  while (true) {
    Wait(lock);
    if (queue_.empty()) return;
    const Entry entry = std::move(queue_.front());
    queue_.pop_front();
    const auto now = QueueDelay::Clock::now();
    // With only a few others behind it, no call is refused.
    const bool late = queue_.size() >= kAlwaysQueued * threads_.size() &&
                      delay_.IsTooLong(entry.since, now);
    if (queue_.empty()) delay_.OnEmpty(now);
    lock.unlock();
    entry.job(late ? Turn::kTooLate : Turn::kRun);
    lock.lock();
  }
}

}  // namespace mulligan
