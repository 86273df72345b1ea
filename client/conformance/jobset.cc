// Cases from kubernetes-sigs/jobset.
#include <array>
#include <optional>
#include <string_view>
#include <utility>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "absl/strings/str_format.h"
#include "client/conformance/evaluate.h"
#include "client/conformance/jobset_decision.h"
#include "client/conformance/jobset_in_place.h"
#include "client/conformance/jobset_small.h"

namespace mulligan::conformance {
namespace {

using FactsOf = absl::StatusOr<Json> (*)(const CaseInput&);

struct Kind {
  std::string_view name;
  FactsOf facts;
};

constexpr std::array<Kind, 16> kKinds = {{
    {"first-failed-job", FirstFailedJobFacts},
    {"rule-applicable", RuleApplicableFacts},
    {"rule-selection", RuleSelectionFacts},
    {"apply-action", ApplyActionFacts},
    {"reconcile-decision", ReconcileFacts},
    // Stories of design texts, and what the sources say.
    {"kep-story", ReconcileFacts},
    {"source-derived", ReconcileFacts},
    {"success-job-matches", SuccessMatchFacts},
    {"success-rjob-matches", SuccessMatchFacts},
    {"success-count-matching", SuccessCountFacts},
    {"success-expected", SuccessExpectedFacts},
    {"condition-update", ConditionUpdateFacts},
    {"defaulting", DefaultingFacts},
    {"validation", ValidationFacts},
    {"validation-update", UpdateValidationFacts},
    {"creation-failure", CreationFailureFacts},
}};

// Members that tell what a case without a known kind is about; the first that
// is there does.
constexpr std::array<Kind, 6> kMembers = {{
    {"createError", CreationFailureFacts},
    {"appliedAction", ApplyActionFacts},
    {"failedJob", RuleApplicableFacts},
    {"newCondition", ConditionUpdateFacts},
    {"old", UpdateValidationFacts},
    {"failedJobs", ReconcileFacts},
}};

std::optional<FactsOf> Find(const CaseInput& input) {
  std::optional<FactsOf> of_kind;
  for (const Kind& kind : kKinds) {
    if (kind.name == input.kind) of_kind = kind.facts;
  }
  // A story may be about a single function.
  if (of_kind.has_value() && *of_kind != ReconcileFacts) return of_kind;
  for (const Kind& member : kMembers) {
    if (input.input.contains(member.name)) return member.facts;
  }
  return of_kind;
}

}  // namespace

absl::StatusOr<Answer> EvaluateJobSet(const CaseInput& input) {
  constexpr std::string_view kInPlacePrefix = "inplace-";
  if (input.kind.starts_with(kInPlacePrefix)) {
    auto facts = InPlaceFacts(
        std::string_view(input.kind).substr(kInPlacePrefix.size()), input);
    if (facts.has_value()) {
      if (!facts->ok()) return facts->status();
      return Answer::Facts(**std::move(facts));
    }
  }
  const std::optional<FactsOf> facts_of = Find(input);
  if (!facts_of.has_value()) {
    return absl::UnimplementedError(
        absl::StrFormat("kind '%s' is not understood", input.kind));
  }
  absl::StatusOr<Json> facts = (*facts_of)(input);
  if (!facts.ok()) return facts.status();
  return Answer::Facts(*std::move(facts));
}

}  // namespace mulligan::conformance
