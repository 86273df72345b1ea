// Numbers and times in texts as Go, in which the operators are written, reads
// and prints them.
#ifndef MULLIGAN_POLICY_OPERATORS_GO_TEXT_H_
#define MULLIGAN_POLICY_OPERATORS_GO_TEXT_H_

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

#include "absl/time/time.h"

namespace mulligan {

// strconv.Atoi: the whole text is a decimal with an optional sign.
std::optional<std::int64_t> GoInteger(std::string_view text);

// time.Duration.String(): "3m0s", "1.5s", "10ns", "0s". Saturates at Go's
// bounds.
std::string GoDuration(absl::Duration duration);

// time.Time.String() in UTC: "2026-01-01 01:00:00 +0000 UTC".
std::string GoTimestamp(absl::Time time);

}  // namespace mulligan

#endif  // MULLIGAN_POLICY_OPERATORS_GO_TEXT_H_
