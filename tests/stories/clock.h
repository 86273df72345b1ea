// A node whose clock is wrong.
#ifndef MULLIGAN_TESTS_STORIES_CLOCK_H_
#define MULLIGAN_TESTS_STORIES_CLOCK_H_

#include <string>

#include "mulligan/v1/report.pb.h"

namespace mulligan::stories {

// The kubelet of one node stamps with a clock of its own.
struct NodeClock {
  // Empty: all clocks agree.
  std::string node;
  // By so much it is ahead; behind where negative.
  int seconds = 0;
  // It went wrong while containers ran: only their ends have it.
  bool was_set = false;
};

// Stamps what the node's kubelet says in the report by its clock. What the API
// server, the scheduler and controllers stamp stays.
void StampBy(const NodeClock& clock, v1::FailureReport& report);

}  // namespace mulligan::stories

#endif  // MULLIGAN_TESTS_STORIES_CLOCK_H_
