#include "client/cli/input/kubernetes_object.h"

#include "absl/strings/str_format.h"
#include "client/cli/base/utf8.h"

namespace mulligan::cli {

KubernetesObject::KubernetesObject(std::string_view input,
                                   std::string_view json)
    : source(input), text(json), members(JsonMembers(json)) {
  kind = String("kind");
  api_version = String("apiVersion");
}

std::string_view KubernetesObject::Find(std::string_view key) const {
  for (const JsonMember& member : members) {
    if (member.key == key) return member.value;
  }
  return "null";
}

std::string KubernetesObject::String(std::string_view key) const {
  return JsonStringValue(Find(key));
}

std::string KubernetesObject::Label() const {
  std::string label(source);
  if (!kind.empty()) label += ": " + kind;
  for (const JsonMember& member : JsonMembers(Find("metadata"))) {
    if (member.key == "name") label += " " + JsonStringValue(member.value);
  }
  return Printable(label);
}

}  // namespace mulligan::cli
