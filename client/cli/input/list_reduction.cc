#include "client/cli/input/list_reduction.h"

#include <string>

#include "absl/strings/str_cat.h"
#include "client/cli/base/json_text.h"
#include "client/cli/input/quick_reader.h"

namespace mulligan::cli {
namespace {

using kubernetes::core::v1::Pod;

constexpr std::string_view kJobSetLabel = "jobset.sigs.k8s.io/jobset-name";

// Pods of one list that belong together; their items and signs side by side.
struct Family {
  std::vector<std::size_t> items;
  std::vector<PodSigns> signs;
};

// Empty: nobody's.
std::string FamilyOf(const Pod& pod) {
  const auto& meta = pod.metadata();
  if (const auto set = meta.labels().find(std::string(kJobSetLabel));
      set != meta.labels().end()) {
    return absl::StrCat(meta.namespace_(), "/", set->second);
  }
  for (const auto& owner : meta.owner_references()) {
    if (owner.controller()) return owner.uid();
  }
  return "";
}

// Those that cannot be read quickly stay.
std::map<std::string, Family> FamiliesOf(
    const std::vector<std::string_view>& items, bool of_pods) {
  std::map<std::string, Family> families;
  QuickReader reader;
  for (std::size_t i = 0; i < items.size(); ++i) {
    const std::string_view kind = JsonMemberOf(items[i], "kind");
    if (kind != "\"Pod\"" && !(of_pods && kind == "null")) continue;
    Pod pod;
    if (!reader.Read(items[i], pod)) continue;
    const std::string name = FamilyOf(pod);
    if (name.empty()) continue;
    Family& family = families[name];
    family.items.push_back(i);
    family.signs.push_back(SignsOf(pod));
  }
  return families;
}

}  // namespace

ListReduction::ListReduction(const std::vector<std::string_view>& items,
                             std::string_view list_kind, std::size_t most) {
  if (items.size() <= most) return;
  for (const auto& [name, family] : FamiliesOf(items, list_kind == "PodList")) {
    if (family.items.size() <= most) continue;
    dropped_.resize(items.size(), false);
    const std::vector<std::size_t> chosen = ChoosePods(family.signs, most);
    v1::PodCounts& counts = counts_[family.items[chosen.front()]];
    std::size_t next = 0;
    for (std::size_t i = 0; i < family.items.size(); ++i) {
      if (next < chosen.size() && chosen[next] == i) {
        ++next;
      } else {
        dropped_[family.items[i]] = true;
        CountOmitted(family.signs[i], counts);
      }
    }
  }
}

const v1::PodCounts* ListReduction::Find(std::size_t item) const {
  const auto found = counts_.find(item);
  return found == counts_.end() ? nullptr : &found->second;
}

}  // namespace mulligan::cli
