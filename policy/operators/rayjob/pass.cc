#include "policy/operators/rayjob/pass.h"

#include <string>
#include <string_view>
#include <utility>

#include "absl/strings/str_cat.h"

namespace mulligan::rayjob {

void PassWriter::SetState(std::string_view state) {
  status().set_job_deployment_status(std::string(state));
}

bool PassWriter::Fail(std::string error) {
  pass_.error = std::move(error);
  return false;
}

std::string PassWriter::Named(const std::string& name) const {
  const std::string& space = job().metadata().namespace_();
  return absl::StrCat(space.empty() ? "default" : space, "/", name);
}

void PassWriter::Warn(std::string_view reason, std::string_view what,
                      const std::string& name, const std::string& error) {
  pass_.events.push_back(
      {"Warning", std::string(reason),
       absl::StrCat(std::string(what), " ", Named(name), ": ", error)});
}

bool EnsureCluster(PassWriter& pass) {
  if (pass.world().cluster != nullptr) return true;
  const std::string& name = pass.status().ray_cluster_name();
  if (!pass.spec().cluster_selector().empty()) {
    pass.result().events.push_back(
        {"Warning", "RayClusterNotFound",
         absl::StrCat("RayCluster ", pass.Named(name),
                      " set in the clusterSelector is not found. It must be "
                      "created manually")});
    return pass.Fail(
        absl::StrCat("RayCluster ", pass.Named(name), " is not found"));
  }
  if (!pass.world().errors.create_cluster.empty()) {
    pass.Warn("FailedToCreateRayCluster", "Failed to create RayCluster", name,
              pass.world().errors.create_cluster);
    return pass.Fail(pass.world().errors.create_cluster);
  }
  pass.result().creates_cluster = true;
  return true;
}

bool EnsureSubmitterJob(PassWriter& pass) {
  if (pass.world().submitter != nullptr) return true;
  if (!pass.world().errors.create_submitter.empty()) {
    pass.Warn(
        "FailedToCreateRayJobSubmitter", "Failed to create new Kubernetes Job",
        pass.job().metadata().name(), pass.world().errors.create_submitter);
    return pass.Fail(pass.world().errors.create_submitter);
  }
  pass.result().creates_submitter = true;
  return true;
}

}  // namespace mulligan::rayjob
