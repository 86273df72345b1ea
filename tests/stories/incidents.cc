#include "tests/stories/incidents.h"

#include <algorithm>
#include <set>

#include "tests/stories/signs.h"

namespace mulligan::stories {
namespace {

int Size(const Story& story) { return static_cast<int>(story.changes.size()); }

const Change& At(const Story& story, int index) {
  return story.changes[static_cast<std::size_t>(index)];
}

struct Life {
  int begun = 0;
  // The first version that shows a bad end; -1: none.
  int ended = -1;
  bool deleted_first = false;
  bool succeeded = false;
};

std::map<std::string, Life> PodLives(const Story& story) {
  std::map<std::string, Life> lives;
  for (int i = 0; i < Size(story); ++i) {
    const Change& change = At(story, i);
    if (change.kind != "Pod") continue;
    const auto [at, is_new] = lives.try_emplace(change.uid);
    Life& life = at->second;
    if (is_new) life.begun = i;
    const auto& pod = change.object.pods(0);
    life.succeeded = pod.status().phase() == "Succeeded";
    if (life.ended >= 0 || !EndedBadly(pod)) continue;
    life.ended = i;
    life.deleted_first = DeletedOnPurpose(pod);
  }
  return lives;
}

// Whether the change acts on open trouble: it creates or removes a pod, or an
// owner's status says that the work continues.
bool IsAnAct(const Change& change) {
  if (change.kind == "Pod") return change.type != "MODIFIED";
  if (change.kind == "Event" || change.kind == "Node") return false;
  return IsDeletion(change) ||
         (ShowsTrouble(change.object) && !ShowsOpenTrouble(change.object));
}

bool IsMarkedForDeletion(const Change& change, const Incident& incident) {
  return change.kind == "Pod" && incident.ended.contains(change.uid) &&
         DeletedOnPurpose(change.object.pods(0));
}

int ClosedAt(const Story& story, const Incident& incident) {
  int at = incident.first + 1;
  while (at < Size(story) && !IsAnAct(At(story, at)) &&
         !IsMarkedForDeletion(At(story, at), incident)) {
    ++at;
  }
  return at;
}

}  // namespace

std::vector<Incident> FindIncidents(const Story& story) {
  struct End {
    int at;
    int begun;
    std::string uid;
  };
  std::vector<End> ends;
  for (const auto& [uid, life] : PodLives(story)) {
    if (life.ended < 0 || life.deleted_first || life.succeeded) continue;
    ends.push_back({life.ended, life.begun, uid});
  }
  std::ranges::sort(ends, {}, &End::at);
  std::vector<Incident> incidents;
  for (const End& end : ends) {
    // A pod that began after the first of them ended is a later attempt.
    if (incidents.empty() || end.begun > incidents.back().first) {
      incidents.emplace_back().first = end.at;
    }
    incidents.back().ended[end.uid] = end.at;
  }
  for (Incident& incident : incidents) {
    incident.closed = ClosedAt(story, incident);
  }
  return incidents;
}

}  // namespace mulligan::stories
