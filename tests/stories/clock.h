// A node whose clock is wrong.
#ifndef MULLIGAN_TESTS_STORIES_CLOCK_H_
#define MULLIGAN_TESTS_STORIES_CLOCK_H_

#include <string>

#include "mulligan/v1/report.pb.h"

namespace mulligan::stories {

// The clock of one node's kubelet, which differs from all others.
struct NodeClock {
  // Empty: all clocks agree.
  std::string node;
  // Seconds by which it is ahead; negative: behind.
  int seconds = 0;
  // It was changed while containers ran, so only their ends have wrong times.
  bool was_set = false;
};

// Changes the times in `report` that the node's kubelet wrote. Times of the API
// server, the scheduler and controllers stay.
void StampBy(const NodeClock& clock, v1::FailureReport& report);

}  // namespace mulligan::stories

#endif  // MULLIGAN_TESTS_STORIES_CLOCK_H_
