// Builds one DecideRequest from any mix of inputs, and checks the shape of
// requests.
#ifndef MULLIGAN_CLIENT_CLI_INPUT_REPORT_BUILDER_H_
#define MULLIGAN_CLIENT_CLI_INPUT_REPORT_BUILDER_H_

#include <map>
#include <string>
#include <string_view>
#include <vector>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "client/cli/input/documents.h"
#include "client/cli/input/workload_groups.h"
#include "google/protobuf/descriptor.h"
#include "mulligan/v1/retry_decision_service.pb.h"
#include "policy/request/kinds.h"

namespace mulligan::cli {

// The objects of one workload.
struct WorkloadReport {
  WorkloadGroup group;
  v1::FailureReport report;
};

// Accepts in JSON or YAML: the kinds of kinds.h, lists of them (v1 List,
// PodList and the like), metav1.Status as the error of a creation, and
// FailureReport and DecideRequest in proto JSON. In protobuf: objects in the
// API server's envelope, and bare Pods and Jobs. Not thread-safe.
class ReportBuilder {
 public:
  // Adds the content of `bytes`. `source` names the input in messages.
  // INVALID_ARGUMENT if it cannot be read. Objects that reports do not accept
  // are warnings.
  absl::Status Add(std::string_view source, std::string bytes);

  // Returns one request with everything added. INVALID_ARGUMENT if there is
  // nothing usable.
  absl::StatusOr<v1::DecideRequest> Build();

  // Returns the objects by workload if there are several workloads. Empty if
  // there is one, or if a FailureReport or DecideRequest says what belongs
  // together.
  std::vector<WorkloadReport> Workloads();

  // Returns the workloads of the objects; empty for reports.
  std::vector<WorkloadGroup> Groups() const;

  // Sentences about what was ignored or repaired, at most 20.
  const std::vector<std::string>& warnings() const { return warnings_; }

 private:
  absl::Status AddValue(std::string_view source, std::string_view json);
  absl::Status AddObject(const KubernetesObject& object);
  absl::Status AddList(const KubernetesObject& list);
  absl::Status AddKnownKind(const KubernetesObject& object);
  absl::Status AddStatus(const KubernetesObject& object);
  absl::Status AddAttempt(std::string_view source,
                          const absl::StatusOr<v1::FailureReport>& report);
  static void GiveLogToAttempt(v1::FailureReport& report);
  absl::Status AddOwnMessage(const KubernetesObject& object);
  ReadObject& PlaceFor(const KubernetesObject& object);
  void Warn(std::string warning);
  void Ignore(const KubernetesObject& object);
  // Merges the object into `report`, which holds only one of some kinds.
  void Place(const ReadObject& object, v1::FailureReport& report);
  void Reduce(v1::FailureReport& report);

  // Objects of one kind that reports do not accept.
  struct Ignored {
    std::string first;
    int count = 0;
    size_t warning = 0;  // index in warnings_
  };

  v1::DecideRequest request_;
  std::map<std::string, Ignored> ignored_;
  std::vector<ReadObject> read_;
  // Kind and UID to the index in read_.
  std::map<std::string, size_t> places_;
  std::vector<std::string> warnings_;
  size_t objects_ = 0;
};

// Checks the report of a DecideRequest. INVALID_ARGUMENT names the field, the
// value and the expected form: "report.pods[0]: kind is \"List\", expected
// Pod". REQUIRES: CheckJsonValue accepts `request`.
absl::Status CheckRequestShape(std::string_view request);

// Returns the kind of the objects in this field of a report; empty if the field
// takes several kinds or no Kubernetes objects.
std::string_view KindOfReportField(std::string_view json_name);

// Returns the DecideRequest with each report member that has the singular name
// of a list ("job": {...}) replaced by the list ("jobs": [{...}]), with a
// warning. Otherwise it would be ignored as an unknown field. Does not replace
// a member whose list exists. REQUIRES: CheckJsonValue accepts `request`.
std::string ListsOfOne(std::string request, std::vector<std::string>& warnings);

}  // namespace mulligan::cli

#endif  // MULLIGAN_CLIENT_CLI_INPUT_REPORT_BUILDER_H_
