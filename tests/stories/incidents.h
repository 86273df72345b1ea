// The failures of a story that its pods tell of, found in the stream itself:
// the invariants have to know which of them a telling has told.
#ifndef MULLIGAN_TESTS_STORIES_INCIDENTS_H_
#define MULLIGAN_TESTS_STORIES_INCIDENTS_H_

#include <map>
#include <string>
#include <vector>

#include "tests/stories/stream.h"

namespace mulligan::stories {

// Pods that ended badly on their own (nobody deleted them first) and whose
// lifetimes met.
struct Incident {
  // By uid: the change that first shows that the pod ended.
  std::map<std::string, int> ended;
  // From the first of these on, and before `closed`, nobody had acted on it: no
  // pod was made or deleted, no owner said that it goes on.
  int first = 0;
  int closed = 0;
};

std::vector<Incident> FindIncidents(const Story& story);

}  // namespace mulligan::stories

#endif  // MULLIGAN_TESTS_STORIES_INCIDENTS_H_
