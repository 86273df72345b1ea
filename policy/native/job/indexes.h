// Bookkeeping for each completion index of an Indexed Job (KEP-3850), stored in
// pod annotations and not in the Job's status, and early success by indexes
// (KEP-3998, stable since 1.33).
#ifndef MULLIGAN_POLICY_NATIVE_JOB_INDEXES_H_
#define MULLIGAN_POLICY_NATIVE_JOB_INDEXES_H_

#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <string_view>

#include "policy/native/job/objects.h"

namespace mulligan::job {

// A set of completion indexes, stored as intervals so that 100000 indexes stay
// cheap. A value type.
class IndexSet {
 public:
  IndexSet() = default;

  // Parses the form of Job.status: "1,3-5". As lenient as the controller with
  // its own status: skips broken parts, stops at the first start not below
  // `completions`, clamps ends. REQUIRES: `completions` is not negative.
  static IndexSet Parse(std::string_view text, std::int64_t completions);

  bool empty() const { return intervals_.empty(); }
  // Returns the number of indexes, not of intervals.
  std::int64_t total() const;
  bool Contains(std::int64_t index) const;

  // Adds first, ..., last; nothing if last < first.
  void Add(std::int64_t first, std::int64_t last);
  void Add(const IndexSet& other);

  // Returns the number of indexes in both sets.
  std::int64_t CountIn(const IndexSet& other) const;

  friend bool operator==(const IndexSet&, const IndexSet&) = default;

 private:
  // Maps first index to last index; neither overlapping nor adjacent.
  std::map<std::int64_t, std::int64_t> intervals_;
};

// Stores the number of indexes in "1,3-5" in `total`, as strict as the API
// server with spec.successPolicy. Returns the error; empty if valid.
std::string CountIndexes(const std::string& text, std::int64_t completions,
                         std::int64_t& total);

// Returns whether the failed pod ends its index: a FailIndex rule matches, or
// the failure counts and earlier ones have used up backoffLimitPerIndex.
bool FailsIndex(const Pod& pod, const JobSpec& spec, const Gates& gates);

// The indexes of an Indexed Job, including those of pods not counted yet. All
// sets are empty for other Jobs.
struct Indexes {
  IndexSet succeeded;
  // Empty without limits per index, as is `awaiting_replacement`.
  IndexSet failed;
  // The latest failed pod of each index that has neither an active pod nor
  // ended. It keeps its finalizer and is not in status.failed until the
  // replacement has taken over its counts.
  std::map<std::int64_t, const Pod*> awaiting_replacement;
};
Indexes IndexesOf(const Job& job, const Pods& pods, const Gates& gates);

// Returns the position (from 0) of the first satisfied rule. Skips rules with
// unreadable indexes. Empty if no index has succeeded.
std::optional<int> MatchSuccessPolicy(const SuccessPolicy& policy,
                                      std::int64_t completions,
                                      const IndexSet& succeeded);

}  // namespace mulligan::job

#endif  // MULLIGAN_POLICY_NATIVE_JOB_INDEXES_H_
