#include "policy/decide.h"

#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "policy/base/warnings.h"
#include "policy/budget/ledger.h"
#include "policy/demystify/demystify.h"
#include "policy/remedy/tell.h"
#include "policy/request/owners.h"
#include "policy/request/refusal.h"
#include "policy/request/validate.h"
#include "policy/request/workload.h"
#include "policy/verdict/answer.h"
#include "policy/verdict/decided.h"
#include "policy/verdict/diagnosed.h"
#include "policy/verdict/earlier_attempts.h"
#include "policy/verdict/ledger_owner.h"
#include "policy/verdict/native_decision.h"
#include "policy/verdict/recalled.h"
#include "policy/verdict/received.h"
#include "policy/verdict/situated.h"

namespace mulligan {
namespace {

// What an organisation's own signature says to do, if one decided.
std::string_view OwnRemedy(const ChosenPolicy& policy,
                           const v1::Diagnosis& diagnosis) {
  const auto& signatures = policy.rules->compiled().signatures;
  return signatures == nullptr ? std::string_view()
                               : signatures->RemedyOf(diagnosis.signature());
}

// The ledger that the caller is to keep.
void FinishLedger(const Situated& at, v1::BudgetLedger& ledger) {
  if (ledger.attempts_seen() != at.request.ledger().attempts_seen()) {
    TieLedger(at.owners, *at.workload, /*recorded=*/true, ledger);
  }
  // Whoever wrote: a ledger may leave its bounds without a new record, by the
  // workload's UID, or because somebody edited it.
  BoundLedger(at.compiled(), ledger);
}

void AddWarnings(const std::vector<std::string>& texts,
                 google::protobuf::RepeatedPtrField<std::string>& warnings) {
  for (const std::string& text : texts) AddWarning(text, warnings);
}

// Last of all: what people are told of the answer.
void TellPeople(const Situated& at, v1::DecideResponse& response) {
  if (!at.explains()) return;
  Tell({.owners = at.owners,
        .workload = *at.workload,
        .decision = response.decision(),
        .ledger = response.ledger(),
        .failure_id = response.failure_id(),
        .native = response.has_native() ? &response.native() : nullptr,
        .own_remedy = OwnRemedy(at.policy, response.diagnosis())},
       *response.mutable_diagnosis());
  for (v1::SeparateFailure& one : *response.mutable_separate()) {
    Tell({.owners = at.owners,
          .workload = *at.workload,
          .decision = one.decision(),
          .ledger = response.ledger(),
          .failure_id = one.failure_id(),
          .own_remedy = OwnRemedy(at.policy, one.diagnosis())},
         *one.mutable_diagnosis());
  }
}

void WriteAnswer(const Received<v1::DecideRequest>& received, Situated at,
                 Diagnosed told, Decided decided,
                 v1::DecideResponse& response) {
  auto& warnings = *response.mutable_warnings();
  AddWarnings(received.warnings(), warnings);
  AddWarnings(at.warnings, warnings);
  AddWarnings(told.findings.warnings, warnings);
  AddWarnings(decided.warnings, warnings);
  const bool broken = told.is_broken();
  response.set_allocated_diagnosis(told.diagnosis.release());
  response.set_allocated_decision(decided.decision.release());
  response.set_allocated_accounting(decided.accounting.release());
  response.set_allocated_explanation(decided.explanation.release());
  response.set_allocated_ledger(decided.ledger.release());
  if (broken && !at.decides_natively()) {
    FillSeparate(at, told.findings, told.id.id, response);
  }
  FinishLedger(at, *response.mutable_ledger());
  if (at.native.has_value()) ShowNative(*std::move(at.native), response);
  if (at.patterns.used_up()) AddWarning(kPatternsUsedUp, warnings);
  NameAnswer(at, std::move(told.id.id), response);
  TellPeople(at, response);
  received.Restore(*response.mutable_diagnosis());
}

}  // namespace

absl::Status Decide(const v1::DecideRequest& request, const PolicySet& policies,
                    const google::protobuf::Timestamp& now,
                    v1::DecideResponse& response,
                    const DecideOptions& options) {
  if (absl::Status status = RefuseViolations(Validate(request)); !status.ok()) {
    return status;
  }
  PatternAllowance patterns(kMaxPatternSteps, options.watch);
  const Received received(request, now);
  absl::StatusOr<Situated> at =
      Situate(received, policies, options.inline_policies, patterns,
              response.GetArena());
  if (!at.ok()) return at.status();
  Diagnosed told = Diagnose(*at);
  if (!patterns.CheckNow().ok()) return patterns.CheckNow();
  Recalled before = Recall(*at, told);
  told = Compared(*at, std::move(told), before);
  Decided decided = DecideOn(*at, told, std::move(before));
  // What was found under a watch that ended the call may be wrong.
  if (!patterns.CheckNow().ok()) return patterns.CheckNow();
  WriteAnswer(received, *std::move(at), std::move(told), std::move(decided),
              response);
  return absl::OkStatus();
}

absl::Status Demystify(const v1::DemystifyRequest& request,
                       const PolicySet& policies,
                       const google::protobuf::Timestamp& now,
                       v1::DemystifyResponse& response,
                       const DecideOptions& call_options) {
  if (absl::Status status = RefuseViolations(Validate(request)); !status.ok()) {
    return status;
  }
  const Received received(request, now);
  const Owners owners(received.report());
  const v1::WorkloadReference workload = WorkloadOf(owners);
  const absl::StatusOr<ChosenPolicy> policy =
      ChoosePolicy(request, workload, policies, call_options.inline_policies);
  if (!policy.ok()) return policy.status();
  DemystifyOptions options;
  options.now = received.observed_at();
  options.signatures = policy->rules->compiled().signatures.get();
  options.full = true;
  PatternAllowance patterns(kMaxPatternSteps, call_options.watch);
  options.patterns = &patterns;
  const Findings findings =
      Demystify(owners, options, *response.mutable_diagnosis());
  if (!patterns.CheckNow().ok()) return patterns.CheckNow();
  Tell({.owners = owners,
        .workload = workload,
        .own_remedy = OwnRemedy(*policy, response.diagnosis())},
       *response.mutable_diagnosis());
  received.Restore(*response.mutable_diagnosis());
  AddWarnings(received.warnings(), *response.mutable_warnings());
  AddWarnings(findings.warnings, *response.mutable_warnings());
  if (patterns.used_up()) response.add_warnings(kPatternsUsedUp);
  response.mutable_policy()->set_name(policy->rules->name());
  response.mutable_policy()->set_revision(policy->revision());
  return absl::OkStatus();
}

}  // namespace mulligan
