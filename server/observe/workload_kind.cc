#include "server/observe/workload_kind.h"

#include <algorithm>

#include "policy/request/kinds.h"

namespace mulligan {
namespace {

std::vector<std::string> MakeLabels() {
  std::vector<std::string> labels;
  for (const Kind& kind : Kinds()) {
    if (kind.is_workload) labels.emplace_back(kind.name);
  }
  labels.emplace_back("other");
  return labels;
}

}  // namespace

const std::vector<std::string>& KindLabels() {
  static const std::vector<std::string> labels = MakeLabels();
  return labels;
}

std::size_t KindLabelOf(std::string_view kind) {
  const std::vector<std::string>& labels = KindLabels();
  const auto found = std::find(labels.begin(), labels.end() - 1, kind);
  return static_cast<std::size_t>(found - labels.begin());
}

}  // namespace mulligan
