// What happened when: attempts over the life of the workload, and the members
// and events of one attempt.
#ifndef MULLIGAN_CLIENT_CLI_STORY_TIMELINE_H_
#define MULLIGAN_CLIENT_CLI_STORY_TIMELINE_H_

#include <cstdint>
#include <string>
#include <vector>

#include "client/cli/story/story.h"
#include "mulligan/v1/diagnosis.pb.h"
#include "mulligan/v1/report.pb.h"

namespace mulligan::cli {

// Something at one moment of a lane; Unix seconds.
struct Moment {
  std::int64_t at = 0;
  std::string text;
  // Of an event: its place in the list of all, from 1.
  int number = 0;
};

// A bar: a pod or an attempt.
struct Lane {
  enum class Role { kRoot, kCascade, kDisrupted, kOther };

  std::string name;
  Role role = Role::kOther;
  // How it ended, or that it goes on: "exit code 137".
  std::string note;
  std::int64_t begin = 0;
  std::int64_t end = 0;
  // It runs on beyond `end`, which is when it was looked at.
  bool open = false;
  // The eviction or preemption it was announced for.
  std::vector<Moment> disruptions;
};

struct Timeline {
  std::vector<Lane> lanes;
  // In order of time.
  std::vector<Moment> events;
  // Lanes that were left out: too many, or without times.
  int hidden = 0;
  // Events that were left out, being too many.
  int hidden_events = 0;

  // Bounds of all that is shown.
  std::int64_t Begin() const;
  std::int64_t End() const;
};

// One lane for each attempt whose duration is known or guessed as a moment.
// Empty for less than two.
Timeline AttemptTimeline(const Story& story);

// One lane for each pod: the root, those it took along in the order in which
// they died, then the others; at most 24, and 20 events.
Timeline MemberTimeline(const v1::FailureReport& report,
                        const v1::Diagnosis& diagnosis);

// The part of `members` in which they died, without what was before; empty
// where it is a large part of the whole anyway.
Timeline TheEndOf(const Timeline& members);

}  // namespace mulligan::cli

#endif  // MULLIGAN_CLIENT_CLI_STORY_TIMELINE_H_
