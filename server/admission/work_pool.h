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

// How long a call may have waited when its turn comes. A burst may queue for
// long as long as the queue empties now and then; once it has not for
// kInterval there is more work than can be done, and what waited longer than
// kTarget is refused, so that what is answered is answered soon (the
// controlled delay of network queues). Used under the lock of its queue.
class QueueDelay {
 public:
  using Clock = std::chrono::steady_clock;
  static constexpr std::chrono::milliseconds kTarget{20};
  static constexpr std::chrono::milliseconds kInterval{100};
  static constexpr std::chrono::milliseconds kBurst{1000};

  // To be told whenever nothing waits.
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

// A few threads of low priority, so that cheap calls, done where they arrive,
// pass. The queue is bounded in number and in age.
class WorkPool {
 public:
  static constexpr std::size_t kMaxQueued = 256;
  // So many for each thread are never refused for their age.
  static constexpr std::size_t kAlwaysQueued = 2;

  static constexpr std::chrono::seconds kIdle{1};
  static constexpr std::chrono::seconds kMostIdle{60};

  // How the turn of a job came.
  enum class Turn {
    kRun,
    // It waited too long: to be refused without work.
    kTooLate,
  };
  using Job = std::function<void(Turn)>;

  // A thread that has nothing to do for kIdle calls `rest`, and again and again
  // in longer and longer intervals up to kMostIdle: what was made on it, such
  // as answers, others give back later.
  explicit WorkPool(std::size_t threads, std::function<void()> rest = nullptr);
  // Runs what is queued, then ends. Nothing may be added any more.
  ~WorkPool();
  WorkPool(const WorkPool&) = delete;
  WorkPool& operator=(const WorkPool&) = delete;

  // False: the queue is full, and `job` will never be called. Jobs must not
  // throw.
  bool Add(Job job);

  // Jobs that wait.
  std::size_t queued() const;

 private:
  struct Entry {
    Job job;
    QueueDelay::Clock::time_point since;
  };

  void Work();
  // Until there is a job or the end.
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
