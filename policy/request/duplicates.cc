#include "policy/request/duplicates.h"

#include <algorithm>
#include <bit>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <string_view>
#include <vector>

#include "absl/strings/numbers.h"
#include "absl/strings/str_cat.h"
#include "policy/base/utf8.h"

namespace mulligan {
namespace {

using kubernetes::meta::v1::ObjectMeta;

// Identifies an object among those of its kind.
struct Identity {
  explicit Identity(const ObjectMeta& meta) : uid(meta.uid()) {
    if (!uid.empty()) return;
    space = meta.namespace_();
    name = meta.name();
    created = meta.creation_timestamp().seconds();
  }
  bool operator==(const Identity&) const = default;
  // False for hand-written objects, which may be any object.
  bool IsKnown() const {
    return !uid.empty() || (!space.empty() && !name.empty());
  }

  std::string_view uid;
  std::string_view space;
  std::string_view name;
  std::int64_t created = 0;
};

// A hash table of indexes. A node-based set is too slow for large gangs.
class Seen {
 public:
  explicit Seen(int count)
      : slots_(std::bit_ceil(2 * static_cast<std::size_t>(count)), -1) {}

  // Returns the slot of an equal object, or a negative slot to fill.
  int& Find(const Identity& identity, const auto& objects) {
    std::size_t slot = std::hash<std::string_view>()(
        identity.uid.empty() ? identity.name : identity.uid);
    while (true) {
      int& index = slots_[slot++ % slots_.size()];
      if (index < 0 || Identity(objects[index].metadata()) == identity) {
        return index;
      }
    }
  }

 private:
  std::vector<int> slots_;
};

bool IsNewer(const ObjectMeta& a, const ObjectMeta& b) {
  std::int64_t version_a = 0;
  std::int64_t version_b = 0;
  return absl::SimpleAtoi(a.resource_version(), &version_a) &&
         absl::SimpleAtoi(b.resource_version(), &version_b) &&
         version_a > version_b;
}

// Returns the index of the first duplicate; -1 if none.
int Add(const auto& objects, std::vector<int>& left_out) {
  if (objects.size() < 2) return -1;
  const std::size_t before = left_out.size();
  Seen seen(objects.size());
  for (int i = 0; i < objects.size(); ++i) {
    const ObjectMeta& meta = objects[i].metadata();
    const Identity identity(meta);
    if (!identity.IsKnown()) continue;
    int& kept = seen.Find(identity, objects);
    const bool stays = kept >= 0 && IsNewer(objects[kept].metadata(), meta);
    if (kept >= 0) left_out.push_back(stays ? i : kept);
    if (!stays) kept = i;
  }
  if (left_out.size() == before) return -1;
  const int first = left_out[before];
  std::ranges::sort(left_out);
  left_out.erase(std::unique(left_out.begin(), left_out.end()), left_out.end());
  return first;
}

std::string Label(std::string_view kind, const ObjectMeta& meta) {
  return absl::StrCat(std::string(kind), " ", Visible(meta.namespace_()), "/",
                      Visible(meta.name()));
}

}  // namespace

std::string AddDuplicates(const v1::FailureReport& report, Unread& unread) {
  const int pod = Add(report.pods(), unread.pods);
  const int job = Add(report.jobs(), unread.jobs);
  if (pod >= 0) return Label("Pod", report.pods(pod).metadata());
  if (job >= 0) return Label("Job", report.jobs(job).metadata());
  return {};
}

}  // namespace mulligan
