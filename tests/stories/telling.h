// One way to tell a story: who asks when, and what their reports show.
#ifndef MULLIGAN_TESTS_STORIES_TELLING_H_
#define MULLIGAN_TESTS_STORIES_TELLING_H_

#include <string>
#include <vector>

#include "mulligan/v1/report.pb.h"
#include "tests/stories/clock.h"
#include "tests/stories/stream.h"

namespace mulligan::stories {

// What a controller watches.
enum class View {
  kPods,
  // The pod that changed, alone.
  kOnePod,
  kJobs,
  // The most senior object alone, as controllers of controllers do.
  kTop,
  // With the queue's record of it.
  kTopAndQueue,
  kPodsAndJobs,
  kAll,
  kAllAndEvents
};

// One that asks about the workload whenever something changes.
struct Caller {
  View view = View::kAll;
  // Asks at every change that it sees; else at one in so many changes.
  bool asks_always = true;
  int one_in = 1;
  // Each object may be the version before the latest.
  bool lags = false;
};

struct Ask {
  // Index of the change after which it is asked.
  int change = 0;
  // Index of who asks.
  int caller = 0;
  // Later than it was true: older versions of what this caller has shown.
  bool is_old = false;
  // Old, and word for word an earlier report, but perhaps for its time.
  bool is_retold = false;
  v1::FailureReport report;
};

struct Telling {
  unsigned seed = 0;
  // One or two. They share the ledger.
  std::vector<Caller> callers;
  // By which the reports of all of them are stamped.
  NodeClock clock;
  std::vector<Ask> asks;
};

// The same for the same seed. Of sixteen seeds in a row two tell everything at
// every change.
Telling SampleTelling(const Story& story, unsigned seed);

// The caller sees everything, as it is, at every change.
bool SeesAll(const Caller& caller);

// "pods, every change, objects may be one version old".
std::string InWords(const Caller& caller);

// "node n1 is 90 s behind"; "all clocks agree".
std::string InWords(const NodeClock& clock);

}  // namespace mulligan::stories

#endif  // MULLIGAN_TESTS_STORIES_TELLING_H_
