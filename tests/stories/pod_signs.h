// The part of signs.h that looks at single pods.
#ifndef MULLIGAN_TESTS_STORIES_POD_SIGNS_H_
#define MULLIGAN_TESTS_STORIES_POD_SIGNS_H_

#include <cstdint>
#include <vector>

#include "mulligan/v1/report.pb.h"

namespace mulligan::stories {

enum class PodState {
  kFine,
  // A container ended, and the kubelet restarts it.
  kRestarted,
  // It may fail, be removed, or not start.
  kTrouble,
  // EndedBadly of signs.h.
  kEnded
};

// `now` is in seconds since the epoch.
PodState StateOf(const kubernetes::core::v1::Pod& pod, std::int64_t now);

// Returns the pods of `bad`, which are in `report`, that no later pod of the
// same template and index replaces.
std::vector<const kubernetes::core::v1::Pod*> WithoutReplaced(
    std::vector<const kubernetes::core::v1::Pod*> bad,
    const v1::FailureReport& report);

}  // namespace mulligan::stories

#endif  // MULLIGAN_TESTS_STORIES_POD_SIGNS_H_
