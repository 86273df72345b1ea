// What the tests of the commands ask about.
#ifndef MULLIGAN_TESTS_CLIENT_COMMAND_SAMPLES_H_
#define MULLIGAN_TESTS_CLIENT_COMMAND_SAMPLES_H_

#include <string>

#include "mulligan/v1/retry_decision_service.pb.h"

namespace mulligan::testing {

// A pod that was killed at its memory limit.
extern const char kOomPod[];

// A DecideRequest for it on one line, with request id "r".
std::string CompactRequest();

// A decision log of `lines` lines, all about one pod that ran out of memory and
// is retried by the embedded policies.
std::string DecisionLog(int lines);

// A DecideResponse from its JSON; fails the test when it is none.
v1::DecideResponse ParseResponse(const std::string& json);

}  // namespace mulligan::testing

#endif  // MULLIGAN_TESTS_CLIENT_COMMAND_SAMPLES_H_
