// The facts of a decision that a report counts.
#ifndef MULLIGAN_CLIENT_CLI_REPORT_ENTRY_H_
#define MULLIGAN_CLIENT_CLI_REPORT_ENTRY_H_

#include <array>
#include <cstddef>
#include <cstdint>
#include <deque>
#include <mutex>
#include <string>
#include <string_view>
#include <vector>

#include "absl/container/flat_hash_map.h"
#include "client/cli/report/spent.h"
#include "mulligan/v1/decision_record.pb.h"
#include "policy/rules/policy_set.h"

namespace mulligan::cli {

// Stores names as numbers, for millions of entries. Thread-safe. A fleet has
// some thousand nodes, images and teams. Names come from outside, so all beyond
// kMax share one number.
class Names {
 public:
  static constexpr std::uint32_t kNone = 0;
  static constexpr std::uint32_t kOthers = 1;
  static constexpr std::size_t kMax = 1 << 17;

  // Returns kNone for the empty name.
  std::uint32_t NumberOf(std::string_view name) {
    if (name.empty()) return kNone;
    const std::lock_guard lock(mutex_);
    if (name == names_[kOthers]) return kOthers;
    const auto found = numbers_.find(name);
    if (found != numbers_.end()) return found->second;
    if (names_.size() >= kMax) return kOthers;
    const auto number = static_cast<std::uint32_t>(names_.size());
    numbers_.emplace(names_.emplace_back(name), number);
    return number;
  }

  // Returns "" for kNone and "(others)" for kOthers.
  std::string NameOf(std::uint32_t number) const {
    const std::lock_guard lock(mutex_);
    return names_[number];
  }

 private:
  mutable std::mutex mutex_;
  std::deque<std::string> names_ = {"", "(others)"};  // guarded by mutex_
  // Points into names_; guarded by mutex_.
  absl::flat_hash_map<std::string_view, std::uint32_t> numbers_;
};

// The keys by which failures are summed, each a table of the report.
enum class By : std::uint8_t {
  kCause,
  // Who has to act: Diagnosis.fault_domain.
  kDomain,
  kTeam,
  kKind,
  // The operator whose rule was evaluated: NativeVerdict.operator.
  kOperator,
  kNode,
  kZone,
  kImage,
  // The budget that paid or was exhausted.
  kBudget,
  // What to fix: a faulty node, else what failed and by which sign.
  kSign,
  // The Monday of the week of the observation, in UTC.
  kWeek,
};
inline constexpr std::size_t kBys = 11;

// Whose answer is counted.
enum class Decider : std::uint8_t {
  // What was answered and done.
  kRecorded,
  // The rule of the workload's own operator.
  kNative,
  // Other policies, for comparison.
  kCandidate,
};
inline constexpr std::size_t kDeciders = 3;

// Written as bytes to this process's files, so it has only plain numbers.
struct Entry {
  // Hashes of the workload's UID and of the failure id.
  std::uint64_t workload = 0;
  std::uint64_t failure = 0;
  // A hash of its names and its workload's label, equal in every process.
  // Orders reports of one failure with equal times.
  std::uint64_t content = 0;
  // When it was observed and answered, in nanoseconds since 1970.
  std::int64_t observed = 0;
  std::int64_t decided = 0;
  Spent spent;
  // Numbers in Names.
  std::array<std::uint32_t, kBys> names = {};
  // v1::Decision::Action; 0 if that side has no answer.
  std::array<std::uint8_t, kDeciders> actions = {};
  // The work ended well: not a failure, and `spent` is what it used.
  bool completed = false;
  // Not a fault of the program, its specification or its own limits.
  bool by_platform = false;
  // It would recur unless something changes, and the retry changed nothing.
  bool lasting = false;
  // The units charged: 0 or 1.
  std::uint8_t units = 0;
  // The budget ended the work.
  bool exhausted = false;
  // Decided in addition to the first failure of its line.
  bool separate = false;
  // The policy's brake ended the retries of others.
  bool braked = false;
  // Attempts that the operator had left by its own limit; 0 if none or unknown.
  std::int32_t left = 0;
};

// Converts Entry::observed to seconds.
inline std::int64_t WholeSeconds(std::int64_t nanoseconds) {
  constexpr std::int64_t kNanoseconds = 1'000'000'000;
  return nanoseconds / kNanoseconds;
}

// An entry and its origin.
struct SourcedEntry {
  Entry entry;
  // Label of the workload: "Job ml/train".
  std::string workload;
  // Points into the record; null for a failure that is only in the ledger.
  const v1::Diagnosis* diagnosis = nullptr;
  // The workload has the label that names its team.
  bool is_labelled = false;
};

struct EntrySettings {
  // The label that names a team. If empty or absent from a workload, its
  // namespace is the team.
  std::string team_label;
  // If null, there is no comparison.
  const PolicySet* candidate = nullptr;
};

enum class LineKind : std::uint8_t {
  kFailure,
  // The failure was already reported, so nothing was charged.
  kRepeated,
  kCompleted,
  // Nothing is broken.
  kOther,
};

// A line's kind and its entries: one for the failure or good end, one for each
// separate failure, and one for each further failure that this answer added to
// the ledger because its operator, queue or the kubelet retried it.
struct LineEntries {
  LineKind kind = LineKind::kOther;
  std::vector<SourcedEntry> entries;
};
LineEntries EntriesOf(const v1::DecisionRecord& record,
                      const EntrySettings& settings, Names& names);

}  // namespace mulligan::cli

#endif  // MULLIGAN_CLIENT_CLI_REPORT_ENTRY_H_
