#include "client/cli/report/report.h"

#include <algorithm>
#include <cstdint>
#include <deque>
#include <functional>
#include <memory>
#include <string_view>
#include <tuple>
#include <utility>

#include "absl/status/status.h"
#include "absl/time/time.h"
#include "client/cli/base/errors.h"
#include "client/cli/input/workload_groups.h"
#include "client/cli/report/entry_store.h"
#include "client/cli/report/gathered.h"
#include "client/cli/report/past_reports.h"
#include "policy/base/times.h"
#include "policy/decide.h"

namespace mulligan::cli {
namespace {

bool IsCostlier(const Exhibit& a, const Exhibit& b) {
  const auto key = [](const Exhibit& of) {
    return std::tuple(-of.lost.accelerator, -of.lost.core, -of.lost.pod,
                      of.observed, std::string_view(of.workload), of.key,
                      std::string_view(of.problem),
                      std::string_view(of.first_step.text()));
  };
  return key(a) < key(b);
}

// The operator has acted, so its action is what was done, and the policies'
// answer is the candidate.
void SetDone(v1::Decision::Action done, Entry& entry) {
  AtKey(entry.actions, Decider::kCandidate) =
      AtKey(entry.actions, Decider::kRecorded);
  AtKey(entry.actions, Decider::kRecorded) =
      AtKey(entry.actions, Decider::kNative) = static_cast<std::uint8_t>(done);
}

// Callers' clocks differ and questions may be old, but by no more than this.
constexpr absl::Duration kMaxAhead = absl::Hours(24);
constexpr absl::Duration kMaxBehind = absl::Hours(366 * 24);
// Cores or accelerators of a pod; no node has as many.
constexpr std::int64_t kMaxHeld = 1'000'000;

// Rejects impossible times, which would distort everything shown by time.
absl::Status CheckTime(const v1::DecisionRecord& record) {
  const absl::Time observed = ToTime(record.request().report().observed_at());
  // Without decidedAt, any year that nanoseconds can hold is accepted.
  const absl::Time decided =
      record.has_decided_at() ? ToTime(record.decided_at()) : observed;
  const char* const wrong =
      observed > decided + kMaxAhead    ? "is more than a day after decidedAt"
      : observed < decided - kMaxBehind ? "is more than a year before decidedAt"
      : observed < absl::UnixEpoch() ||
              observed > absl::FromUnixNanos(INT64_MAX)
          ? "is not valid; expected a time from 1970 to 2262"
          : nullptr;
  if (wrong == nullptr) return absl::OkStatus();
  return Invalid(
      "report.observedAt: %s %s",
      absl::FormatTime("%E4Y-%m-%dT%H:%M:%SZ", observed, absl::UTCTimeZone()),
      wrong);
}

absl::Status CheckSpent(const std::vector<SourcedEntry>& entries) {
  for (const SourcedEntry& sourced : entries) {
    const Spent& spent = sourced.entry.spent;
    if (std::max(spent.accelerator, spent.core) / kMaxHeld > spent.pod) {
      return Invalid(
          "report.pods: request more than %s accelerators or cores each, which "
          "no node has, or invalid amounts",
          WithCommas(kMaxHeld));
    }
  }
  return absl::OkStatus();
}

class ReportSink : public RecordSink {
 public:
  ReportSink(const ReportSettings& settings, Names& names)
      : settings_(settings),
        names_(names),
        store_(std::make_unique<EntryStore>(settings.most_bytes /
                                            settings.threads)) {}

  void Take(const v1::DecisionRecord& record, const LogPosition& place,
            google::protobuf::Arena&) override {
    if (record.request().report().has_observed_at()) {
      return Add(record, place, nullptr);
    }
    if (!record.has_decided_at()) {
      return TakeBad(place,
                     "report.observedAt: is missing, and decidedAt is, too");
    }
    // A server uses its own time if observed_at is absent.
    v1::DecisionRecord observed = record;
    *observed.mutable_request()->mutable_report()->mutable_observed_at() =
        record.decided_at();
    Add(observed, place, nullptr);
  }

  // Like Take(), if the operator's action is known and the answer is another
  // side's.
  void TakeDone(const v1::DecisionRecord& record, const LogPosition& place,
                v1::Decision::Action done) {
    Add(record, place, &done);
  }

  void TakeBad(const LogPosition& place, std::string why) override {
    ++counts_.bad_lines;
    counts_.bad.Add(place, std::move(why));
  }

  // Moves everything into `gathered`. The sink must not be used afterwards.
  void HandOver(Gathered& gathered) {
    static_cast<LineCounts&>(gathered.read) += counts_;
    AddTo(gathered.examples, examples_);
    gathered.stores.push_back(std::move(store_));
  }

 private:
  void Add(const v1::DecisionRecord& record, const LogPosition& place,
           const v1::Decision::Action* done) {
    if (const absl::Status time = CheckTime(record); !time.ok()) {
      return TakeBad(place, std::string(time.message()));
    }
    if (!IsWanted(record)) {
      ++counts_.left_out;
      return;
    }
    auto [kind, entries] = EntriesOf(record, settings_.entries, names_);
    if (const absl::Status spent = CheckSpent(entries); !spent.ok()) {
      return TakeBad(place, std::string(spent.message()));
    }
    if (kind == LineKind::kRepeated) ++counts_.repeated;
    if (kind == LineKind::kOther) ++counts_.others;
    if (kind == LineKind::kCompleted) ++counts_.good_ends;
    for (SourcedEntry& sourced : entries) {
      if (sourced.is_labelled) ++counts_.labelled;
      if (done != nullptr) SetDone(*done, sourced.entry);
      store_->Add(sourced.entry, sourced.workload);
      if (sourced.entry.completed || sourced.diagnosis == nullptr) continue;
      const v1::Diagnosis& diagnosis = *sourced.diagnosis;
      examples_[AtKey(sourced.entry.names, By::kSign)].Add(
          {sourced.entry.workload, sourced.workload,
           WholeSeconds(sourced.entry.observed), sourced.entry.spent,
           diagnosis.problem().empty() ? diagnosis.summary()
                                       : diagnosis.problem(),
           diagnosis.first_step()});
    }
  }

  bool IsWanted(const v1::DecisionRecord& record) const {
    const std::int64_t observed =
        record.request().report().observed_at().seconds();
    return observed >= settings_.since && observed < settings_.until;
  }

  const ReportSettings& settings_;
  Names& names_;
  std::unique_ptr<EntryStore> store_;
  SignExhibits examples_;
  LineCounts counts_;
};

Count RestartsInPlace(const v1::FailureReport& report) {
  Count restarts = 0;
  for (const auto& pod : report.pods()) {
    for (const auto& container : pod.status().container_statuses()) {
      restarts += std::max(0, container.restart_count());
    }
  }
  return restarts;
}

}  // namespace

void Exhibits::Add(Exhibit example) {
  if (all_.size() == most_ && !IsCostlier(example, all_.back())) return;
  const auto same = std::ranges::find(all_, example.key, &Exhibit::key);
  if (same != all_.end()) {
    if (!IsCostlier(example, *same)) return;
    all_.erase(same);
  }
  all_.insert(std::ranges::upper_bound(all_, example, IsCostlier),
              std::move(example));
  if (all_.size() > most_) all_.pop_back();
}

Exhibits& Exhibits::operator+=(const Exhibits& other) {
  for (const Exhibit& example : other.all_) Add(example);
  return *this;
}

Unit Report::unit() const {
  if (all.lost.accelerator > 0) return Unit::kAccelerator;
  return all.lost.core > 0 ? Unit::kCore : Unit::kPod;
}

void Gather(LogBlocks& logs, const ReportSettings& settings,
            Gathered& gathered) {
  std::deque<ReportSink> sinks;
  std::vector<RecordSink*> readers;
  for (unsigned i = 0; i < settings.threads; ++i) {
    readers.push_back(&sinks.emplace_back(settings, gathered.names));
  }
  gathered.read.lines = ReadRecords(logs, settings.read, readers);
  const PolicySet* const candidate = settings.entries.candidate;
  gathered.made_with = settings.flags;
  if (candidate != nullptr) {
    gathered.made_with->emplace(kCompareFlag, candidate->revision());
  }
  gathered.read.compared = candidate != nullptr;
  for (ReportSink& sink : sinks) sink.HandOver(gathered);
}

absl::StatusOr<Report> MakeReport(
    const std::vector<v1::FailureReport>& workloads, const PolicySet& policies,
    const ReportSettings& settings) {
  Gathered gathered;
  ReportSink sink(settings, gathered.names);
  gathered.made_with = settings.flags;
  Report& report = gathered.read;
  report.of_cluster = true;
  report.compared = true;
  for (const v1::FailureReport& workload : workloads) {
    report.restarts_in_place += RestartsInPlace(workload);
    v1::BudgetLedger ledger;
    for (PastReport& past : PastReports(workload)) {
      v1::DecisionRecord record;
      *record.mutable_decided_at() = past.report.observed_at();
      v1::DecideRequest& request = *record.mutable_request();
      *request.mutable_report() = std::move(past.report);
      *request.mutable_ledger() = ledger;
      // Decides as if the operator did not.
      request.set_replaces_operator(true);
      ++report.lines;
      const LogPosition place = {WorkloadLabel(workload), 0};
      const absl::Status decided = Decide(
          request, policies, record.decided_at(), *record.mutable_response());
      if (!decided.ok()) {
        sink.TakeBad(place, std::string(decided.message()));
        continue;
      }
      ledger = record.response().ledger();
      sink.TakeDone(record, place, past.done);
    }
  }
  sink.HandOver(gathered);
  const absl::Status added = AddUp(gathered, 1);
  if (!added.ok()) return added;
  return BuildReport(gathered);
}

std::int64_t AmountOf(const Spent& spent, Unit unit) {
  constexpr std::int64_t Spent::*kAmounts[] = {&Spent::accelerator,
                                               &Spent::core, &Spent::pod};
  return spent.*AtKey(kAmounts, unit);
}

std::string_view ReportName(Unit unit) {
  static constexpr std::string_view kNames[] = {"accelerator-hours",
                                                "core-hours", "pod-hours"};
  return AtKey(kNames, unit);
}

std::string_view ReportName(By by) {
  static constexpr std::string_view kNames[kBys] = {
      "cause", "domain", "team",   "kind", "operator", "node",
      "zone",  "image",  "budget", "sign", "week"};
  return AtKey(kNames, by);
}

std::string_view ReportName(Decider decider) {
  static constexpr std::string_view kNames[kDeciders] = {"recorded", "native",
                                                         "candidate"};
  return AtKey(kNames, decider);
}

std::string_view ReportName(End end) {
  static constexpr std::string_view kNames[kEnds] = {
      "completed", "given up", "waits for its author", "not known"};
  return AtKey(kNames, end);
}

std::vector<std::pair<std::string, Cost>> CostliestFirst(const Rows& rows,
                                                         Unit unit) {
  std::vector<std::pair<std::string, Cost>> sorted(rows.begin(), rows.end());
  std::ranges::stable_sort(sorted, std::greater(), [&](const auto& row) {
    const Spent& lost = row.second.lost;
    return std::tuple(AmountOf(lost, unit), AmountOf(lost, Unit::kCore),
                      AmountOf(lost, Unit::kPod), row.second.failures);
  });
  return sorted;
}

}  // namespace mulligan::cli
