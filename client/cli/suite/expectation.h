// What an answer was expected to say, and what it says.
#ifndef MULLIGAN_CLIENT_CLI_SUITE_EXPECTATION_H_
#define MULLIGAN_CLIENT_CLI_SUITE_EXPECTATION_H_

#include <string>
#include <vector>

#include "absl/status/statusor.h"
#include "mulligan/v1/policy_test.pb.h"
#include "mulligan/v1/retry_decision_service.pb.h"

namespace mulligan::cli {

struct Mismatch {
  // Key of the expectation, as the suite writes it.
  std::string key;
  std::string expected;
  std::string found;
};

// Every key of `expect` that does not hold, in schema order. An error where an
// answer was expected, and the other way round, is the only mismatch.
std::vector<Mismatch> FindMismatches(
    const v1::ExpectedAnswer& expect,
    const absl::StatusOr<v1::DecideResponse>& answer);

}  // namespace mulligan::cli

#endif  // MULLIGAN_CLIENT_CLI_SUITE_EXPECTATION_H_
