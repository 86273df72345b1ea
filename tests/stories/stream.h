// A recorded story: every version of every object of one workload, in the order
// in which the API server sent them, and what really happened.
//
// A file is JSON lines (tests/stories/recorded/NAME.jsonl). The first says
//   {"story": NAME, "truth": {BUDGET: FAILURES}, "unpaid": FAILURES,
//    "needs": KIND, "loopEnds": SECONDS, "ends": HOW, "note": TEXT}
// with HOW one of succeeded, failed, runs, deleted and suspended; every other
//   {"at": SECONDS, "type": "ADDED|MODIFIED|DELETED", "kind": K, "object": O}
#ifndef MULLIGAN_TESTS_STORIES_STREAM_H_
#define MULLIGAN_TESTS_STORIES_STREAM_H_

#include <filesystem>
#include <map>
#include <string>
#include <string_view>
#include <vector>

#include "absl/status/statusor.h"
#include "absl/time/time.h"
#include "mulligan/v1/report.pb.h"

namespace mulligan::stories {

// One version of one object.
struct Change {
  absl::Time at;
  // As recorded: "MODIFIED".
  std::string type;
  std::string kind;
  // Identifies the object; one recreated under the same name has another.
  std::string uid;
  std::string name;
  // metadata.resourceVersion. DELETED repeats the last version.
  std::string version;
  // The object in its field of an otherwise empty report.
  v1::FailureReport object;
};

struct Story {
  std::string name;
  // Failures, by the budget of the default policy that should be charged.
  std::map<std::string, int> truth;
  // Further failures that a caller with a partial view may count: a deadline,
  // which no budget pays for, looks like other failures in a counter, and a
  // submitter's pods look like those of any Job.
  int unpaid = 0;
  // Without objects of this kind only the number of charges is known, not their
  // budgets: a lost node's pod looks like one that a taint removed. Empty: the
  // pods suffice.
  std::string needs;
  // If the failures are a hopeless loop, when the third of them ended, in
  // seconds since the epoch. By then a caller with a full view has stopped it,
  // and any caller may after the second. 0: not a loop.
  double loop_ends = 0;
  std::string ends;
  std::vector<Change> changes;
  // Kind of the most senior object, which is retried.
  std::string top;
};

// Returns the recorded files, sorted by name.
std::vector<std::filesystem::path> StoryFiles();

// Returns INVALID_ARGUMENT with file and line if a line is malformed.
absl::StatusOr<Story> ReadStory(const std::filesystem::path& file);

// Whether the change is the last one of its object.
inline bool IsDeletion(const Change& change) {
  return change.type == "DELETED";
}

// The failures of all budgets together.
int Sum(const std::map<std::string, int>& failures);

// For example "memory 1, application 2" or "nothing".
std::string ToText(const std::map<std::string, int>& failures);

}  // namespace mulligan::stories

#endif  // MULLIGAN_TESTS_STORIES_STREAM_H_
