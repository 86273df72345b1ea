#include "policy/words/placeholders.h"

#include "absl/strings/str_replace.h"

namespace mulligan::words {

Placeholders PlaceholdersOf(const Particulars& found) {
  const std::string& image = found.image;
  return {
      {"{image}", Named("image", image)},
      {"{pod}", PodText(found)},
      {"{node}", Named("node", found.node)},
      {"{container}", ContainerText(found)},
      {"{logs}", found.logs},
      {"{says}", found.message.empty() ? "" : ": " + found.message},
      {"{tag}", image.find('@') == std::string::npos ? "tag" : "digest"},
      {"{limit}", found.limit.empty() ? "" : "'s limit of " + found.limit},
      {"{above}", found.limit.empty() ? "" : ", its limit is " + found.limit},
      {"{space}", found.space.empty() ? "" : " in namespace " + found.space}};
}

std::string Fill(std::string_view text, const Placeholders& values) {
  return absl::StrReplaceAll({text.data(), text.size()}, values);
}

}  // namespace mulligan::words
