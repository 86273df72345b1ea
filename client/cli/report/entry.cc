#include "client/cli/report/entry.h"

#include <algorithm>
#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "absl/strings/numbers.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_split.h"
#include "absl/time/civil_time.h"
#include "absl/time/time.h"
#include "client/cli/input/workload_groups.h"
#include "client/cli/report/sums.h"
#include "client/cli/story/wording.h"
#include "policy/base/stable_hash.h"
#include "policy/base/times.h"
#include "policy/decide.h"
#include "policy/native.h"
#include "policy/request/workload.h"

namespace mulligan::cli {
namespace {

constexpr std::string_view kZoneLabel = "topology.kubernetes.io/zone";

struct Subject {
  v1::WorkloadReference workload;
  // Hash of the UID, else of the name, else of the failure id, so that each
  // failure is its own workload.
  std::uint64_t key = 0;
  std::string label;
  std::string team;
  bool is_labelled = false;
  // The operator whose rule was evaluated; empty if none was.
  std::string who;
};

// Returns the UID of the first failure's object. A retry may be another object,
// and a ledger that was passed on lacks the first UID. But
// mulligan-controller's failure ids have it, "KIND/UID/GENERATION". Empty for
// other ids.
std::string FirstUid(const v1::BudgetLedger& ledger, std::string_view kind) {
  if (ledger.history().empty() || kind.empty()) return "";
  const std::vector<std::string> parts =
      absl::StrSplit(ledger.history(0).failure_id(), '/');
  std::int64_t generation = 0;
  const bool is_controllers = parts.size() == 3 && parts[0] == kind &&
                              absl::SimpleAtoi(parts[2], &generation);
  return is_controllers ? parts[1] : "";
}

Subject SubjectOf(const v1::DecideRequest& request,
                  const std::string& failure_id,
                  const std::string& team_label) {
  Subject subject;
  subject.workload = WorkloadOf(request.report());
  const v1::WorkloadReference& workload = subject.workload;
  subject.label =
      WorkloadLabel(workload.kind(), workload.namespace_(), workload.name());
  const std::string first = FirstUid(request.ledger(), workload.kind());
  const std::string& account = request.ledger().workload_uid();
  StableHash hash;
  hash.Add(!first.empty()             ? first
           : !account.empty()         ? account
           : !workload.uid().empty()  ? workload.uid()
           : !workload.name().empty() ? subject.label
                                      : failure_id);
  subject.key = hash.value();
  const auto label = workload.labels().find(team_label);
  subject.is_labelled =
      label != workload.labels().end() && !label->second.empty();
  subject.team = subject.is_labelled ? label->second : workload.namespace_();
  return subject;
}

// Returns the image of the culprit container, or of a pod's only container.
std::string_view ImageOf(const v1::FailureReport& report,
                         const v1::Culprit& culprit) {
  for (const auto& pod : report.pods()) {
    if (pod.metadata().name() != culprit.pod()) continue;
    for (const auto& container : pod.spec().containers()) {
      if (container.name() == culprit.container() ||
          pod.spec().containers_size() == 1) {
        return container.image();
      }
    }
  }
  return "";
}

std::string_view ZoneOf(const v1::FailureReport& report,
                        std::string_view node) {
  for (const auto& known : report.nodes()) {
    if (known.metadata().name() != node) continue;
    const auto& labels = known.metadata().labels();
    const auto zone = labels.find(std::string(kZoneLabel));
    return zone == labels.end() ? std::string_view() : zone->second;
  }
  return "";
}

bool IsPlatforms(v1::Diagnosis::FaultDomain domain) {
  return domain == v1::Diagnosis::INFRASTRUCTURE ||
         domain == v1::Diagnosis::DISRUPTION ||
         domain == v1::Diagnosis::QUEUE ||
         domain == v1::Diagnosis::CONTROL_PLANE;
}

// Returns whether the retry can only end like the attempt before it.
bool IsLasting(const v1::Diagnosis& diagnosis, const v1::Decision& decision) {
  return diagnosis.outlook() == v1::Diagnosis::CANNOT_RECOVER &&
         decision.resources().empty();
}

std::string SignOf(const v1::Diagnosis& diagnosis) {
  const std::string& node = diagnosis.culprit().node();
  if (diagnosis.derived_cause() == v1::BAD_NODE && !node.empty()) {
    return absl::StrCat("node ", node);
  }
  const std::string& cause = v1::Cause_Name(diagnosis.cause());
  return diagnosis.signature().empty()
             ? cause
             : absl::StrCat(cause, ", ", diagnosis.signature());
}

// Returns "2026-11-23".
std::string WeekOf(absl::Time time) {
  const absl::CivilDay day = absl::ToCivilDay(time, absl::UTCTimeZone());
  return absl::FormatCivilTime(
      absl::PrevWeekday(day + 1, absl::Weekday::monday));
}

std::uint64_t HashOf(std::string_view text) {
  return StableHash().Add(text).value();
}

std::uint8_t Small(v1::Decision::Action action) {
  return static_cast<std::uint8_t>(action);
}

ToldEntry EntryOf(const v1::DecisionRecord& record, const Subject& subject,
                  const std::string& failure_id, const v1::Diagnosis& diagnosis,
                  const v1::Decision& decision, const std::string& budget,
                  Names& names) {
  const v1::FailureReport& report = record.request().report();
  ToldEntry told = {{}, subject.label, &diagnosis, subject.is_labelled};
  Entry& entry = told.entry;
  entry.workload = subject.key;
  entry.failure = HashOf(failure_id);
  entry.observed = absl::ToUnixNanos(ToTime(report.observed_at()));
  entry.decided = absl::ToUnixNanos(ToTime(record.decided_at()));
  entry.completed = diagnosis.situation() == v1::Diagnosis::FINISHED;
  entry.spent = entry.completed ? CompletedIn(report)
                                : LostIn(report, diagnosis, decision);
  AtKey(entry.actions, Decider::kRecorded) = Small(decision.action());
  entry.by_platform = IsPlatforms(diagnosis.fault_domain());
  entry.lasting = IsLasting(diagnosis, decision);

  const std::string& node = diagnosis.culprit().node();
  const std::string sign = SignOf(diagnosis);
  const std::string week = WeekOf(ToTime(report.observed_at()));
  const std::string_view by[kBys] = {
      v1::Cause_Name(diagnosis.cause()),
      v1::Diagnosis::FaultDomain_Name(diagnosis.fault_domain()),
      subject.team,
      subject.workload.kind(),
      subject.who,
      node,
      ZoneOf(report, node),
      ImageOf(report, diagnosis.culprit()),
      budget,
      sign,
      week};
  StableHash content;
  content.Add(told.workload);
  for (const std::string_view name : by) content.Add(name);
  entry.content = content.value();
  std::ranges::transform(
      by, entry.names.begin(),
      [&names](std::string_view name) { return names.NumberOf(name); });
  return told;
}

// Returns no operator and no action if no operator's object was reported.
NativeOutcome NativeAnswer(const v1::DecideRequest& request) {
  const NativeInput input = {request.report(), request.ledger(),
                             v1::NativeSemantics::default_instance(),
                             request.report().observed_at()};
  return AnswerNatively(input).value_or(NativeOutcome());
}

}  // namespace

LineKind LineKindOf(const v1::DecideResponse& response) {
  const v1::Diagnosis& diagnosis = response.diagnosis();
  if (diagnosis.situation() == v1::Diagnosis::BROKEN) {
    return response.accounting().duplicate() ? LineKind::kRepeated
                                             : LineKind::kFailure;
  }
  return diagnosis.situation() == v1::Diagnosis::FINISHED &&
                 diagnosis.cause() == v1::SUCCEEDED
             ? LineKind::kCompleted
             : LineKind::kOther;
}

std::vector<ToldEntry> EntriesOf(const v1::DecisionRecord& record,
                                 const EntrySettings& settings, Names& names) {
  const v1::DecideResponse& response = record.response();
  const LineKind kind = LineKindOf(response);
  if (kind == LineKind::kRepeated || kind == LineKind::kOther) return {};
  const NativeOutcome native = kind == LineKind::kFailure
                                   ? NativeAnswer(record.request())
                                   : NativeOutcome();
  Subject subject =
      SubjectOf(record.request(), response.failure_id(), settings.team_label);
  subject.who = native.verdict.operator_();
  const v1::Accounting& accounting = response.accounting();
  const bool limited = accounting.has_exhaustion();
  std::vector<ToldEntry> entries = {EntryOf(
      record, subject, response.failure_id(), response.diagnosis(),
      response.decision(),
      limited ? LimitName(accounting.exhaustion()) : accounting.charged_to(),
      names)};
  if (kind == LineKind::kCompleted) return entries;
  Entry& first = entries.front().entry;
  first.units = static_cast<std::uint8_t>(accounting.units());
  first.exhausted = limited;
  AtKey(first.actions, Decider::kNative) = Small(native.action);
  if (settings.candidate != nullptr) {
    v1::DecideResponse other;
    // The recorded call decided for the caller, even if its server was older.
    v1::DecideRequest request = record.request();
    request.set_replaces_operator(response.diagnosis().situation() ==
                                  v1::Diagnosis::BROKEN);
    if (Decide(request, *settings.candidate, record.decided_at(), other).ok()) {
      AtKey(first.actions, Decider::kCandidate) =
          Small(other.decision().action());
    }
  }
  for (const v1::SeparateFailure& separate : response.separate()) {
    if (separate.duplicate()) continue;
    entries.push_back(EntryOf(record, subject, separate.failure_id(),
                              separate.diagnosis(), separate.decision(),
                              separate.charged_to(), names));
    entries.back().entry.units = separate.charged_to().empty() ? 0 : 1;
    entries.back().entry.separate = true;
  }
  return entries;
}

}  // namespace mulligan::cli
