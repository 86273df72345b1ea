// Times as Go prints them into Flyte's messages.
#ifndef MULLIGAN_POLICY_OPERATORS_FLYTE_TEXT_H_
#define MULLIGAN_POLICY_OPERATORS_FLYTE_TEXT_H_

#include <string>

#include "absl/time/time.h"

namespace mulligan::flyte {

// Go's time.Duration.String(): "3m0s", "1.5s", "10ns", "0s". Saturates at
// Go's bounds.
std::string GoDuration(absl::Duration duration);

// Go's time.Time.String() in UTC: "2026-01-01 01:00:00 +0000 UTC".
std::string GoTime(absl::Time time);

}  // namespace mulligan::flyte

#endif  // MULLIGAN_POLICY_OPERATORS_FLYTE_TEXT_H_
