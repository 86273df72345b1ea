// Admission of calls that are worked on where they arrive. What bounds their
// queue is how many a connection may have under way (grpc_server.cc): the rest
// waits at the caller, where it costs nothing.
#ifndef MULLIGAN_SERVER_ADMISSION_ARRIVALS_H_
#define MULLIGAN_SERVER_ADMISSION_ARRIVALS_H_

#include <atomic>
#include <chrono>

#include "server/admission/call_watch.h"
#include "server/admission/work_pool.h"

namespace mulligan {

// gRPC's threads take calls in the order in which they came; a call that waited
// for them is as old as the queue is long. Safe to share.
class Arrivals {
 public:
  // Of the calls that are late one in so many is refused. gRPC takes two thirds
  // of an answer's time for a refusal: refusing all that is late would leave no
  // time for answers, and they are in time no more. One in ten is heard by
  // callers who then stay away.
  static constexpr unsigned kRefusedOneIn = 10;
  // What waited less tells of no queue.
  static constexpr std::chrono::milliseconds kShort{5};

  // Whether a call that had `arrived` may be worked on: unless it is late, and
  // calls have been for QueueDelay::kInterval. One late call after a time
  // without any tells of a machine that was busy, not of a queue.
  bool Admit(SteadyClock::time_point arrived, SteadyClock::time_point now) {
    if (now - arrived < kShort) {
      // Seldom enough to cost nothing.
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

  // From now on calls are to be refused: the server stops.
  void Close() { closed_.store(true); }
  bool closed() const { return closed_.load(std::memory_order_relaxed); }

 private:
  static constexpr SteadyClock::time_point kNotLate{};

  std::atomic<bool> closed_ = false;
  std::atomic<unsigned> late_ = 0;
  // When the first of the late calls was seen, and the last.
  std::atomic<SteadyClock::time_point> late_since_ = kNotLate;
  std::atomic<SteadyClock::time_point> last_late_ = kNotLate;
};

}  // namespace mulligan

#endif  // MULLIGAN_SERVER_ADMISSION_ARRIVALS_H_
