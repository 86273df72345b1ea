#include "tests/stories/ties.h"

#include <algorithm>
#include <array>

namespace mulligan::stories {
namespace {

// Adds everything that connects an object with others: its uid, its owners'
// uids, and uids that controllers write into labels.
template <typename Objects>
void AddTies(const Objects& objects, std::set<std::string>& ties) {
  for (const auto& object : objects) {
    ties.insert(object.metadata().uid());
    for (const auto& owner : object.metadata().owner_references()) {
      ties.insert(owner.uid());
    }
    for (const auto& [key, value] : object.metadata().labels()) {
      if (key.ends_with("-uid")) ties.insert(value);
    }
  }
}

}  // namespace

std::set<std::string> TiesOf(const v1::FailureReport& report) {
  std::set<std::string> ties;
  AddTies(report.pods(), ties);
  AddTies(report.jobs(), ties);
  AddTies(std::array{report.job_set()}, ties);
  AddTies(std::array{report.train_job()}, ties);
  AddTies(std::array{report.kubeflow_job()}, ties);
  AddTies(std::array{report.ray_job()}, ties);
  AddTies(std::array{report.ray_cluster()}, ties);
  AddTies(std::array{report.spark_application()}, ties);
  AddTies(std::array{report.kueue_workload()}, ties);
  ties.erase("");
  return ties;
}

bool HasStrangers(const v1::FailureReport& report) {
  std::set<std::string> owners;
  const auto add = [&owners](const auto& objects) {
    for (const auto& object : objects) {
      for (const auto& owner : object.metadata().owner_references()) {
        owners.insert(owner.uid());
      }
    }
  };
  add(report.pods());
  add(report.jobs());
  for (const auto& job : report.jobs()) owners.erase(job.metadata().uid());
  return owners.size() > 1 && !report.has_ray_job();
}

bool LacksANode(const v1::FailureReport& report) {
  std::set<std::string> nodes;
  for (const auto& node : report.nodes()) nodes.insert(node.metadata().name());
  return std::ranges::any_of(report.pods(), [&nodes](const auto& pod) {
    return !pod.spec().node_name().empty() &&
           !nodes.contains(pod.spec().node_name());
  });
}

}  // namespace mulligan::stories
