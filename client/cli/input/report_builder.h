// Makes one DecideRequest out of any mix of inputs, and checks the shape of
// what is given as one.
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

// Takes, in JSON or YAML: the kinds of kinds.h, lists of them (v1 List, PodList
// and all others that end so), metav1.Status as the error of a creation,
// FailureReport and DecideRequest in proto JSON. In protobuf: objects in the
// API server's envelope, and bare Pods and Jobs. Not thread-safe.
class ReportBuilder {
 public:
  // Adds what `bytes` hold. `source` is the name of the input in messages.
  // INVALID_ARGUMENT for what cannot be read; what can be read and has no place
  // in a report is a warning.
  absl::Status Add(std::string_view source, std::string bytes);

  // One request with all that was added. INVALID_ARGUMENT when nothing usable
  // was.
  absl::StatusOr<v1::DecideRequest> Build();

  // The objects by workload, where they are of several. Empty: they are of one,
  // or the caller said what belongs together, in a FailureReport or
  // DecideRequest.
  std::vector<WorkloadReport> Workloads();

  // What the objects are of, whichever way they came; none for reports.
  std::vector<WorkloadGroup> Groups() const;

  // Sentences about what was ignored or repaired, at most 20.
  const std::vector<std::string>& warnings() const { return warnings_; }

 private:
  absl::Status AddValue(std::string_view source, std::string_view json);
  absl::Status AddObject(const KubernetesObject& object);
  absl::Status AddList(const KubernetesObject& list);
  absl::Status AddKnownKind(const KubernetesObject& object);
  absl::Status AddStatus(const KubernetesObject& object);
  absl::Status AddOwnMessage(const KubernetesObject& object);
  ReadObject& PlaceFor(const KubernetesObject& object);
  void Warn(std::string warning);
  void Ignore(const KubernetesObject& object);
  // Moves or copies the object into `report`, which takes one of some kinds.
  void Place(const ReadObject& object, v1::FailureReport& report);
  void Reduce(v1::FailureReport& report);

  // Objects of a kind that no report has a place for.
  struct Ignored {
    std::string first;
    int count = 0;
    size_t warning = 0;  // where it stands in the warnings
  };

  v1::DecideRequest request_;
  std::map<std::string, Ignored> ignored_;
  std::vector<ReadObject> read_;
  // Kind and UID to the place in read_.
  std::map<std::string, size_t> places_;
  std::vector<std::string> warnings_;
  size_t objects_ = 0;
};

// Checks the report within a DecideRequest. INVALID_ARGUMENT names field, found
// and expected: "report.pods[0]: kind is \"List\", expected Pod". Requires text
// that CheckJsonValue accepted.
absl::Status CheckRequestShape(std::string_view request);

// The same for a FailureReport; `path` is put before the fields' names.
absl::Status CheckReportShape(std::string_view report,
                              std::string_view path = "");

// The kind that objects in this field of a report have; empty when they may be
// of several or are no objects of Kubernetes.
std::string_view KindOfReportField(std::string_view json_name);

// A DecideRequest in which a report member named for one object of a list
// ("job": {...}) is that list ("jobs": [{...}]), each with a warning; without
// it the object would be an unknown field and be ignored. A report that has the
// list too is left alone. Requires what CheckRequestShape requires.
std::string ListsOfOne(std::string request, std::vector<std::string>& warnings);

// One sentence per enum field of `json`, an object that stands for a message of
// type `type`, whose name does not exist: field, value and allowed names.
// At most 20.
std::vector<std::string> FindUnknownEnumNames(
    std::string_view json, const google::protobuf::Descriptor& type);

// The row of the object's kind; null when a report has no place for it.
// Versions do not matter: fields keep their names. Without an apiVersion every
// group fits: objects cut down by hand often lack it.
const Kind* FieldRow(const KubernetesObject& object);

// Their names.
std::vector<std::string> TakenKinds();

// What to give in the place of an object that there is no place for.
std::string InsteadOf(const KubernetesObject& object);

}  // namespace mulligan::cli

#endif  // MULLIGAN_CLIENT_CLI_INPUT_REPORT_BUILDER_H_
