// Splits the bytes of one input into JSON values.
#ifndef MULLIGAN_CLIENT_CLI_INPUT_DOCUMENTS_H_
#define MULLIGAN_CLIENT_CLI_INPUT_DOCUMENTS_H_

#include <string>
#include <string_view>
#include <vector>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "client/cli/base/json_text.h"
#include "mulligan/v1/report.pb.h"

namespace mulligan::cli {

struct Documents {
  // JSON text of each value, in order.
  std::vector<std::string> json;
  // Sentences about repairs.
  std::vector<std::string> warnings;
};

// Accepts JSON (one value after another, as `kubectl -o json` twice or `jq -c`
// print them), YAML (any number of documents) and logs, which become a report.
// Messages begin with `source`, the name of the input.
//
// INVALID_ARGUMENT for other text (with line and column), for binary data and
// for UTF-16.
absl::StatusOr<Documents> SplitDocuments(std::string_view source,
                                         std::string bytes);

// Returns whether `bytes` have control characters that text never has.
bool LooksBinary(std::string_view bytes);

// Views into the text it is made from, which must outlive it.
struct KubernetesObject {
  // `input` names the source. REQUIRES: `json` is an object that CheckJsonValue
  // accepts.
  KubernetesObject(std::string_view input, std::string_view json);

  // Returns the value of a member; "null" if absent.
  std::string_view Find(std::string_view key) const;
  // Returns a string member; empty if absent.
  std::string String(std::string_view key) const;
  // The name for messages: "pods.json: Pod a-0".
  std::string Label() const;

  std::string_view source;
  std::string_view text;
  std::vector<JsonMember> members;
  // Empty if absent, as in elements of typed lists.
  std::string kind;
  std::string api_version;
};

// Returns the object as a core/v1 Event. events.k8s.io/v1 renamed fields
// (regarding, note, reportingController, deprecatedCount and the like). Other
// members and core/v1 events stay as they are.
std::string CoreEventJson(const KubernetesObject& event);

// Returns whether AddProtobuf should read `bytes`: they have the API server's
// envelope, or are binary and begin like an object with metadata.
bool LooksLikeProtobuf(std::string_view bytes);

// Adds a Pod, Job, Node or Event in the API server's envelope, or the bytes of
// Go's `pod.Marshal()` or `job.Marshal()`, which do not name their type: a pod
// phase makes them a Pod, a name and a pod template a Job. INVALID_ARGUMENT for
// anything else.
absl::Status AddProtobuf(std::string_view bytes, v1::FailureReport& report);

}  // namespace mulligan::cli

#endif  // MULLIGAN_CLIENT_CLI_INPUT_DOCUMENTS_H_
