// Restarts that the kubelet counts and no attempt shows.
#include <algorithm>
#include <string>
#include <vector>

#include "absl/strings/str_cat.h"
#include "absl/strings/str_join.h"
#include "client/cli/story/story.h"

namespace mulligan::cli {
namespace {

namespace core = kubernetes::core::v1;

struct Restarted {
  std::string container;
  int times = 0;
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

std::string Times(const Restarted& container) {
  return absl::StrCat(
      "container ", container.container, " ",
      container.times == 1 ? "once" : absl::StrCat(container.times, " times"));
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
    for (const Restarted& container : containers) {
      all.push_back(Times(container));
    }
    if (containers.front().times > times) {
      times = containers.front().times;
      most = absl::StrCat("pod ", pod.metadata().name(), ", ",
                          Times(containers.front()));
    }
  }
  if (pods == 0) return "";
  if (report.pods_size() == 1) {
    return absl::StrCat(absl::StrJoin(all, ", "), ", in place");
  }
  return absl::StrCat("in place, in ", pods, " of ", report.pods_size(),
                      " pods; most often ", most);
}

}  // namespace mulligan::cli
