// Admission of calls that are worked on where they arrive.
#ifndef MULLIGAN_SERVER_ARRIVALS_H_
#define MULLIGAN_SERVER_ARRIVALS_H_

#include <atomic>
#include <chrono>

#include "server/call_watch.h"
#include "server/work_pool.h"

namespace mulligan {

// gRPC's threads take calls in the order in which they came; a call that waited
// for them is as old as the queue is long. Safe to share.
class Arrivals {
 public:
  // What waited less tells of no queue.
  static constexpr std::chrono::milliseconds kShort{5};

  // Whether a call that had `arrived` may be worked on, see QueueDelay.
  bool Admit(SteadyClock::time_point arrived, SteadyClock::time_point now) {
    if (now - arrived < kShort) {
      // Seldom enough to cost nothing.
      if (now - last_short_.load(std::memory_order_relaxed) >
          QueueDelay::kTarget) {
        last_short_.store(now, std::memory_order_relaxed);
      }
      return true;
    }
    QueueDelay delay;
    delay.OnEmpty(last_short_.load(std::memory_order_relaxed));
    return !delay.IsTooLong(arrived, now);
  }

  // From now on calls are to be refused: the server stops.
  void Close() { closed_.store(true); }
  bool closed() const { return closed_.load(std::memory_order_relaxed); }

 private:
  std::atomic<bool> closed_ = false;
  std::atomic<SteadyClock::time_point> last_short_ = SteadyClock::now();
};

}  // namespace mulligan

#endif  // MULLIGAN_SERVER_ARRIVALS_H_
