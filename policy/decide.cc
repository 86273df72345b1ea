#include "policy/decide.h"

#include <google/protobuf/arena.h>

#include <algorithm>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "policy/answer.h"
#include "policy/budget/failure_id.h"
#include "policy/budget/ledger.h"
#include "policy/decision_id.h"
#include "policy/demystify/demystify.h"
#include "policy/explain.h"
#include "policy/intake.h"
#include "policy/native_decision.h"
#include "policy/stable_hash.h"
#include "policy/times.h"
#include "policy/validate.h"
#include "policy/verdict.h"

namespace mulligan {
namespace {

// An empty message for the length of a call, on the answer's arena if it has
// one, where texts cost half of what they cost on the heap.
template <typename Message>
Message& Scratch(google::protobuf::Arena* arena,
                 std::optional<Message>& on_heap) {
  if (arena == nullptr) return on_heap.emplace();
  return *google::protobuf::Arena::CreateMessage<Message>(arena);
}

// A final record exists: the same verdict, and nothing is charged.
void AnswerAgain(const Call& call, const v1::AttemptRecord& record) {
  const CompiledPolicy& policy = call.compiled();
  v1::Decision& decision = *call.response.mutable_decision();
  decision = record.decision();
  FillTexts(call.diagnosis(), record, decision);
  v1::Accounting& accounting = *call.response.mutable_accounting();
  ReportAccounts(Accounts(policy.budgets, call.ledger(), call.now), accounting);
  accounting.set_attempts(call.ledger().attempts_seen());
  accounting.set_max_attempts(policy.max_attempts);
  accounting.set_duplicate(true);
  FillExhaustion(record, accounting);
  if (record.cause() != call.diagnosis().cause()) {
    call.Warn("this failure was decided before as " +
              v1::Cause_Name(record.cause()) + ", and stays decided");
  }
  if (call.request.explain() == v1::DecideRequest::EXPLAIN_NONE) return;
  v1::Explanation& explanation = *call.response.mutable_explanation();
  explanation.mutable_matched_rule()->set_policy(call.policy.rules->name());
  explanation.set_decided_by("duplicate");
}

void WarnOfVerdict(const Call& call, const Verdict& verdict) {
  if (verdict.decided_by == DecidedBy::kKillSwitch) {
    call.Warn("retries are switched off: " +
              call.compiled().kill_switch_reason);
  }
  if (verdict.grace_unknown) {
    call.Warn(
        "no time in the report tells since when this lasts, so the wait cannot "
        "end by itself");
  }
}

void FillExplanation(const Call& call, const Case& failure,
                     const Verdict& verdict, bool stale) {
  if (call.request.explain() == v1::DecideRequest::EXPLAIN_NONE) return;
  v1::Explanation& explanation = *call.response.mutable_explanation();
  if (verdict.rule != nullptr) {
    *explanation.mutable_matched_rule() = *verdict.rule;
  } else {
    explanation.mutable_matched_rule()->set_policy(call.policy.rules->name());
  }
  explanation.set_decided_by(stale ? "stale" : NameOf(verdict.decided_by));
  if (call.request.explain() != v1::DecideRequest::FULL) return;
  ExplainRules(failure, verdict, explanation);
  ExplainFlips(failure, verdict, explanation);
}

// Writes the verdict into the ledger and, from that record, the texts.
void Settle(const Case& failure, const Verdict& verdict,
            const Accounts& accounts, const std::string& failure_id,
            v1::DecideResponse& response) {
  v1::BudgetLedger& ledger = *response.mutable_ledger();
  v1::Decision& decision = *response.mutable_decision();
  std::optional<v1::AttemptRecord> on_heap;
  v1::AttemptRecord& record = verdict.recorded
                                  ? AddRecord(failure.attempts, ledger)
                                  : Scratch(response.GetArena(), on_heap);
  FillRecord(failure, verdict, failure_id, decision, record);
  FillTexts(failure.diagnosis, record, decision);
  FillExhaustion(record, *response.mutable_accounting());
  if (verdict.recorded) {
    WriteAccounts(accounts, ledger);
    BoundLedger(failure.policy, ledger);
  }
}

// `native` is null unless the operator decides.
void DecideNow(const Call& call, const std::string& failure_id, bool refund,
               const NativeOutcome* native) {
  const bool stale = ConsultHistory(call);
  const v1::FailureReport& report = call.request.report();
  const std::int32_t next = NextAttempt(call.ledger());
  const std::int32_t attempt = report.has_attempt() ? report.attempt() : next;
  const std::uint64_t identity =
      StableHash().Add(call.workload.uid()).Add(failure_id).value();
  PatternAllowance patterns;
  const Case failure{report,          call.workload, call.diagnosis(),
                     call.compiled(), call.ledger(), call.now,
                     call.since,      attempt,       std::max(next, attempt),
                     identity,        refund,        patterns};
  if (native != nullptr && !stale) {
    return DecideNatively(call, failure, *native, failure_id);
  }
  Accounts accounts(call.compiled().budgets, call.ledger(), call.now);
  const Verdict verdict = Evaluate(failure, {}, accounts);

  std::vector<std::string> warnings;
  FillDecision(failure, verdict, *call.response.mutable_decision(), warnings);
  for (std::string& warning : warnings) call.Warn(std::move(warning));
  WarnOfVerdict(call, verdict);
  FillAccounting(failure, verdict, accounts,
                 *call.response.mutable_accounting());
  FillExplanation(call, failure, verdict, stale);
  if (patterns.used_up()) call.Warn(kPatternsUsedUp);
  Settle(failure, verdict, accounts, failure_id, call.response);
}

// Requires: the request is valid and its report has a time.
absl::Status DecideValid(const v1::DecideRequest& request,
                         const PolicySet& policies,
                         v1::DecideResponse& response) {
  const v1::FailureReport& report = request.report();
  std::optional<v1::WorkloadReference> on_heap;
  v1::WorkloadReference& workload = Scratch(response.GetArena(), on_heap);
  // Copying labels costs more than the rest of the reference.
  FillWorkload(report, MatchesLabels(request, policies), workload);
  const absl::StatusOr<ChosenPolicy> policy =
      ChoosePolicy(request, workload, policies);
  if (!policy.ok()) return policy.status();
  if (absl::Status owner = CheckLedgerOwner(request.ledger(), workload);
      !owner.ok()) {
    return owner;
  }
  Call call{request,      *policy, workload, ToTime(report.observed_at()),
            std::nullopt, response};
  std::optional<NativeOutcome> native;
  if (AsksOperator(call)) {
    const absl::Status asked = AskOperator(call, native);
    if (!asked.ok()) return asked;
  }
  WarnOfUnknownEnums(call);
  DiagnoseReport(call);
  OpenLedger(call);

  FailureId id = FailureIdOf(report, workload, call.now);
  if (id.from_time_only) {
    call.Warn(
        "nothing in the report tells this failure from the next one, so its id "
        "comes from observedAt; send failureId or attempt");
  }
  const int known = FindFailure(call.ledger(), id.id);
  if (known >= 0 && !IsPending(call.ledger().history(known))) {
    AnswerAgain(call, call.ledger().history(known));
  } else {
    if (known >= 0) TakeBack(known, call.ledger());
    DecideNow(call, id.id, known < 0,
              DecidesNatively(call) ? &*native : nullptr);
  }
  if (native.has_value()) ShowNative(call, *std::move(native));

  response.mutable_policy()->set_name(policy->rules->name());
  response.mutable_policy()->set_revision(policy->revision());
  response.set_decision_id(DecisionId(request, response, id.id, call.now));
  response.set_failure_id(std::move(id.id));
  response.set_request_id(request.request_id());
  return absl::OkStatus();
}

}  // namespace

absl::Status Decide(const v1::DecideRequest& request, const PolicySet& policies,
                    const google::protobuf::Timestamp& now,
                    v1::DecideResponse& response) {
  if (absl::Status status = RefuseViolations(Validate(request)); !status.ok()) {
    return status;
  }
  if (request.report().has_observed_at()) {
    return DecideValid(request, policies, response);
  }
  v1::DecideRequest timed = request;
  *timed.mutable_report()->mutable_observed_at() = now;
  response.add_warnings(kNoObservedAt);
  return DecideValid(timed, policies, response);
}

absl::Status Demystify(const v1::DemystifyRequest& request,
                       const PolicySet& policies,
                       const google::protobuf::Timestamp& now,
                       v1::DemystifyResponse& response) {
  if (absl::Status status = RefuseViolations(Validate(request)); !status.ok()) {
    return status;
  }
  if (!request.report().has_observed_at()) {
    v1::DemystifyRequest timed = request;
    *timed.mutable_report()->mutable_observed_at() = now;
    response.add_warnings(kNoObservedAt);
    return Demystify(timed, policies, now, response);
  }
  const absl::StatusOr<const Ruleset*> policy =
      NamedOrSelected(request.policy(), WorkloadOf(request.report()), policies);
  if (!policy.ok()) return policy.status();
  DemystifyOptions options;
  options.signatures = (*policy)->compiled().signatures.get();
  options.full = true;
  Findings findings =
      Demystify(request.report(), options, *response.mutable_diagnosis());
  for (std::string& warning : findings.warnings) {
    response.add_warnings(std::move(warning));
  }
  response.mutable_policy()->set_name((*policy)->name());
  response.mutable_policy()->set_revision(policies.revision());
  return absl::OkStatus();
}

}  // namespace mulligan
