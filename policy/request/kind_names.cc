#include "policy/request/kind_names.h"

#include <algorithm>
#include <span>
#include <string>

#include "absl/strings/ascii.h"
#include "absl/strings/str_cat.h"

namespace mulligan {
namespace {

std::string Lower(std::string_view text) {
  std::string lower(text);
  absl::AsciiStrToLower(&lower);
  return lower;
}

// Returns whether the words differ by one letter after the first (missing,
// added or changed) or by two swapped neighbours. The first letter must match
// because short kinds such as Job are suffixes of many others.
bool IsOneSlip(std::string_view a, std::string_view b) {
  if (a.empty() || b.empty() || a.front() != b.front()) return false;
  while (!a.empty() && !b.empty() && a.front() == b.front()) {
    a.remove_prefix(1);
    b.remove_prefix(1);
  }
  while (!a.empty() && !b.empty() && a.back() == b.back()) {
    a.remove_suffix(1);
    b.remove_suffix(1);
  }
  if (a.size() <= 1 && b.size() <= 1) return true;
  return a.size() == 2 && b.size() == 2 && a[0] == b[1] && a[1] == b[0];
}

}  // namespace

const Kind* FindKind(std::string_view name) {
  const std::span<const Kind> kinds = Kinds();
  const auto found = std::ranges::find(kinds, name, &Kind::name);
  return found == kinds.end() ? nullptr : &*found;
}

int SeniorityOf(std::string_view name) {
  if (name.empty()) return -1;
  const Kind* const kind = FindKind(name);
  return kind == nullptr ? kUnknownSeniority : kind->seniority;
}

bool IsKnownKind(std::string_view name) {
  const Kind* const kind = FindKind(name);
  return kind != nullptr && kind->is_known;
}

std::string_view SuggestKind(std::string_view name) {
  if (IsKnownKind(name)) return {};
  const std::string given = Lower(name);
  std::string_view nearest;
  for (const Kind& kind : Kinds()) {
    if (!kind.is_known) continue;
    const std::string meant = Lower(kind.name);
    if (given == meant || given == absl::StrCat(meant, "s")) return kind.name;
    // Of several matches, the alphabetically first.
    if (IsOneSlip(given, meant) && (nearest.empty() || kind.name < nearest)) {
      nearest = kind.name;
    }
  }
  return nearest;
}

bool IsTrainingKind(std::string_view name) {
  if (name == kTrainingJob) return true;
  const Kind* const kind = FindKind(name);
  return kind != nullptr && kind->source == "Kubeflow";
}

std::string_view ApiGroup(std::string_view api_version) {
  const std::size_t slash = api_version.find('/');
  return slash == std::string_view::npos ? std::string_view()
                                         : api_version.substr(0, slash);
}

}  // namespace mulligan
