// Asks the native semantics what a case asks its peer.
#ifndef MULLIGAN_CLIENT_CONFORMANCE_EVALUATE_H_
#define MULLIGAN_CLIENT_CONFORMANCE_EVALUATE_H_

#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "absl/status/statusor.h"
#include "client/conformance/case.h"

namespace mulligan::conformance {

// Why a kind of case is not a retry or failure decision.
struct OutOfScope {
  // Stable key, for example "clean-up".
  std::string_view key;
  // One sentence.
  std::string_view why;
};

// The only reasons there are.
const std::vector<OutOfScope>& OutOfScopeReasons();

// What an evaluator answers: facts to compare, or a key of OutOfScopeReasons.
struct Answer {
  static Answer Facts(Json facts) { return {std::move(facts), std::nullopt}; }
  static Answer Outside(std::string_view key) {
    return {Json(), std::string(key)};
  }

  Json facts;
  std::optional<std::string> out_of_scope;
};

// An evaluator turns the input into the arguments of the native semantics in
// policy/native/, calls them and returns every fact they yield, under the
// peer's names. It never guesses: what it does not understand is an error
// (UNIMPLEMENTED naming the member), which counts as a failed case.
using Evaluator = absl::StatusOr<Answer> (*)(const CaseInput&);

absl::StatusOr<Answer> EvaluateKubernetes(const CaseInput& input);
absl::StatusOr<Answer> EvaluateJobSet(const CaseInput& input);
absl::StatusOr<Answer> EvaluateFlyte(const CaseInput& input);
absl::StatusOr<Answer> EvaluateTrainer(const CaseInput& input);
absl::StatusOr<Answer> EvaluateKubeRay(const CaseInput& input);
absl::StatusOr<Answer> EvaluateKueue(const CaseInput& input);

// The evaluator for a case's source repository, or null.
Evaluator EvaluatorFor(const CaseInput& input);

}  // namespace mulligan::conformance

#endif  // MULLIGAN_CLIENT_CONFORMANCE_EVALUATE_H_
