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
  // Tells objects apart; one that is made again under its name is another.
  std::string uid;
  std::string name;
  // metadata.resourceVersion. The last version is told once more as DELETED.
  std::string version;
  // The object alone, in its own field.
  v1::FailureReport object;
};

struct Story {
  std::string name;
  // Failures by the budget of the default policy that ought to pay for them.
  std::map<std::string, int> truth;
  // More failures that who does not see everything may count: a deadline, which
  // no budget pays for, looks like others in a counter, and the pods of a
  // submitter like those of any Job.
  int unpaid = 0;
  // Without objects of this kind nobody can tell which budget ought to pay,
  // only that one has to: a lost node's pod looks like one that a taint
  // removed. Empty: the pods tell.
  std::string needs;
  // If the failures are a loop without hope: when the third of them ended, in
  // seconds since the epoch. By then a caller that saw everything has ended it,
  // and any caller may, after the second. 0: not a loop.
  double loop_ends = 0;
  std::string ends;
  std::vector<Change> changes;
  // Kind of the most senior object: the one that is retried.
  std::string top;
};

// In order of their names.
std::vector<std::filesystem::path> StoryFiles();

// INVALID_ARGUMENT names file and line.
absl::StatusOr<Story> ReadStory(const std::filesystem::path& file);

// Whether a change is told as the last one of its object.
inline bool IsDeletion(const Change& change) {
  return change.type == "DELETED";
}

// Failures of all budgets together.
int Sum(const std::map<std::string, int>& failures);

// "memory 1, application 2"; "nothing".
std::string InWords(const std::map<std::string, int>& failures);

}  // namespace mulligan::stories

#endif  // MULLIGAN_TESTS_STORIES_STREAM_H_
