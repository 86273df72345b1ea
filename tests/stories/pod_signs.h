// What becomes of pods: the part of signs.h that looks at them one by one.
#ifndef MULLIGAN_TESTS_STORIES_POD_SIGNS_H_
#define MULLIGAN_TESTS_STORIES_POD_SIGNS_H_

#include <cstdint>
#include <vector>

#include "mulligan/v1/report.pb.h"

namespace mulligan::stories {

enum class PodState {
  kFine,
  // A container ended, and the kubelet starts it again.
  kRestarted,
  // It may fail, or be taken away, or not start.
  kTrouble,
  // EndedBadly of signs.h.
  kEnded
};

// At `now`, in seconds since the epoch.
PodState StateOf(const kubernetes::core::v1::Pod& pod, std::int64_t now);

// Those of `bad`, pods of `report`, that no later pod of the same template and
// index stands in for.
std::vector<const kubernetes::core::v1::Pod*> WithoutReplaced(
    std::vector<const kubernetes::core::v1::Pod*> bad,
    const v1::FailureReport& report);

}  // namespace mulligan::stories

#endif  // MULLIGAN_TESTS_STORIES_POD_SIGNS_H_
