// Bookkeeping per completion index of an Indexed Job (KEP-3850), which lives in
// annotations of the pods rather than in the Job's status, and early success by
// indexes (KEP-3998, stable since 1.33).
#ifndef MULLIGAN_POLICY_NATIVE_JOB_INDEXES_H_
#define MULLIGAN_POLICY_NATIVE_JOB_INDEXES_H_

#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <string_view>

#include "policy/native/job/objects.h"

namespace mulligan::job {

// A set of completion indexes as intervals, so that a Job with 100000 indexes
// stays cheap. A value type.
class IndexSet {
 public:
  IndexSet() = default;

  // The text form of Job.status: "1,3-5". Lenient as the controller reads its
  // own status: broken parts are skipped, reading stops at the first start that
  // is not below `completions`, ends are clamped. `completions` must not be
  // negative.
  static IndexSet Parse(std::string_view text, std::int64_t completions);

  bool empty() const { return intervals_.empty(); }
  // Number of indexes, not of intervals.
  std::int64_t total() const;
  bool Contains(std::int64_t index) const;

  // Adds first, ..., last; nothing when last < first.
  void Add(std::int64_t first, std::int64_t last);
  void Add(const IndexSet& other);

  // Number of indexes in both sets.
  std::int64_t CountIn(const IndexSet& other) const;

  friend bool operator==(const IndexSet&, const IndexSet&) = default;

 private:
  // Last index by first index; neither overlapping nor adjacent.
  std::map<std::int64_t, std::int64_t> intervals_;
};

// As strictly as the API server reads spec.successPolicy: the number of indexes
// in "1,3-5" into `total`; what is wrong with the text, empty when nothing is.
std::string CountIndexes(const std::string& text, std::int64_t completions,
                         std::int64_t& total);

// The failed pod ends its index: a FailIndex rule matches, or the failure
// counts and the failures before it have used up backoffLimitPerIndex.
bool FailsIndex(const Pod& pod, const JobSpec& spec, const Gates& gates);

// The indexes of an Indexed Job, pods that are not accounted yet included;
// all empty for other Jobs.
struct Indexes {
  IndexSet succeeded;
  // The others are empty without limits per index.
  IndexSet failed;
  // Per index that has neither an active pod nor an end: its latest failed pod.
  // It keeps its finalizer, and with it its place outside status.failed, until
  // the replacement has taken over its counts.
  std::map<std::int64_t, const Pod*> awaiting_replacement;
};
Indexes IndexesOf(const Job& job, const Pods& pods, const Gates& gates);

// Place of the first rule that is met, from 0. Rules whose indexes cannot be
// read are passed over; without any success no rule is met.
std::optional<int> MatchSuccessPolicy(const SuccessPolicy& policy,
                                      std::int64_t completions,
                                      const IndexSet& succeeded);

}  // namespace mulligan::job

#endif  // MULLIGAN_POLICY_NATIVE_JOB_INDEXES_H_
