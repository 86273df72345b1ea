// The failures of a story that its pods show, found in the stream itself. The
// invariants need to know which of them a playback reported.
#ifndef MULLIGAN_TESTS_STORIES_INCIDENTS_H_
#define MULLIGAN_TESTS_STORIES_INCIDENTS_H_

#include <map>
#include <string>
#include <vector>

#include "tests/stories/stream.h"

namespace mulligan::stories {

// Pods with overlapping lifetimes that failed by themselves, that is, before
// anyone deleted them.
struct Incident {
  // By uid: the change that first shows that the pod ended.
  std::map<std::string, int> ended;
  // Changes `first` (the earliest end) to before `closed`: nothing acts on it,
  // no pod is created or deleted, no owner says that it continues.
  int first = 0;
  int closed = 0;
};

std::vector<Incident> FindIncidents(const Story& story);

}  // namespace mulligan::stories

#endif  // MULLIGAN_TESTS_STORIES_INCIDENTS_H_
