// Reads and prints values as Go does, because the operators are written in Go:
// numbers, times, and the API server's field errors
// (k8s.io/apimachinery/pkg/util/validation/field), which every operator on
// Kubernetes uses.
#ifndef MULLIGAN_POLICY_NATIVE_GO_TEXT_H_
#define MULLIGAN_POLICY_NATIVE_GO_TEXT_H_

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "absl/time/time.h"

namespace mulligan {

// As strconv.Atoi: the whole text is a decimal with an optional sign.
std::optional<std::int64_t> GoInteger(std::string_view text);

// As time.Duration.String(): "3m0s", "1.5s", "10ns", "0s". Saturates at Go's
// bounds.
std::string GoDuration(absl::Duration duration);

// As time.Time.String() in UTC: "2026-01-01 01:00:00 +0000 UTC".
std::string GoTimestamp(absl::Time time);

struct FieldError {
  // The API server's name for the error, such as "Invalid value".
  std::string_view type;
  // Path of the field: "spec.podFailurePolicy.rules[0].action".
  std::string field;
  // The refused value as the API server prints it; empty if not printed.
  std::string value;
  std::string detail;
};

// Keeps only the first kMaxAnswerWarnings errors.
class FieldErrors : public std::vector<FieldError> {
 public:
  void push_back(FieldError error);
  void Required(std::string field, std::string detail) {
    push_back({"Required value", std::move(field), "", std::move(detail)});
  }
  void Forbidden(std::string field, std::string detail) {
    push_back({"Forbidden", std::move(field), "", std::move(detail)});
  }
  void Invalid(std::string field, std::string value, std::string detail);
  void Invalid(std::string field, std::int64_t value, std::string detail);
  // Lists `supported` in the given order.
  void NotSupported(std::string field, std::string_view value,
                    const std::vector<std::string_view>& supported);
  void Duplicate(std::string field, std::int64_t value);
  void TooMany(std::string field, std::int64_t size, int limit);
};

// Problems of an object.
struct ObjectIssues {
  // Refused by the API server or a webhook.
  FieldErrors errors;
  // Accepted, but the object does not work as expected or may use values of a
  // newer release.
  std::vector<std::string> warnings;
};

inline constexpr std::string_view kUnsupportedValue = "Unsupported value";

// Returns "field: Invalid value: "x": detail", byte for byte.
std::string FormatFieldError(const FieldError& error);

// Return the path of a child; an empty `path` is the root.
std::string ChildField(std::string_view path, std::string_view name);
std::string IndexField(std::string_view path, int index);

// Returns `text` quoted as Go prints it.
std::string QuotedValue(std::string_view text);

// Appends an error if `value` is negative.
void CheckNonNegative(std::string field, std::int64_t value,
                      FieldErrors& errors);

// Appends an error if `value` is above `limit`; `why` follows the limit in it.
void CheckAtMost(std::string field, std::int64_t value, std::int64_t limit,
                 std::string_view why, FieldErrors& errors);

// Appends an error for each rule of qualified names that `name` breaks: an
// optional DNS subdomain and a slash, then at most 63 letters, digits, '-',
// '_', '.'.
void CheckQualifiedName(const std::string& field, const std::string& name,
                        FieldErrors& errors);

}  // namespace mulligan

#endif  // MULLIGAN_POLICY_NATIVE_GO_TEXT_H_
