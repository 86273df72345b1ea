// Sample failures for tests of the commands.
#ifndef MULLIGAN_TESTS_CLIENT_COMMAND_SAMPLES_H_
#define MULLIGAN_TESTS_CLIENT_COMMAND_SAMPLES_H_

#include <string>

#include "mulligan/v1/retry_decision_service.pb.h"

namespace mulligan::testing {

// A pod that was killed at its memory limit.
extern const char kOomPod[];

// Returns a DecideRequest for it on one line, with request id "r".
std::string CompactRequest();

// Returns a decision log of `lines` lines about one pod that ran out of memory
// and is retried by the embedded policies.
std::string DecisionLog(int lines);

// Parses a DecideResponse from JSON; fails the test if it cannot.
v1::DecideResponse ParseResponse(const std::string& json);

}  // namespace mulligan::testing

#endif  // MULLIGAN_TESTS_CLIENT_COMMAND_SAMPLES_H_
