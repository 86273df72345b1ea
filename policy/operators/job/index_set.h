// A set of completion indexes in the text form of Job.status: "1,3-5".
#ifndef MULLIGAN_POLICY_OPERATORS_JOB_INDEX_SET_H_
#define MULLIGAN_POLICY_OPERATORS_JOB_INDEX_SET_H_

#include <cstddef>
#include <cstdint>
#include <map>
#include <string_view>

namespace mulligan::job {

// Holds intervals, so a Job with 100000 indexes stays cheap. A value type.
class IndexSet {
 public:
  IndexSet() = default;

  // Lenient as the controller reads its own status: broken parts are skipped,
  // reading stops at the first start that is not below `completions`, ends are
  // clamped. `completions` must not be negative.
  static IndexSet Parse(std::string_view text, std::int64_t completions);

  bool empty() const { return intervals_.empty(); }
  // Number of indexes, not of intervals.
  std::int64_t total() const;
  bool Contains(std::int64_t index) const;

  void Add(std::int64_t index) { Add(index, index); }
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

}  // namespace mulligan::job

#endif  // MULLIGAN_POLICY_OPERATORS_JOB_INDEX_SET_H_
