// From the bytes of one input to the JSON values in it.
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
  // Sentences about what had to be repaired.
  std::vector<std::string> warnings;
};

// Takes JSON (one value after another, as `kubectl -o json` twice or `jq -c`
// print them) or YAML (any number of documents); which one it is shows in the
// first character. Messages begin with `source`, the name of the input.
//
// INVALID_ARGUMENT with line and column for text that is neither, for binary
// data and for UTF-16.
absl::StatusOr<Documents> SplitDocuments(std::string_view source,
                                         std::string bytes);

// Whether `bytes` hold control characters that text never has.
bool LooksBinary(std::string_view bytes);

// Views into the text it was made from, which must outlive it.
struct KubernetesObject {
  // `json` must be an object that CheckJsonValue accepted; `input` names where
  // it came from.
  KubernetesObject(std::string_view input, std::string_view json);

  // The value of a member, "null" when there is none.
  std::string_view Find(std::string_view key) const;
  // The same for strings; empty when there is none.
  std::string String(std::string_view key) const;
  // What to call it in messages: "pods.json: Pod a-0".
  std::string Label() const;

  std::string_view source;
  std::string_view text;
  std::vector<JsonMember> members;
  // Empty when the text has none; elements of typed lists do not.
  std::string kind;
  std::string api_version;
};

// The object as a core/v1 Event. Group events.k8s.io renamed fields (v1:
// regarding, note, reportingController, deprecatedCount and its siblings);
// other members, and events that are core/v1 already, stay as they are.
std::string CoreEventJson(const KubernetesObject& event);

// Whether `bytes` are to be read by AddProtobuf: they have the API server's
// envelope, or are binary and begin like an object with metadata.
bool LooksLikeProtobuf(std::string_view bytes);

// Adds a Pod, Job, Node or Event in the API server's envelope, or the bytes of
// a Go `pod.Marshal()` or `job.Marshal()`. Those carry their type nowhere: they
// are a pod when they have a phase that pods have, a Job when they have a pod
// template. INVALID_ARGUMENT for anything else.
absl::Status AddProtobuf(std::string_view bytes, v1::FailureReport& report);

}  // namespace mulligan::cli

#endif  // MULLIGAN_CLIENT_CLI_INPUT_DOCUMENTS_H_
