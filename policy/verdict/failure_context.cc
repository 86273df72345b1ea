#include "policy/verdict/failure_context.h"

#include <cstddef>
#include <utility>

#include "absl/strings/str_cat.h"
#include "absl/strings/str_format.h"
#include "absl/strings/str_join.h"
#include "policy/base/times.h"
#include "policy/request/refusal.h"
#include "policy/request/workload.h"
#include "policy/verdict/ledger_owner.h"
#include "policy/verdict/own_limits.h"
#include "policy/wording.h"

namespace mulligan {
namespace {

// Parses "field: description", or a description without a field.
std::vector<FieldViolation> ViolationsOf(
    const std::vector<std::string>& refusals) {
  std::vector<FieldViolation> violations;
  for (const std::string& refusal : refusals) {
    const std::size_t colon = refusal.find(": ");
    const bool named = colon != std::string::npos;
    violations.push_back({named ? refusal.substr(0, colon) : "",
                          named ? refusal.substr(colon + 2) : refusal});
  }
  return violations;
}

const v1::NativeSemantics& SemanticsOf(const FailureContext& at) {
  const auto& native = at.compiled().native;
  return native == nullptr ? v1::NativeSemantics::default_instance()
                           : native->semantics;
}

bool IsOperatorAsked(const FailureContext& at) {
  const auto& native = at.compiled().native;
  return at.request.compare_native() ||
         (native != nullptr && (native->decides || native->compares));
}

// Operators do not repair times, so `as_stamped` has the original ones.
absl::StatusOr<std::optional<NativeOutcome>> AskOperator(
    const FailureContext& at, const v1::FailureReport& as_stamped) {
  std::optional<NativeOutcome> outcome =
      AnswerNatively({as_stamped, at.request.ledger(), SemanticsOf(at),
                      at.observed_at, &at.patterns});
  if (!at.decides_natively()) return outcome;
  if (!outcome.has_value()) {
    return RefuseViolations(
        {{"report",
          absl::StrFormat("has no object of an operator that policy \"%s\" "
                          "could answer for, expected one of: %s",
                          at.policy.rules->name(), NativeOperatorNames())}});
  }
  if (!outcome->refusals.empty()) {
    return Refusal(absl::StrJoin(outcome->refusals, "; "),
                   ViolationsOf(outcome->refusals));
  }
  return outcome;
}

// Warns of enum values from newer clients.
void WarnOfUnknownEnums(const v1::DecideRequest& request,
                        std::vector<std::string>& warnings) {
  const auto warn = [&warnings](bool known, const char* field, int number,
                                const char* instead) {
    if (known) return;
    warnings.push_back(absl::StrCat(field, " ", number,
                                    " is unknown to this version; ", instead,
                                    " was assumed"));
  };
  warn(v1::DecideRequest::Explain_IsValid(request.explain()), "explain",
       request.explain(), "SUMMARY");
  warn(v1::DecideRequest::Purpose_IsValid(request.purpose()), "purpose",
       request.purpose(), "ENFORCE");
}

}  // namespace

absl::StatusOr<FailureContext> MakeFailureContext(
    const SanitizedRequest<v1::DecideRequest>& sanitized,
    const PolicySet& policies, InlinePolicies* inline_policies,
    PatternAllowance& patterns, google::protobuf::Arena* arena) {
  const v1::DecideRequest& request = sanitized.request();
  const Owners& owners = sanitized.owners();
  auto workload = MakePart<v1::WorkloadReference>(arena);
  FillWorkload(owners, request.has_inline_policy() || policies.matches_labels(),
               *workload);
  absl::StatusOr<ChosenPolicy> policy =
      ChoosePolicy(request, *workload, policies, inline_policies);
  if (!policy.ok()) return policy.status();
  const LedgerOwner ledger_owner = LedgerOwnerOf(owners, *workload);
  if (absl::Status owner =
          CheckLedgerOwner(request.ledger(), owners, ledger_owner);
      !owner.ok()) {
    return owner;
  }
  if (!patterns.CheckNow().ok()) return patterns.CheckNow();
  FailureContext at{request,
                    owners,
                    std::move(workload),
                    ledger_owner,
                    *std::move(policy),
                    sanitized.observed_at(),
                    ToTime(sanitized.observed_at()),
                    patterns};
  if (IsOperatorAsked(at)) {
    auto native = AskOperator(at, sanitized.as_stamped());
    if (!native.ok()) return native.status();
    at.native = *std::move(native);
    if (!at.native.has_value()) {
      at.warnings.push_back(absl::StrCat(
          kNoNativeVerdict, "the report has no object of a known operator (",
          NativeOperatorNames(), ")"));
    }
  }
  if (!at.decides_natively()) {
    at.own_budgets =
        BudgetsWithOwnLimits(request, at.owners, *at.policy.rules, at.warnings);
  }
  WarnOfUnknownEnums(request, at.warnings);
  return at;
}

}  // namespace mulligan
