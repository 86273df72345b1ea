// Admission of calls that run on the thread where they arrive. Their queue is
// bounded by the calls that each connection may have open (grpc_server.cc).
// Further calls wait at the caller, where they cost nothing.
#ifndef MULLIGAN_SERVER_ADMISSION_ARRIVALS_H_
#define MULLIGAN_SERVER_ADMISSION_ARRIVALS_H_

#include <atomic>
#include <chrono>

#include "server/admission/call_watch.h"
#include "server/admission/work_pool.h"

namespace mulligan {

// gRPC's threads take calls in order, so the age of a call is that of the
// queue. Thread-safe.
class Arrivals {
 public:
  // One of this many late calls is refused. A refusal takes two thirds of an
  // answer's time, so refusing all late calls would leave no time for answers.
  // One in ten makes callers back off.
  static constexpr unsigned kRefusedOneIn = 10;
  // Shorter waits do not indicate a queue.
  static constexpr std::chrono::milliseconds kShort{5};

  // Returns whether a call may run. Refuses some late calls once calls have
  // been late for QueueDelay::kInterval. A single late call means a busy
  // machine, not a queue.
  bool Admit(SteadyClock::time_point arrived, SteadyClock::time_point now) {
    if (now - arrived < kShort) {
      if (late_since_.load(std::memory_order_relaxed) != kNotLate) {
        late_since_.store(kNotLate, std::memory_order_relaxed);
      }
      return true;
    }
    if (now - arrived <= QueueDelay::kTarget) return true;
    const auto before = last_late_.exchange(now, std::memory_order_relaxed);
    const auto since = late_since_.load(std::memory_order_relaxed);
    if (since == kNotLate || now - before > QueueDelay::kInterval) {
      late_since_.store(now, std::memory_order_relaxed);
      return true;
    }
    if (now - since <= QueueDelay::kInterval) return true;
    return late_.fetch_add(1, std::memory_order_relaxed) % kRefusedOneIn != 0;
  }

  // Refuses all later calls, because the server stops.
  void Close() { closed_.store(true); }
  bool closed() const { return closed_.load(std::memory_order_relaxed); }

 private:
  static constexpr SteadyClock::time_point kNotLate{};

  std::atomic<bool> closed_ = false;
  std::atomic<unsigned> late_ = 0;
  // When the first and the last of the late calls were seen.
  std::atomic<SteadyClock::time_point> late_since_ = kNotLate;
  std::atomic<SteadyClock::time_point> last_late_ = kNotLate;
};

}  // namespace mulligan

#endif  // MULLIGAN_SERVER_ADMISSION_ARRIVALS_H_
