#include "client/cli/report/entry.h"

#include <algorithm>
#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "absl/container/flat_hash_set.h"
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
#include "policy/wording.h"

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

// Returns the UID of the first failure's object, from mulligan-controller's
// failure ids ("KIND/UID/GENERATION"); empty for other ids. A retry may be
// another object, and a ledger that was passed on lacks the first UID.
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

// Returns whether the retry must fail like the attempt before it.
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

SourcedEntry EntryOf(const v1::DecisionRecord& record, const Subject& subject,
                     const std::string& failure_id,
                     const v1::Diagnosis& diagnosis,
                     const v1::Decision& decision, const std::string& budget,
                     Names& names) {
  const v1::FailureReport& report = record.request().report();
  SourcedEntry sourced = {{}, subject.label, &diagnosis, subject.is_labelled};
  Entry& entry = sourced.entry;
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
  content.Add(sourced.workload);
  for (const std::string_view name : by) content.Add(name);
  entry.content = content.value();
  std::ranges::transform(
      by, entry.names.begin(),
      [&names](std::string_view name) { return names.NumberOf(name); });
  return sourced;
}

// Returns no operator and no action if no operator's object was reported.
NativeOutcome NativeAnswer(const v1::DecideRequest& request) {
  const NativeInput input = {request.report(), request.ledger(),
                             v1::NativeSemantics::default_instance(),
                             request.report().observed_at()};
  return AnswerNatively(input).value_or(NativeOutcome());
}

// Returns the records that the answer added to the ledger, except those of
// failures in the answer.
std::vector<const v1::AttemptRecord*> AddedRecords(
    const v1::DecisionRecord& record) {
  const v1::DecideResponse& response = record.response();
  absl::flat_hash_set<std::string_view> known;
  for (const auto& before : record.request().ledger().history()) {
    known.insert(before.failure_id());
  }
  for (const v1::SeparateFailure& separate : response.separate()) {
    known.insert(separate.failure_id());
  }
  std::vector<const v1::AttemptRecord*> added;
  for (const v1::AttemptRecord& one : response.ledger().history()) {
    if (one.retried_by() != v1::AttemptRecord::RETRIED_BY_UNSPECIFIED &&
        !known.contains(one.failure_id())) {
      added.push_back(&one);
    }
  }
  return added;
}

const google::protobuf::Timestamp& EndOf(const v1::AttemptRecord& record) {
  return record.has_finished_at() ? record.finished_at() : record.observed_at();
}

// Returns what the ledger knows of a failure.
v1::Diagnosis DiagnosisOf(const v1::AttemptRecord& record) {
  v1::Diagnosis diagnosis;
  diagnosis.set_situation(v1::Diagnosis::ALIVE);
  diagnosis.set_cause(record.cause());
  diagnosis.set_fault_domain(FaultDomainOf(record.cause()));
  diagnosis.mutable_culprit()->set_node(record.node());
  *diagnosis.mutable_finished_at() = EndOf(record);
  return diagnosis;
}

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

// Fills the entries of one line.
class EntryReader {
 public:
  EntryReader(const v1::DecisionRecord& record, const EntrySettings& settings,
              Names& names)
      : record_(record), settings_(settings), names_(names) {
    line_.kind = LineKindOf(record.response());
  }

  LineEntries Read() && {
    if (line_.kind == LineKind::kRepeated) return std::move(line_);
    const v1::DecideResponse& response = record_.response();
    const bool braked = IsBraked();
    const std::vector<const v1::AttemptRecord*> added = AddedRecords(record_);
    if (line_.kind == LineKind::kOther && added.empty() && !braked) {
      return std::move(line_);
    }
    subject_ = SubjectOf(record_.request(), response.failure_id(),
                         settings_.team_label);
    if (line_.kind != LineKind::kCompleted) {
      native_ = NativeAnswer(record_.request());
      subject_.who = native_.verdict.operator_();
    }
    if (line_.kind == LineKind::kCompleted) {
      Add(response.failure_id(), response.diagnosis(), response.decision(), "");
    } else if (line_.kind == LineKind::kFailure) {
      AddDecided();
    }
    for (const v1::AttemptRecord* one : added) AddRetried(*one);
    if (braked) AddBraked();
    if (line_.kind == LineKind::kOther && !added.empty()) {
      line_.kind = LineKind::kFailure;
    }
    return std::move(line_);
  }

 private:
  bool IsBraked() const {
    const v1::DecideResponse& response = record_.response();
    return response.explanation().decided_by() == v1::Explanation::BRAKE &&
           response.decision().action() != v1::Decision::RETRY &&
           response.ledger().history_size() > 0;
  }

  Entry& Add(const std::string& failure_id, const v1::Diagnosis& diagnosis,
             const v1::Decision& decision, const std::string& budget) {
    line_.entries.push_back(EntryOf(record_, subject_, failure_id, diagnosis,
                                    decision, budget, names_));
    return line_.entries.back().entry;
  }

  void AddDecided() {
    const v1::DecideResponse& response = record_.response();
    const v1::Accounting& accounting = response.accounting();
    const bool limited = accounting.has_exhaustion();
    Entry& first = Add(
        response.failure_id(), response.diagnosis(), response.decision(),
        limited ? LimitName(accounting.exhaustion()) : accounting.charged_to());
    first.units = static_cast<std::uint8_t>(accounting.units());
    first.exhausted = limited;
    AtKey(first.actions, Decider::kNative) = Small(native_.action);
    AtKey(first.actions, Decider::kCandidate) = CandidateAction(
        response.diagnosis().situation() == v1::Diagnosis::BROKEN);
    for (const v1::SeparateFailure& separate : response.separate()) {
      if (separate.duplicate()) continue;
      Entry& one = Add(separate.failure_id(), separate.diagnosis(),
                       separate.decision(), separate.charged_to());
      one.units = separate.charged_to().empty() ? 0 : 1;
      one.separate = true;
    }
  }

  // The operator retried it regardless of the answer.
  void AddRetried(const v1::AttemptRecord& one) {
    const v1::DecideResponse& response = record_.response();
    const bool is_current = &one == &*response.ledger().history().rbegin() &&
                            one.cause() == response.diagnosis().cause();
    const v1::Diagnosis remembered = DiagnosisOf(one);
    v1::Decision retry;
    retry.set_action(v1::Decision::RETRY);
    if (one.retried_by() == v1::AttemptRecord::KUBELET || !one.part().empty()) {
      retry.set_scope(v1::Decision::POD);
    }
    Entry& entry =
        Add(one.failure_id(), is_current ? response.diagnosis() : remembered,
            retry, one.charged_to());
    if (!is_current) line_.entries.back().diagnosis = nullptr;
    entry.units = one.charged_to().empty() ? 0 : 1;
    entry.observed =
        std::min(entry.observed, absl::ToUnixNanos(ToTime(EndOf(one))));
    AtKey(entry.actions, Decider::kNative) = Small(v1::Decision::RETRY);
    AtKey(entry.actions, Decider::kCandidate) = CandidateAction(true);
  }

  // Marks the latest failure of the loop.
  void AddBraked() {
    const v1::DecideResponse& response = record_.response();
    const v1::AttemptRecord& last = *response.ledger().history().rbegin();
    auto known = std::ranges::find_if(line_.entries, [&](const auto& sourced) {
      return sourced.entry.failure == HashOf(last.failure_id());
    });
    if (known == line_.entries.end()) {
      AddRetried(last);
      known = std::prev(line_.entries.end());
    }
    known->entry.braked = true;
    known->entry.left = std::clamp(
        native_.verdict.limit() - native_.verdict.used(), 0, kMaxLeft);
  }

  std::uint8_t CandidateAction(bool broken) const {
    if (settings_.candidate == nullptr) return 0;
    v1::DecideResponse other;
    // The recorded call decided for the caller, even if its server was older.
    v1::DecideRequest request = record_.request();
    request.set_replaces_operator(broken);
    return Decide(request, *settings_.candidate, record_.decided_at(), other)
                   .ok()
               ? Small(other.decision().action())
               : 0;
  }

  // A higher number would dominate all sums.
  static constexpr std::int32_t kMaxLeft = 100;

  const v1::DecisionRecord& record_;
  const EntrySettings& settings_;
  Names& names_;
  Subject subject_;
  NativeOutcome native_;
  LineEntries line_;
};

}  // namespace

LineEntries EntriesOf(const v1::DecisionRecord& record,
                      const EntrySettings& settings, Names& names) {
  return EntryReader(record, settings, names).Read();
}

}  // namespace mulligan::cli
