// What one decision tells the report.
#ifndef MULLIGAN_CLIENT_CLI_REPORT_ENTRY_H_
#define MULLIGAN_CLIENT_CLI_REPORT_ENTRY_H_

#include <array>
#include <cstddef>
#include <cstdint>
#include <string>
#include <vector>

#include "client/cli/report/names.h"
#include "client/cli/report/spent.h"
#include "mulligan/v1/decision_record.pb.h"
#include "policy/rules/policy_set.h"

namespace mulligan::cli {

// By what failures are added up, each a table of the report.
enum class By : std::uint8_t {
  kCause,
  // Who has to act: Diagnosis.fault_domain.
  kDomain,
  kTeam,
  kKind,
  // The operator whose rule was asked: NativeVerdict.operator.
  kOperator,
  kNode,
  kZone,
  kImage,
  // The budget that paid, or that was used up.
  kBudget,
  // What to mend: a node that is at fault, else what failed and by which sign.
  kSign,
  // The Monday of the week in which it was observed, in UTC.
  kWeek,
};
inline constexpr std::size_t kBys = 11;

// Whose answer is looked at.
enum class Decider : std::uint8_t {
  // What was answered, and done.
  kRecorded,
  // The rule of the workload's own operator.
  kNative,
  // Other policies, to compare with.
  kCandidate,
};
inline constexpr std::size_t kDeciders = 3;

// Copied as bytes into files of this process, so plain numbers alone.
struct Entry {
  // Of the workload's UID, and of the failure id.
  std::uint64_t workload = 0;
  std::uint64_t failure = 0;
  // Of its names and its workload's label, in every process the same: tells
  // apart what was told of a failure at one time, whose order nobody knows.
  std::uint64_t content = 0;
  // Nanoseconds since 1970, when it was observed, and when the answer was
  // given.
  std::int64_t observed = 0;
  std::int64_t decided = 0;
  Spent spent;
  // Numbers of names.
  std::array<std::uint32_t, kBys> names = {};
  // Of v1::Decision::Action; 0: that side says nothing.
  std::array<std::uint8_t, kDeciders> actions = {};
  // The work ended well: not a failure, and `spent` is what it held.
  bool completed = false;
  // Not the program, its specification or its own limits.
  bool by_platform = false;
  // The same comes again unless something is changed, and the retry changed
  // nothing.
  bool lasting = false;
  // What was charged: 0 or 1.
  std::uint8_t units = 0;
  // The budget ended the work.
  bool exhausted = false;
  // Decided beside the first failure of its line.
  bool separate = false;
};

// Of Entry::observed, in seconds.
inline std::int64_t WholeSeconds(std::int64_t nanoseconds) {
  constexpr std::int64_t kNanoseconds = 1'000'000'000;
  return nanoseconds / kNanoseconds;
}

// An entry with what it was made of.
struct ToldEntry {
  Entry entry;
  // Label of the workload: "Job ml/train".
  std::string workload;
  // Of the record.
  const v1::Diagnosis* diagnosis = nullptr;
  // The workload has the label that names its team.
  bool is_labelled = false;
};

struct EntrySettings {
  // The label that names a team; empty, or a workload without it: its
  // namespace.
  std::string team_label;
  // Null: nothing to compare with.
  const PolicySet* candidate = nullptr;
};

// What kind of line a record is.
enum class LineKind : std::uint8_t {
  kFailure,
  // The failure had been told before: nothing was charged.
  kRepeated,
  kCompleted,
  // Nothing is broken.
  kOther,
};
LineKind LineKindOf(const v1::DecideResponse& response);

// The entries of a record: of a failure as many as it has separate ones, of
// work that ended well one, of anything else none.
std::vector<ToldEntry> EntriesOf(const v1::DecisionRecord& record,
                                 const EntrySettings& settings, Names& names);

}  // namespace mulligan::cli

#endif  // MULLIGAN_CLIENT_CLI_REPORT_ENTRY_H_
