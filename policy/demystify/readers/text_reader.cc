#include "policy/demystify/readers/text_reader.h"

#include <algorithm>

#include "policy/demystify/weighing/scene.h"
#include "policy/demystify/weighing/weighing.h"

namespace mulligan::demystify {
namespace {

bool operator==(const Place& a, const Place& b) {
  return a.root == b.root && a.index == b.index && a.item == b.item &&
         a.owner == b.owner && std::string_view(a.list) == b.list &&
         std::string_view(a.leaf) == b.leaf;
}

}  // namespace

bool HasUserSignature(const Candidates& candidates, const Place& place) {
  return std::ranges::any_of(candidates, [&place](const Candidate& fact) {
    return fact.table.empty() && fact.place == place;
  });
}

bool IsAboutImage(std::string_view text) {
  constexpr std::string_view kWords[] = {"pull", "ErrImage", "InvalidImageName",
                                         "ImageInspect", "image \""};
  return std::ranges::any_of(kWords, [text](std::string_view word) {
    return text.find(word) != text.npos;
  });
}

const Signature* AddText(Candidates& candidates, const TextTable& table,
                         std::string_view text, const Place& place,
                         Seconds at) {
  std::size_t offset = 0;
  const TextSignature* found = table.Find(text, &offset);
  if (found == nullptr) return nullptr;
  const bool users_own = HasUserSignature(candidates, place);
  Candidate& fact =
      AddFact(candidates, table.name(), found->row, place, {}, at);
  if (users_own) Weigh(Round::kRead, fact, {.users_own = true});
  fact.text = text;
  fact.found_at = offset;
  return &found->row;
}

}  // namespace mulligan::demystify
