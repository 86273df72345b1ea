#include "client/cli/kinds.h"

#include <array>

namespace mulligan::cli {
namespace {

constexpr std::array<KindRow, 17> kKinds = {{
    {"Pod", "", "pods"},
    {"Job", "batch", "jobs"},
    {"Node", "", "nodes"},
    {"Event", "", "events"},
    {"Event", "events.k8s.io", "events"},
    {"JobSet", "jobset.x-k8s.io", "jobSet"},
    {"RayJob", "ray.io", "rayJob"},
    {"RayCluster", "ray.io", "rayCluster"},
    {"TrainJob", "trainer.kubeflow.org", "trainJob"},
    {"Workload", "kueue.x-k8s.io", "kueueWorkload"},
    {"SparkApplication", "sparkoperator.k8s.io", "sparkApplication"},
    {"PyTorchJob", "kubeflow.org", "kubeflowJob"},
    {"TFJob", "kubeflow.org", "kubeflowJob"},
    {"MPIJob", "kubeflow.org", "kubeflowJob"},
    {"XGBoostJob", "kubeflow.org", "kubeflowJob"},
    {"PaddleJob", "kubeflow.org", "kubeflowJob"},
    {"JAXJob", "kubeflow.org", "kubeflowJob"},
}};

}  // namespace

std::string_view ApiGroup(std::string_view api_version) {
  const size_t slash = api_version.find('/');
  return slash == std::string_view::npos ? std::string_view()
                                         : api_version.substr(0, slash);
}

const KindRow* FindKind(std::string_view kind, std::string_view api_version) {
  for (const KindRow& row : kKinds) {
    if (row.kind == kind &&
        (api_version.empty() || row.group == ApiGroup(api_version))) {
      return &row;
    }
  }
  return nullptr;
}

std::string_view KindOfField(std::string_view field) {
  std::string_view kind;
  for (const KindRow& row : kKinds) {
    if (row.field != field || row.kind == kind) continue;
    if (!kind.empty()) return {};
    kind = row.kind;
  }
  return kind;
}

std::string KnownKinds() {
  std::string names;
  std::string_view previous;
  for (const KindRow& row : kKinds) {
    if (row.kind == previous) continue;
    previous = row.kind;
    if (!names.empty()) names += ", ";
    names += row.kind;
  }
  return names;
}

}  // namespace mulligan::cli
