#include "policy/answer/answer.h"

#include <algorithm>
#include <cstdint>
#include <string>
#include <string_view>
#include <utility>

#include "absl/strings/str_cat.h"
#include "absl/strings/str_format.h"
#include "policy/answer/diagnosis_writer.h"
#include "policy/answer/native_decision.h"
#include "policy/answer/parts.h"
#include "policy/answer/paths.h"
#include "policy/answer/separate.h"
#include "policy/base/stable_hash.h"
#include "policy/base/warnings.h"
#include "policy/budget/ledger.h"
#include "policy/demystify/evidence.h"
#include "policy/demystify/judged.h"
#include "policy/verdict/earlier_attempts.h"
#include "policy/verdict/ledger_owner.h"
#include "policy/words/advice.h"
#include "policy/words/sentences.h"

namespace mulligan {
namespace {

std::uint64_t HashLedger(const v1::BudgetLedger& ledger) {
  StableHash hash;
  hash.Add(ledger.workload_uid())
      .Add(static_cast<std::uint64_t>(ledger.attempts_seen()))
      .Add(static_cast<std::uint64_t>(ledger.history_size()));
  for (const v1::AttemptRecord& record : ledger.history()) {
    hash.Add(record.failure_id());
  }
  std::uint64_t budgets = 0;  // a sum, because maps have no order
  for (const auto& [name, use] : ledger.budgets()) {
    budgets += StableHash()
                   .Add(name)
                   .Add(static_cast<std::uint64_t>(use.used()))
                   .Add(static_cast<std::uint64_t>(use.refunded()))
                   .value();
  }
  return hash.Add(budgets).value();
}

// REQUIRES: response.policy is filled.
std::string DecisionId(const v1::DecideRequest& request,
                       const v1::DecideResponse& response,
                       const Failure& failure, const std::string& failure_id,
                       absl::Time observed_at) {
  StableHash hash;
  hash.Add(response.policy().name())
      .Add(response.policy().revision())
      .Add(failure_id)
      .Add(static_cast<std::uint64_t>(request.report().attempt()))
      .Add(static_cast<std::uint64_t>(absl::ToUnixNanos(observed_at)))
      .Add(HashLedger(request.ledger()))
      .Add(static_cast<std::uint64_t>(failure.cause))
      .Add(static_cast<std::uint64_t>(failure.confidence))
      .Add(failure.signature)
      .Add(failure.fingerprint)
      .Add(failure.culprit.pod)
      .Add(failure.culprit.container)
      .Add(failure.culprit.node)
      .Add(static_cast<std::uint64_t>(failure.derived_cause))
      .Add(failure.derived_reason);
  std::string id = "d-";
  AppendHex(hash.value(), id);
  return id;
}

void AddWarnings(const std::vector<std::string>& texts,
                 google::protobuf::RepeatedPtrField<std::string>& warnings) {
  for (const std::string& text : texts) AddWarning(text, warnings);
}

// Adds the reported cause if the ledger's cause replaced it.
void WriteSetAside(const FailureContext& at, const Diagnosed& diagnosed,
                   v1::Diagnosis& diagnosis) {
  const Failure& failure = diagnosed.what();
  if (!failure.set_aside) return;
  const auto consider = [&](const char* why_not) {
    v1::ConsideredCause& considered = *diagnosis.add_considered();
    considered.set_cause(*failure.set_aside);
    considered.set_why_not(why_not);
  };
  switch (diagnosed.status) {
    case LedgerStatus::kOvertaken:
      consider("the attempt was decided before");
      diagnosis.set_summary(
          "This failure was decided before, and the whole workload was given "
          "up or started again since");
      return;
    case LedgerStatus::kPast:
      consider("the attempt was decided before");
      diagnosis.set_summary(
          absl::StrFormat("Attempt %d or a later one was already decided under "
                          "another failure id",
                          at.report().attempt()));
      return;
    case LedgerStatus::kDecided:
    case LedgerStatus::kReopened:
      consider("it was decided before, when more was known");
      diagnosis.set_summary(absl::StrCat(
          diagnosed.status == LedgerStatus::kDecided ? "Decided" : "Reported",
          " before, when more was known, as ", words::CauseText(failure.cause),
          "; now: ", diagnosis.summary()));
      return;
    default:
      diagnosis.set_summary(absl::StrCat(
          "The previous attempt ended (", words::CauseText(failure.cause),
          failure.alike > 1 ? absl::StrCat("); ", failure.outlook_reason, ".")
                            : "), and the next one goes on."));
  }
}

Detail DetailOf(const v1::DecideRequest& request) {
  switch (static_cast<int>(request.explain())) {
    case v1::DecideRequest::EXPLAIN_NONE:
      return Detail::kCodes;
    case v1::DecideRequest::FULL:
      return Detail::kFull;
    default:
      return Detail::kSummary;
  }
}

// Returns the advice of an organisation's own signature, if one decided.
std::string_view OwnRemedy(const ChosenPolicy& policy, const Failure& failure) {
  const auto& signatures = policy.rules->compiled().signatures;
  return signatures == nullptr ? std::string_view()
                               : signatures->RemedyOf(failure.signature);
}

// Completes the ledger that the caller is to store.
void FinishLedger(const FailureContext& at, v1::BudgetLedger& ledger) {
  if (ledger.attempts_seen() != at.request.ledger().attempts_seen()) {
    TieLedger(at.ledger_owner, /*recorded=*/true, ledger);
  }
  // A ledger can exceed its bounds without a new record: by the workload's UID
  // or by edits of the caller.
  BoundLedger(at.compiled(), ledger);
}

// Fills the problem and the first step; comes last.
void Advise(const words::Answered& answered, v1::Diagnosis& diagnosis) {
  words::Advice advice = words::Advise(answered);
  diagnosis.set_problem(std::move(advice.problem));
  if (!advice.quote.value().empty()) {
    *diagnosis.mutable_problem_evidence() = std::move(advice.quote);
  }
  if (!advice.first_step.text().empty()) {
    *diagnosis.mutable_first_step() = std::move(advice.first_step);
  }
}

void AdviseOnAll(const FailureContext& at, const Diagnosed& diagnosed,
                 const std::vector<OpenFailure>& open,
                 v1::DecideResponse& response) {
  Advise({.owners = at.owners,
          .workload = *at.workload,
          .failure = diagnosed.what(),
          .diagnosis = response.diagnosis(),
          .decision = response.decision(),
          .ledger = response.ledger(),
          .failure_id = response.failure_id(),
          .native = response.has_native() ? &response.native() : nullptr,
          .own_remedy = OwnRemedy(at.policy, diagnosed.what())},
         *response.mutable_diagnosis());
  for (int i = 0; i < response.separate_size(); ++i) {
    v1::SeparateFailure& one = *response.mutable_separate(i);
    const Failure& failure = *open[static_cast<std::size_t>(i)].failure;
    Advise({.owners = at.owners,
            .workload = *at.workload,
            .failure = failure,
            .diagnosis = one.diagnosis(),
            .decision = one.decision(),
            .ledger = response.ledger(),
            .failure_id = one.failure_id(),
            .own_remedy = OwnRemedy(at.policy, failure)},
           *one.mutable_diagnosis());
  }
}

// Sets the policy and the ids of failure, decision and request. The decision id
// is a hash of policy and revision, failure id, attempt, time, ledger and
// failure, so equal requests under equal policies have equal ids.
void NameAnswer(const FailureContext& at, const Diagnosed& diagnosed,
                v1::DecideResponse& response) {
  response.mutable_policy()->set_name(at.policy.rules->name());
  response.mutable_policy()->set_revision(at.policy.revision());
  response.set_decision_id(DecisionId(at.request, response, diagnosed.what(),
                                      diagnosed.id.id, at.now));
  response.set_failure_id(diagnosed.id.id);
  response.set_request_id(at.request.request_id());
}

}  // namespace

void WriteAnswer(const SanitizedRequest<v1::DecideRequest>& sanitized,
                 FailureContext& at, const Diagnosed& diagnosed,
                 Decided decided, v1::DecideResponse& response) {
  auto& warnings = *response.mutable_warnings();
  AddWarnings(sanitized.warnings(), warnings);
  AddWarnings(at.warnings, warnings);
  AddWarnings(diagnosed.findings.warnings, warnings);
  AddWarnings(decided.warnings, warnings);
  v1::Diagnosis& diagnosis = *response.mutable_diagnosis();
  WriteDiagnosis(diagnosed.findings, diagnosed.what(), DetailOf(at.request),
                 diagnosis);
  if (at.explains()) WriteSetAside(at, diagnosed, diagnosis);
  response.set_allocated_decision(decided.decision.release());
  response.set_allocated_accounting(decided.accounting.release());
  response.set_allocated_explanation(decided.explanation.release());
  response.set_allocated_ledger(decided.ledger.release());
  std::vector<OpenFailure> open;
  if (!diagnosed.findings.earlier.empty() && !at.decides_natively()) {
    open = OpenFailuresIn(at, diagnosed.findings, response.ledger());
    AgreeOnWhole(at, open, diagnosed.id.id, response);
    FillSeparate(at, diagnosed.findings, open, response);
  }
  if (at.explains()) {
    const v1::AttemptRecord& record =
        decided.record < 0 ? *decided.unrecorded
                           : response.ledger().history(decided.record);
    FillTexts(diagnosis, record, response.accounting().stake(),
              *response.mutable_decision());
  }
  FinishLedger(at, *response.mutable_ledger());
  if (at.native.has_value()) ShowNative(*std::move(at.native), response);
  if (at.patterns.used_up()) AddWarning(kPatternsUsedUp, warnings);
  NameAnswer(at, diagnosed, response);
  if (at.explains()) AdviseOnAll(at, diagnosed, open, response);
  if (at.report().has_ended_attempt()) {
    RestorePaths(at.report().ended_attempt(), diagnosis);
  }
  RestorePaths(sanitized.unread(), diagnosis);
  for (v1::SeparateFailure& one : *response.mutable_separate()) {
    RestorePaths(sanitized.unread(), *one.mutable_diagnosis());
  }
}

void WriteAnswer(const SanitizedRequest<v1::DemystifyRequest>& sanitized,
                 const Owners& owners, const v1::WorkloadReference& workload,
                 const ChosenPolicy& policy, const Findings& findings,
                 v1::DemystifyResponse& response) {
  v1::Diagnosis& diagnosis = *response.mutable_diagnosis();
  WriteDiagnosis(findings, findings.failure, Detail::kFull, diagnosis);
  Advise({.owners = owners,
          .workload = workload,
          .failure = findings.failure,
          .diagnosis = diagnosis,
          .own_remedy = OwnRemedy(policy, findings.failure)},
         diagnosis);
  if (sanitized.report().has_ended_attempt()) {
    RestorePaths(sanitized.report().ended_attempt(), diagnosis);
  }
  RestorePaths(sanitized.unread(), diagnosis);
  AddWarnings(sanitized.warnings(), *response.mutable_warnings());
  AddWarnings(findings.warnings, *response.mutable_warnings());
  response.mutable_policy()->set_name(policy.rules->name());
  response.mutable_policy()->set_revision(policy.revision());
}

}  // namespace mulligan
