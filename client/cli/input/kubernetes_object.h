// A Kubernetes object as JSON text, with the few facts that routing it takes.
#ifndef MULLIGAN_CLIENT_CLI_INPUT_KUBERNETES_OBJECT_H_
#define MULLIGAN_CLIENT_CLI_INPUT_KUBERNETES_OBJECT_H_

#include <string>
#include <string_view>
#include <vector>

#include "client/cli/base/json_text.h"

namespace mulligan::cli {

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

}  // namespace mulligan::cli

#endif  // MULLIGAN_CLIENT_CLI_INPUT_KUBERNETES_OBJECT_H_
