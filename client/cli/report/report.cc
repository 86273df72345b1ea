#include "client/cli/report/report.h"

#include <algorithm>
#include <atomic>
#include <iterator>
#include <memory>
#include <mutex>
#include <thread>
#include <tuple>

#include "absl/container/flat_hash_map.h"
#include "absl/status/status.h"
#include "client/cli/input/workload_groups.h"
#include "client/cli/report/entry_store.h"
#include "client/cli/report/incidents.h"
#include "client/cli/report/retell.h"
#include "client/cli/report/totals.h"
#include "policy/decide.h"
#include "policy/request/workload.h"

namespace mulligan::cli {
namespace {

constexpr std::size_t kMostMends = 10;

// Work whose operator has acted: what it did is what was done, and what the
// policies say is compared with it.
void SetDone(v1::Decision::Action done, Entry& entry) {
  const auto at = [&](Decider side) -> std::uint8_t& {
    return entry.actions[static_cast<std::size_t>(side)];
  };
  at(Decider::kCandidate) = at(Decider::kRecorded);
  at(Decider::kRecorded) = at(Decider::kNative) =
      static_cast<std::uint8_t>(done);
}

// By sign.
using SignExhibits = absl::flat_hash_map<std::uint32_t, Exhibits>;

// What one thread makes of its lines.
class ReportSink : public RecordSink {
 public:
  ReportSink(const ReportSettings& settings, Names& names)
      : settings_(settings),
        names_(names),
        store_(settings.most_bytes / settings.threads) {}

  void Take(const v1::DecisionRecord& record, const LogPosition&,
            google::protobuf::Arena&) override {
    Add(record, nullptr);
  }

  // What the operator did is known, and the answer is another side's.
  void TakeDone(const v1::DecisionRecord& record, v1::Decision::Action done) {
    Add(record, &done);
  }

  void TakeBad(const LogPosition& place, std::string why) override {
    ++bad_lines_;
    bad_.Add(place, std::move(why));
  }

  EntryStore& store() { return store_; }
  const SignExhibits& examples() const { return examples_; }
  void AddTo(Report& report) const {
    report.left_out += left_out_;
    report.repeated += repeated_;
    report.others += others_;
    report.good_ends += good_ends_;
    report.bad_lines += bad_lines_;
    report.bad.Merge(bad_);
  }

 private:
  void Add(const v1::DecisionRecord& record, const v1::Decision::Action* done) {
    if (!IsWanted(record)) {
      ++left_out_;
      return;
    }
    const LineKind kind = LineKindOf(record.response());
    if (kind == LineKind::kRepeated) ++repeated_;
    if (kind == LineKind::kOther) ++others_;
    if (kind == LineKind::kCompleted) ++good_ends_;
    for (ToldEntry& told : EntriesOf(record, settings_.entries, names_)) {
      if (done != nullptr) SetDone(*done, told.entry);
      store_.Add(told.entry, told.workload);
      if (told.entry.completed) continue;
      const v1::Diagnosis& diagnosis = *told.diagnosis;
      examples_[told.entry.names[static_cast<std::size_t>(By::kSign)]].Add(
          {told.entry.workload, told.workload,
           WholeSeconds(told.entry.observed), told.entry.spent,
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
  EntryStore store_;
  SignExhibits examples_;
  Count left_out_ = 0;
  Count repeated_ = 0;
  Count others_ = 0;
  Count good_ends_ = 0;
  Count bad_lines_ = 0;
  FirstOnes<std::string> bad_;
};

using Sinks = std::vector<std::unique_ptr<ReportSink>>;

// Adds up all parts on as many threads as there are sinks. A store is read by
// several of them, each another part.
ReportTotals AddUp(const Sinks& sinks) {
  std::vector<ReportTotals> totals(sinks.size());
  std::mutex reading;
  std::atomic<std::size_t> next = 0;
  std::vector<std::thread> threads;
  for (ReportTotals& mine : totals) {
    threads.emplace_back([&] {
      for (std::size_t part = next++; part < EntryStore::kParts;
           part = next++) {
        std::string bytes;
        {
          const std::lock_guard lock(reading);
          for (const auto& sink : sinks) sink->store().AppendPart(part, bytes);
        }
        AddWorkloads(ReadEntries(bytes), mine);
      }
    });
  }
  for (std::thread& thread : threads) thread.join();
  for (std::size_t i = 1; i < totals.size(); ++i) totals[0].Merge(totals[i]);
  return std::move(totals[0]);
}

Rows NamedRows(const absl::flat_hash_map<std::uint32_t, Cost>& costs,
               const Names& names) {
  Rows rows;
  for (const auto& [number, cost] : costs) rows[names.NameOf(number)] += cost;
  return rows;
}

void NameAll(const ReportTotals& totals, const Names& names, Report& report) {
  for (std::size_t i = 0; i < kBys; ++i) {
    report.by[i] = NamedRows(totals.by[i], names);
  }
  for (const auto& [key, costs] : totals.flows) {
    report.flows[{names.NameOf(key.first), names.NameOf(key.second)}] = costs;
  }
  for (const auto& [number, cost] : totals.budgets) {
    report.budgets[names.NameOf(number)] = cost;
  }
  for (const auto& [key, spent] : totals.days) {
    report.days[key.first][names.NameOf(key.second)] = spent;
  }
  for (const auto& [key, count] : totals.nodes) {
    report.nodes[names.NameOf(key.first)][key.second] = count;
  }
}

void FindMends(const SignExhibits& examples, Names& names, Report& report) {
  const Rows& signs = report.by[static_cast<std::size_t>(By::kSign)];
  for (const auto& [sign, cost] : CostliestFirst(signs, report.unit())) {
    if (report.mends.size() == kMostMends) return;
    const auto found = examples.find(names.NumberOf(sign));
    report.mends.push_back({sign, cost,
                            found == examples.end() ? Exhibits()
                                                    : found->second});
  }
}

std::string ReportLabel(const v1::FailureReport& report) {
  const v1::WorkloadReference workload = WorkloadOf(report);
  return WorkloadLabel(workload.kind(), workload.namespace_(), workload.name());
}

Sinks SinksOf(const ReportSettings& settings, unsigned threads, Names& names) {
  Sinks sinks;
  for (unsigned i = 0; i < threads; ++i) {
    sinks.push_back(std::make_unique<ReportSink>(settings, names));
  }
  return sinks;
}

// `report` has what was read; the rest is added up here.
absl::StatusOr<Report> Finish(const Sinks& sinks, Names& names, Report report) {
  const ReportTotals totals = AddUp(sinks);
  SignExhibits examples;
  for (const auto& sink : sinks) {
    if (!sink->store().status().ok()) return sink->store().status();
    sink->AddTo(report);
    for (const auto& [sign, more] : sink->examples()) {
      examples[sign].Merge(more);
    }
  }
  report.repeated += totals.repeated;
  report.all = totals.all;
  report.without_times = totals.without_times;
  if (totals.all.failures > 0) {
    report.first = totals.first;
    report.last = totals.last;
  }
  report.done = totals.done;
  report.verdicts = totals.verdicts;
  report.comparable = totals.comparable;
  report.ends = totals.ends;
  NameAll(totals, names, report);
  report.incidents = IncidentsIn(totals, names, report.unit());
  FindMends(examples, names, report);
  return report;
}

}  // namespace

Unit Report::unit() const {
  if (all.lost.accelerator > 0) return Unit::kAccelerator;
  return all.lost.core > 0 ? Unit::kCore : Unit::kPod;
}

absl::StatusOr<Report> MakeReport(LogBlocks& logs,
                                  const ReportSettings& settings) {
  Names names;
  const Sinks sinks = SinksOf(settings, settings.threads, names);
  std::vector<RecordSink*> readers;
  for (const auto& sink : sinks) readers.push_back(sink.get());
  Report report;
  report.lines = ReadRecords(logs, settings.read, readers);
  report.compared = settings.entries.candidate != nullptr;
  return Finish(sinks, names, std::move(report));
}

absl::StatusOr<Report> MakeReport(
    const std::vector<v1::FailureReport>& workloads, const PolicySet& policies,
    const ReportSettings& settings) {
  Names names;
  const Sinks sinks = SinksOf(settings, 1, names);
  Report report;
  report.of_cluster = true;
  report.compared = true;
  for (const v1::FailureReport& workload : workloads) {
    v1::BudgetLedger ledger;
    for (Telling& telling : Retell(workload)) {
      v1::DecisionRecord record;
      *record.mutable_decided_at() = telling.report.observed_at();
      v1::DecideRequest& request = *record.mutable_request();
      *request.mutable_report() = std::move(telling.report);
      *request.mutable_ledger() = ledger;
      ++report.lines;
      const absl::Status decided = Decide(
          request, policies, record.decided_at(), *record.mutable_response());
      if (!decided.ok()) {
        sinks[0]->TakeBad({ReportLabel(workload), 0},
                          std::string(decided.message()));
        continue;
      }
      ledger = record.response().ledger();
      sinks[0]->TakeDone(record, telling.done);
    }
  }
  return Finish(sinks, names, std::move(report));
}

std::int64_t AmountOf(const Spent& spent, Unit unit) {
  switch (unit) {
    case Unit::kAccelerator:
      return spent.accelerator;
    case Unit::kCore:
      return spent.core;
    case Unit::kPod:
      break;
  }
  return spent.pod;
}

std::string_view ReportName(Unit unit) {
  static constexpr std::string_view kNames[] = {"accelerator-hours",
                                                "core-hours", "pod-hours"};
  return kNames[static_cast<std::size_t>(unit)];
}

std::string_view ReportName(By by) {
  static constexpr std::string_view kNames[kBys] = {"cause", "domain", "team",
                                                    "kind",  "node",   "zone",
                                                    "image", "budget", "sign"};
  return kNames[static_cast<std::size_t>(by)];
}

std::string_view ReportName(Decider decider) {
  static constexpr std::string_view kNames[kDeciders] = {"recorded", "native",
                                                         "candidate"};
  return kNames[static_cast<std::size_t>(decider)];
}

std::string_view ReportName(End end) {
  static constexpr std::string_view kNames[kEnds] = {
      "completed", "given up", "waits for its author", "not known"};
  return kNames[static_cast<std::size_t>(end)];
}

std::vector<std::pair<std::string, Cost>> CostliestFirst(const Rows& rows,
                                                         Unit unit) {
  std::vector<std::pair<std::string, Cost>> sorted(rows.begin(), rows.end());
  std::ranges::stable_sort(sorted, std::greater(), [&](const auto& row) {
    return std::tuple(AmountOf(row.second.lost, unit), row.second.failures);
  });
  return sorted;
}

}  // namespace mulligan::cli
