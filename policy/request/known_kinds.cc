#include "policy/request/known_kinds.h"

#include <algorithm>
#include <iterator>
#include <string>

#include "absl/strings/ascii.h"
#include "absl/strings/str_cat.h"

namespace mulligan {
namespace {

constexpr std::string_view kKnownKinds[] = {
    "CronJob",    "DaemonSet",        "Deployment",  "JAXJob",
    "Job",        "JobSet",           "MPIJob",      "PaddleJob",
    "Pod",        "PyTorchJob",       "RayCluster",  "RayJob",
    "ReplicaSet", "SparkApplication", "StatefulSet", "TFJob",
    "TrainJob",   "TrainingJob",      "Workload",    "XGBoostJob",
};
static_assert(std::is_sorted(std::begin(kKnownKinds), std::end(kKnownKinds)));

std::string Lower(std::string_view text) {
  std::string lower(text);
  absl::AsciiStrToLower(&lower);
  return lower;
}

// Whether one letter after the first was left out, added or changed, or two
// neighbours were swapped. A different first letter makes another word: short
// kinds such as Job end many others.
bool IsOneSlip(std::string_view a, std::string_view b) {
  if (a.empty() || b.empty() || a.front() != b.front()) return false;
  while (!a.empty() && !b.empty() && a.front() == b.front()) {
    a.remove_prefix(1);
    b.remove_prefix(1);
  }
  while (!a.empty() && !b.empty() && a.back() == b.back()) {
    a.remove_suffix(1);
    b.remove_suffix(1);
  }
  if (a.size() <= 1 && b.size() <= 1) return true;
  return a.size() == 2 && b.size() == 2 && a[0] == b[1] && a[1] == b[0];
}

}  // namespace

bool IsKnownKind(std::string_view kind) {
  return std::binary_search(std::begin(kKnownKinds), std::end(kKnownKinds),
                            kind);
}

std::string_view MeantKind(std::string_view kind) {
  if (IsKnownKind(kind)) return {};
  const std::string given = Lower(kind);
  std::string_view nearest;
  for (const std::string_view known : kKnownKinds) {
    const std::string meant = Lower(known);
    if (given == meant || given == absl::StrCat(meant, "s")) return known;
    if (nearest.empty() && IsOneSlip(given, meant)) nearest = known;
  }
  return nearest;
}

}  // namespace mulligan
