// Counts of others: the kubelet's restarts and operators' attempts.
#include <algorithm>
#include <string>
#include <vector>

#include "absl/strings/str_cat.h"
#include "absl/strings/str_join.h"
#include "client/cli/story/story.h"
#include "policy/request/kinds.h"
#include "policy/request/owners.h"
#include "policy/request/workload_view.h"

namespace mulligan::cli {
namespace {

namespace core = kubernetes::core::v1;

// Restarts that only the kubelet counts.
struct Restarted {
  std::string container;
  int times = 0;

  std::string Text() const {
    return absl::StrCat("container ", container, " ",
                        times == 1 ? "once" : absl::StrCat(times, " times"));
  }
};

std::vector<Restarted> RestartedIn(const core::Pod& pod) {
  std::vector<Restarted> containers;
  for (const auto* statuses : {&pod.status().init_container_statuses(),
                               &pod.status().container_statuses()}) {
    for (const core::ContainerStatus& status : *statuses) {
      if (status.restart_count() <= 0) continue;
      containers.push_back({status.name(), status.restart_count()});
    }
  }
  std::ranges::stable_sort(containers, std::ranges::greater(),
                           &Restarted::times);
  return containers;
}

}  // namespace

std::string RestartsIn(const v1::FailureReport& report) {
  int pods = 0;
  std::string most;
  int times = 0;
  std::vector<std::string> all;
  for (const core::Pod& pod : report.pods()) {
    const std::vector<Restarted> containers = RestartedIn(pod);
    if (containers.empty()) continue;
    ++pods;
    for (const Restarted& one : containers) all.push_back(one.Text());
    const Restarted& first = containers.front();
    if (first.times <= times) continue;
    times = first.times;
    most = absl::StrCat("pod ", pod.metadata().name(), ", ", first.Text());
  }
  if (pods == 0) return "";
  if (report.pods_size() == 1) {
    return absl::StrCat(absl::StrJoin(all, ", "), ", in place");
  }
  return absl::StrCat("in place, in ", pods, " of ", report.pods_size(),
                      " pods; most often ", most);
}

void FindOwnCount(const v1::FailureReport& report,
                  const v1::NativeVerdict& native, Side& side) {
  if (!side.limit.name.empty() || native.action() != v1::Decision::FAIL) return;
  for (const WorkloadView& view : Owners(report).views) {
    if (view.kind->tell == nullptr) continue;
    ObjectDetails words;
    view.kind->tell(report, words);
    const OwnTries& tries = words.tries;
    const bool said =
        native.reason().find(tries.exhausted) != std::string::npos ||
        native.message().find(tries.exhausted) != std::string::npos;
    if (!said || tries.limit_name.empty()) continue;
    side.limit = {std::string(tries.limit_name), tries.used, tries.limit};
    return;
  }
}

}  // namespace mulligan::cli
