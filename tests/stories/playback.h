// One way to report a story: which callers ask when, and what they report.
#ifndef MULLIGAN_TESTS_STORIES_PLAYBACK_H_
#define MULLIGAN_TESTS_STORIES_PLAYBACK_H_

#include <string>
#include <vector>

#include "mulligan/v1/report.pb.h"
#include "tests/stories/clock.h"
#include "tests/stories/stream.h"

namespace mulligan::stories {

// The objects that a controller watches.
enum class View {
  kPods,
  // Only the pod that changed.
  kOnePod,
  kJobs,
  // Only the most senior object, like controllers of controllers.
  kTop,
  // With the queue's Workload.
  kTopAndQueue,
  kPodsAndJobs,
  kAll,
  kAllAndEvents
};

// A caller that asks about the workload when something changes.
struct Caller {
  View view = View::kAll;
  // Asks at every change that it sees; otherwise at one in `one_in`.
  bool asks_always = true;
  int one_in = 1;
  // Each object may be one version old.
  bool lags = false;
};

struct Ask {
  // Index of the change after which it is asked.
  int change = 0;
  // Index of the caller.
  int caller = 0;
  // Reported late: older versions of objects that this caller has shown.
  bool is_old = false;
  // Old, and identical to an earlier report except perhaps for its time.
  bool is_resent = false;
  v1::FailureReport report;
};

struct Playback {
  unsigned seed = 0;
  // One or two; they share the ledger.
  std::vector<Caller> callers;
  // Applied to the reports of all callers.
  NodeClock clock;
  std::vector<Ask> asks;
};

// Deterministic in its arguments. Of sixteen consecutive seeds two report
// everything at every change. `faults`: callers may show objects one version
// old and repeat old reports, and the clock of a node may be wrong.
Playback SamplePlayback(const Story& story, unsigned seed, bool faults = true);

// Whether the caller reports everything, up to date, at every change.
bool SeesAll(const Caller& caller);

// For example "pods, every change, may be one version old".
std::string ToText(const Caller& caller);

// For example "node n1 is 90 s behind" or "all clocks agree".
std::string ToText(const NodeClock& clock);

}  // namespace mulligan::stories

#endif  // MULLIGAN_TESTS_STORIES_PLAYBACK_H_
