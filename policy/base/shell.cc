#include "policy/base/shell.h"

#include <algorithm>

#include "absl/strings/ascii.h"
#include "absl/strings/str_cat.h"

namespace mulligan {

std::string Quoted(std::string_view text) {
  std::string quoted = "'";
  for (const char byte : text) {
    if (byte == '\'') {
      quoted += R"('\'')";
    } else {
      quoted.push_back(byte);
    }
  }
  return quoted + "'";
}

std::string ShellWord(std::string_view text) {
  // Shells give these characters no special meaning.
  const auto is_plain = [](unsigned char byte) {
    return absl::ascii_isalnum(byte) ||
           std::string_view("%+,-./:=@_").find(static_cast<char>(byte)) !=
               std::string_view::npos;
  };
  const bool plain = !text.empty() && std::ranges::all_of(text, is_plain);
  return plain ? std::string(text) : Quoted(text);
}

std::string NameWord(const char* kind, const std::string& name) {
  return ShellWord(name.starts_with('-') ? absl::StrCat(kind, "/", name)
                                         : name);
}

std::string InNamespace(std::string_view space) {
  return space.empty() ? "" : absl::StrCat(" -n ", ShellWord(space));
}

std::string LogCommand(const LogPlace& place) {
  return absl::StrCat(
      "kubectl logs", InNamespace(place.space), " ", NameWord("pod", place.pod),
      place.container.empty() ? "" : " -c " + ShellWord(place.container),
      place.restarted ? " --previous" : "");
}

}  // namespace mulligan
