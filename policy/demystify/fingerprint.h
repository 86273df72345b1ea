// Identification of repeated failures.
#ifndef MULLIGAN_POLICY_DEMYSTIFY_FINGERPRINT_H_
#define MULLIGAN_POLICY_DEMYSTIFY_FINGERPRINT_H_

#include <cstdint>
#include <initializer_list>
#include <optional>
#include <string>
#include <string_view>

#include "mulligan/v1/cause.pb.h"

namespace mulligan::demystify {

// Returns a hash of cause, exit code and the template of `message` as 16
// hexadecimal digits. It is the same on every platform and in every release of
// this API version.
std::string Fingerprint(v1::Cause cause, std::optional<std::int32_t> exit_code,
                        std::string_view message,
                        std::initializer_list<std::string_view> names);

// Returns `message` with the parts masked that differ between occurrences of a
// failure: `names` (of pod, node, namespace ...), numbers, identifiers with
// digits, addresses, times, ranks. Reads at most 512 bytes.
std::string MessageTemplate(std::string_view message,
                            std::initializer_list<std::string_view> names);

}  // namespace mulligan::demystify

#endif  // MULLIGAN_POLICY_DEMYSTIFY_FINGERPRINT_H_
