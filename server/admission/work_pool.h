// Threads for calls that may be expensive.
#ifndef MULLIGAN_SERVER_ADMISSION_WORK_POOL_H_
#define MULLIGAN_SERVER_ADMISSION_WORK_POOL_H_

#include <chrono>
#include <condition_variable>
#include <cstddef>
#include <deque>
#include <functional>
#include <mutex>
#include <thread>
#include <vector>

namespace mulligan {

// Decides how long a call may wait in the queue: kBurst if the queue was empty
// within the last kInterval. Otherwise there is too much work, and calls that
// waited longer than kTarget are refused, so that the others are answered soon
// (CoDel, RFC 8289). Used under its queue's lock.
class QueueDelay {
 public:
  using Clock = std::chrono::steady_clock;
  static constexpr std::chrono::milliseconds kTarget{20};
  static constexpr std::chrono::milliseconds kInterval{100};
  static constexpr std::chrono::milliseconds kBurst{1000};

  // Must be called whenever the queue is empty.
  void OnEmpty(Clock::time_point now) { last_empty_ = now; }

  bool IsTooLong(Clock::time_point since, Clock::time_point now) const {
    return now - since > (IsOverloaded(now) ? kTarget : kBurst);
  }

  bool IsOverloaded(Clock::time_point now) const {
    return now - last_empty_ > kInterval;
  }

 private:
  Clock::time_point last_empty_ = Clock::now();
};

// A few threads of low priority, so that cheap calls, which run where they
// arrive, get ahead. The queue is bounded in number and age.
class WorkPool {
 public:
  static constexpr std::size_t kMaxQueued = 256;
  // Up to this many per thread, none is refused for its age.
  static constexpr std::size_t kAlwaysQueued = 2;

  static constexpr std::chrono::seconds kIdle{1};
  static constexpr std::chrono::seconds kMaxIdle{60};

  // How a job is called.
  enum class Turn {
    kRun,
    // It waited too long: refuse it without doing the work.
    kTooLate,
  };
  using Job = std::function<void(Turn)>;

  // A thread that is idle for kIdle calls `rest`, and again at growing
  // intervals up to kMaxIdle, because other threads free its allocations (such
  // as answers) later.
  explicit WorkPool(std::size_t threads, std::function<void()> rest = nullptr);
  // Runs the queued jobs, then ends. REQUIRES: no further Add.
  ~WorkPool();
  WorkPool(const WorkPool&) = delete;
  WorkPool& operator=(const WorkPool&) = delete;

  // Returns false, and never calls `job`, if full. Jobs must not throw.
  bool Add(Job job);

  // Number of waiting jobs.
  std::size_t queued() const;

 private:
  struct Entry {
    Job job;
    QueueDelay::Clock::time_point since;
  };

  void Work();
  // Waits for a job or the end.
  void Wait(std::unique_lock<std::mutex>& lock);

  const std::function<void()> rest_;
  mutable std::mutex mutex_;
  std::condition_variable wake_;
  std::deque<Entry> queue_;  // guarded by mutex_, as all below
  QueueDelay delay_;
  bool ending_ = false;
  std::vector<std::thread> threads_;
};

}  // namespace mulligan

#endif  // MULLIGAN_SERVER_ADMISSION_WORK_POOL_H_
