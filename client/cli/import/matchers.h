// Converts conditions of other systems to conditions of a policy.
#ifndef MULLIGAN_CLIENT_CLI_IMPORT_MATCHERS_H_
#define MULLIGAN_CLIENT_CLI_IMPORT_MATCHERS_H_

#include <string>
#include <string_view>
#include <vector>

#include "absl/status/statusor.h"
#include "nlohmann/json.hpp"
#include "policy/loader/yaml_tree.h"

namespace mulligan::cli {

using PolicyJson = nlohmann::ordered_json;

// A `when` of a policy, as JSON; always holds if empty.
struct Alternative {
  PolicyJson when = PolicyJson::object();
  // It must not hold: an earlier rule refuses the retry.
  bool negative = false;
};
using Alternatives = std::vector<Alternative>;

// Converts `value` by `matcher` of systems.yaml; `words` is the system's.
// Negative alternatives come first: none of them must hold, and one of the
// others must. INVALID_ARGUMENT says what is wrong with the value and what is
// expected. UNIMPLEMENTED says why a policy cannot express the condition; its
// message is empty if the condition is not about retries.
absl::StatusOr<Alternatives> Match(const PolicyJson& matcher,
                                   const YamlNode& value,
                                   const PolicyJson& words);

// Converts an expression of Argo's retryStrategy: comparisons of
// lastRetry.exitCode, .status, .duration, .message and of retries, with &&, ||
// and !. Source: Argo Workflows 4.1, whose language is expr-lang.
absl::StatusOr<Alternatives> MatchExpression(std::string_view text);

// Returns the parts of `text` between separators, at least one.
std::vector<std::string> Split(std::string_view text, char separator);

// Returns the duration as a policy writes it: "1m30s". Takes a number of
// seconds (of nanoseconds if `nanoseconds`), Go's "1h5m", and the "3650d" of
// policies.
absl::StatusOr<std::string> ReadForeignDuration(const std::string& text,
                                                bool nanoseconds);
// Returns milliseconds as a policy writes them.
std::string PolicyDuration(long long milliseconds);

}  // namespace mulligan::cli

#endif  // MULLIGAN_CLIENT_CLI_IMPORT_MATCHERS_H_
