// Checks of single policy fields, each reporting what it finds.
#ifndef MULLIGAN_POLICY_BASE_CHECKS_H_
#define MULLIGAN_POLICY_BASE_CHECKS_H_

#include <cstdint>
#include <string>

#include "absl/time/time.h"
#include "google/protobuf/duration.pb.h"
#include "policy/base/issue_reporter.h"

namespace mulligan {

// Whether `text` is a DNS label (RFC 1123) of at most 63 characters: what
// Kubernetes takes as a name and Prometheus shows as a label value.
bool IsDnsLabel(const std::string& text);

// The duration, which must be valid, positive and at most kMaxPolicySeconds.
// An error is reported and the result is harmless otherwise.
absl::Duration CheckDuration(const google::protobuf::Duration& duration,
                             const std::string& path, IssueReporter& report);

// Reports a number outside [low, high], with the expected range.
bool CheckRange(std::int64_t value, std::int64_t low, std::int64_t high,
                const std::string& path, IssueReporter& report);

// Reports a value that is not finite or outside (low, high].
bool CheckFactor(double value, double low, double high, const std::string& path,
                 IssueReporter& report);

}  // namespace mulligan

#endif  // MULLIGAN_POLICY_BASE_CHECKS_H_
