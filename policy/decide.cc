#include "policy/decide.h"

#include <google/protobuf/arena.h>

#include <algorithm>
#include <cstddef>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "absl/strings/str_cat.h"
#include "absl/strings/str_join.h"
#include "policy/base/times.h"
#include "policy/base/utf8.h"
#include "policy/base/warnings.h"
#include "policy/budget/failure_id.h"
#include "policy/budget/ledger.h"
#include "policy/demystify/demystify.h"
#include "policy/remedy/tell.h"
#include "policy/request/clocks.h"
#include "policy/request/doubles.h"
#include "policy/request/kubernetes_codec.h"
#include "policy/request/ownership.h"
#include "policy/request/validate.h"
#include "policy/request/workload.h"
#include "policy/request/workload_view.h"
#include "policy/verdict/answer.h"
#include "policy/verdict/answer_again.h"
#include "policy/verdict/call.h"
#include "policy/verdict/earlier_attempts.h"
#include "policy/verdict/explain.h"
#include "policy/verdict/intake.h"
#include "policy/verdict/ledger_owner.h"
#include "policy/verdict/native_decision.h"
#include "policy/verdict/one_workload.h"
#include "policy/verdict/verdict.h"

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

// Answers from the record at `known`; -1: there is none. Else takes it back, to
// be decided again.
bool AnsweredBefore(Call& call, int known) {
  if (known < 0) return false;
  const v1::AttemptRecord& record = call.ledger().history(known);
  // An operator's summary knows no more than a wait that was decided by it.
  const bool waits = IsPending(record) && call.findings.incident.summary;
  if (waits || IsRepeatable(record)) {
    AnswerAgain(call, record);
    return true;
  }
  if (!IsPending(record)) {
    call.Warn(absl::StrCat("ledger.history[", known,
                           "] says what only a newer version knows: this "
                           "failure is decided again, and charged once"));
  }
  TakeBack(known, call.ledger());
  return false;
}

void WarnOfVerdict(Call& call, const Verdict& verdict) {
  if (verdict.decided_by == v1::Explanation::KILL_SWITCH) {
    call.Warn("retries are switched off: " +
              call.compiled().kill_switch_reason);
  }
  if (verdict.grace_unknown) {
    call.Warn(
        "no time in the report tells since when this lasts, so the wait cannot "
        "end by itself");
  }
}

void FillExplanation(Call& call, const Case& failure, const Verdict& verdict,
                     bool stale) {
  if (call.request.explain() == v1::DecideRequest::EXPLAIN_NONE) return;
  v1::Explanation& explanation = *call.response.mutable_explanation();
  if (verdict.rule != nullptr) {
    *explanation.mutable_matched_rule() = *verdict.rule;
  } else {
    explanation.mutable_matched_rule()->set_policy(call.policy.rules->name());
  }
  explanation.set_decided_by(stale ? v1::Explanation::STALE
                                   : verdict.decided_by);
  if (call.request.explain() != v1::DecideRequest::FULL) return;
  ExplainRules(failure, verdict, explanation);
  ExplainFlips(failure, verdict, explanation);
}

// Writes the verdict into the ledger and, from that record, the texts.
void Settle(const Case& failure, const Verdict& verdict,
            const Accounts& accounts, const FailureId& id,
            v1::DecideResponse& response) {
  v1::Decision& decision = *response.mutable_decision();
  std::optional<v1::AttemptRecord> on_heap;
  v1::AttemptRecord& record = Scratch(response.GetArena(), on_heap);
  FillRecord(failure, verdict, id, decision, record);
  FillTexts(failure.diagnosis, record, decision);
  FillExhaustion(record, *response.mutable_accounting());
  if (verdict.recorded) {
    Book(failure, accounts, record, *response.mutable_ledger());
  }
}

// The report of the attempt at hand alone, for rules that look at the raw
// objects. Absent: it is all there is.
std::optional<v1::FailureReport> AttemptAtHand(const Call& call) {
  if (call.findings.earlier.empty()) return std::nullopt;
  Unread past;
  for (const EarlierAttempt& earlier : call.findings.earlier) {
    const auto& pods = earlier.incident.pods;
    past.pods.insert(past.pods.end(), pods.begin(), pods.end());
  }
  std::ranges::sort(past.pods);
  v1::FailureReport report = call.request.report();
  LeaveOut(past, report);
  return report;
}

// `native` is null unless the operator decides.
void DecideNow(Call& call, const FailureId& id, bool refund, bool stale,
               const NativeOutcome* native) {
  const std::optional<v1::FailureReport> alone = AttemptAtHand(call);
  const v1::FailureReport& report = alone ? *alone : call.request.report();
  const absl::Time failed_at = FailedAt(call.diagnosis(), call.now);
  const std::uint64_t identity = IdentityOf(call, id);
  Turn turn = Turn::kWait;
  if (call.diagnosis().situation() == v1::Diagnosis::BROKEN) {
    WarnOfLaterRecords(call);
    turn = ConsultFleet(call, identity);
    // What many meet at once is not this workload's history.
    if (call.diagnosis().derived_cause() == v1::DERIVED_CAUSE_UNSPECIFIED) {
      ConsultHistory(call, report.progress(), failed_at, call.diagnosis());
    }
  }
  const std::int32_t next = NextAttempt(call.ledger());
  const std::int32_t attempt = report.has_attempt() ? report.attempt() : next;
  std::optional<absl::Time> ask_again;
  if (IsSet(call.findings.ask_again)) {
    ask_again = ToTime(call.findings.ask_again);
  }
  const Case failure{report,
                     call.workload,
                     call.diagnosis(),
                     call.compiled(),
                     call.ledger(),
                     report.progress(),
                     call.now,
                     failed_at,
                     ask_again,
                     call.since,
                     attempt,
                     std::max(next, attempt),
                     identity,
                     refund,
                     call.patterns,
                     turn,
                     &call.findings.incident,
                     GoneAt(call)};
  if (native != nullptr && !stale) {
    return DecideNatively(call, failure, *native, id);
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
  Settle(failure, verdict, accounts, id, call.response);
}

// An operator that decides has its own counters: the ledger only remembers
// them.
void DecideByOperator(Call& call, const FailureId& id,
                      const NativeOutcome& native) {
  const int known = FindFailure(call.ledger(), id.id);
  const bool overtaken = MarkIfOvertaken(call, known);
  if (!overtaken && AnsweredBefore(call, known)) return;
  const bool stale = overtaken || MarkIfStale(call);
  if (!call.request.has_ledger()) {
    const NativeCount count = CountNativeFailures(call.owners, EarlierIn(call));
    if (count.failures > 0) {
      SeedLedger(count, count.failures, call.compiled(), call.ledger());
    }
  }
  DecideNow(call, id, known < 0, stale, &native);
}

// The order of checks: is anything broken, was it told before, is it of a past
// attempt; and only then what it costs.
void DecideByPolicy(Call& call, const FailureId& id) {
  if (call.diagnosis().situation() != v1::Diagnosis::BROKEN) {
    return DecideNow(call, id, false, false, nullptr);
  }
  if (id.from_time_only) {
    call.Warn(
        "nothing in the report tells this failure from the next one, so its id "
        "comes from observedAt; send failureId or attempt");
  }
  const NativeCount count = CountNativeFailures(call.owners, EarlierIn(call));
  const int known = FindKnown(call.ledger(), ToldNow(call, id, count));
  const bool overtaken = MarkIfOvertaken(call, known);
  if (!overtaken && AnsweredBefore(call, known)) return;
  const bool stale = overtaken || MarkIfStale(call);
  if (!stale) {
    std::string anew = RememberNativeCount(count, call.ledger());
    if (!anew.empty()) call.Warn(std::move(anew));
    TellEarlierAttempts(call, count);
  }
  DecideNow(call, id, known < 0, stale, nullptr);
}

// What an organisation's own signature says to do, if one decided.
std::string_view OwnRemedy(const ChosenPolicy& policy,
                           const v1::Diagnosis& diagnosis) {
  const auto& signatures = policy.rules->compiled().signatures;
  return signatures == nullptr ? std::string_view()
                               : signatures->RemedyOf(diagnosis.signature());
}

// Last of all: what people are told of the answer.
void TellPeople(const v1::DecideRequest& request, const ChosenPolicy& policy,
                v1::DecideResponse& response) {
  if (request.explain() == v1::DecideRequest::EXPLAIN_NONE) return;
  Tell({.report = request.report(),
        .decision = response.decision(),
        .ledger = response.ledger(),
        .failure_id = response.failure_id(),
        .native = response.has_native() ? &response.native() : nullptr,
        .own_remedy = OwnRemedy(policy, response.diagnosis())},
       *response.mutable_diagnosis());
  for (v1::SeparateFailure& one : *response.mutable_separate()) {
    Tell({.report = request.report(),
          .decision = one.decision(),
          .ledger = response.ledger(),
          .failure_id = one.failure_id(),
          .own_remedy = OwnRemedy(policy, one.diagnosis())},
         *one.mutable_diagnosis());
  }
}

// Requires: the request is valid and its report about one workload;
// `as_stamped` is that report, with its times as they were told.
absl::Status DecideValid(const v1::DecideRequest& request,
                         const v1::FailureReport& as_stamped,
                         const google::protobuf::Timestamp& observed_at,
                         const PolicySet& policies,
                         const DecideOptions& options,
                         v1::DecideResponse& response) {
  const Owners owners(request.report());
  std::optional<v1::WorkloadReference> on_heap;
  v1::WorkloadReference& workload = Scratch(response.GetArena(), on_heap);
  // Copying labels costs more than the rest of the reference.
  FillWorkload(owners, request.has_inline_policy() || policies.matches_labels(),
               workload);
  const absl::StatusOr<ChosenPolicy> policy =
      ChoosePolicy(request, workload, policies, options.inline_policies);
  if (!policy.ok()) return policy.status();
  if (absl::Status owner = CheckLedgerOwner(request.ledger(), owners, workload);
      !owner.ok()) {
    return owner;
  }
  PatternAllowance patterns(kMaxPatternSteps, options.watch);
  if (!patterns.CheckNow().ok()) return patterns.CheckNow();
  Call call{request,  owners,      *policy,
            workload, observed_at, ToTime(observed_at),
            patterns, response};
  std::optional<NativeOutcome> native;
  if (absl::Status asked = AskOperator(call, as_stamped, native); !asked.ok()) {
    return asked;
  }
  WarnOfUnknownEnums(call);
  DiagnoseReport(call);
  if (!patterns.CheckNow().ok()) return patterns.CheckNow();
  OpenLedger(call);

  FailureId id =
      FailureIdOf(owners, workload, call.findings.incident, call.now);
  if (DecidesNatively(call)) {
    DecideByOperator(call, id, *native);
  } else {
    DecideByPolicy(call, id);
    if (call.diagnosis().situation() == v1::Diagnosis::BROKEN) {
      TellSeparate(call);
    }
  }
  if (call.ledger().attempts_seen() != request.ledger().attempts_seen()) {
    TieLedger(owners, workload, /*recorded=*/true, call.ledger());
  }
  if (native.has_value()) ShowNative(call, *std::move(native));
  // Once, whoever wrote: a ledger may leave its bounds without a new record, by
  // the workload's UID, or because somebody edited it.
  BoundLedger(call.compiled(), call.ledger());
  // What was found under a watch that ended the call may be wrong.
  if (!patterns.CheckNow().ok()) return patterns.CheckNow();
  if (patterns.used_up()) call.Warn(kPatternsUsedUp);

  NameAnswer(call, std::move(id.id));
  TellPeople(request, *policy, response);
  return absl::OkStatus();
}

// When the report was observed: as it says, else `now`, with a warning.
template <typename Response>
const google::protobuf::Timestamp& ObservedAt(
    const v1::FailureReport& report, const google::protobuf::Timestamp& now,
    Response& response) {
  if (report.has_observed_at()) return report.observed_at();
  response.add_warnings(kNoObservedAt);
  return now;
}

}  // namespace

absl::Status Decide(const v1::DecideRequest& request, const PolicySet& policies,
                    const google::protobuf::Timestamp& now,
                    v1::DecideResponse& response,
                    const DecideOptions& options) {
  if (absl::Status status = RefuseViolations(Validate(request)); !status.ok()) {
    return status;
  }
  const auto& observed_at = ObservedAt(request.report(), now, response);
  const OfOneWorkload own(request, observed_at, response);
  if (absl::Status status = DecideValid(*own, own.as_stamped(), observed_at,
                                        policies, options, response);
      !status.ok()) {
    return status;
  }
  own.Restore(*response.mutable_diagnosis());
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
  DemystifyOptions options;
  options.now = ObservedAt(request.report(), now, response);
  const OfOneWorkload own(request, options.now, response);
  const v1::FailureReport& report = (*own).report();
  const absl::StatusOr<ChosenPolicy> policy = ChoosePolicy(
      request, WorkloadOf(report), policies, call_options.inline_policies);
  if (!policy.ok()) return policy.status();
  options.signatures = policy->rules->compiled().signatures.get();
  options.full = true;
  PatternAllowance patterns(kMaxPatternSteps, call_options.watch);
  options.patterns = &patterns;
  Findings findings =
      Demystify(Owners(report), options, *response.mutable_diagnosis());
  if (!patterns.CheckNow().ok()) return patterns.CheckNow();
  Tell({.report = report,
        .own_remedy = OwnRemedy(*policy, response.diagnosis())},
       *response.mutable_diagnosis());
  own.Restore(*response.mutable_diagnosis());
  for (std::string& warning : findings.warnings) {
    AddWarning(std::move(warning), *response.mutable_warnings());
  }
  if (patterns.used_up()) response.add_warnings(kPatternsUsedUp);
  response.mutable_policy()->set_name(policy->rules->name());
  response.mutable_policy()->set_revision(policy->revision());
  return absl::OkStatus();
}

}  // namespace mulligan
