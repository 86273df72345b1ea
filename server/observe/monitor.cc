#include "server/observe/monitor.h"

#include <utility>

namespace mulligan {

Monitor::Monitor(absl::Duration interval, std::function<void()> check)
    : interval_(interval),
      check_(std::move(check)),
      thread_([this] { Run(); }) {}

Monitor::~Monitor() {
  {
    const std::lock_guard lock(mutex_);
    ending_ = true;
  }
  wake_.notify_all();
  thread_.join();
}

void Monitor::Run() {
  std::unique_lock lock(mutex_);
  while (!ending_) {
    lock.unlock();
    check_();
    lock.lock();
    wake_.wait_for(lock, absl::ToChronoNanoseconds(interval_),
                   [this] { return ending_; });
  }
}

}  // namespace mulligan
