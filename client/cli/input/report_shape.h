// What protobuf's JSON parser would take, or drop, without a word: objects in
// the wrong place of a report, and enum names that do not exist.
#ifndef MULLIGAN_CLIENT_CLI_INPUT_REPORT_SHAPE_H_
#define MULLIGAN_CLIENT_CLI_INPUT_REPORT_SHAPE_H_

#include <string>
#include <string_view>
#include <vector>

#include "absl/status/status.h"
#include "google/protobuf/descriptor.h"

namespace mulligan::cli {

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
// `path` is put before the fields' paths. At most 20.
std::vector<std::string> FindUnknownEnumNames(
    std::string_view json, const google::protobuf::Descriptor& type,
    std::string_view path = "");

}  // namespace mulligan::cli

#endif  // MULLIGAN_CLIENT_CLI_INPUT_REPORT_SHAPE_H_
