// Selection of workloads by a policy.
#ifndef MULLIGAN_POLICY_RULES_SELECTOR_H_
#define MULLIGAN_POLICY_RULES_SELECTOR_H_

#include <algorithm>
#include <cstddef>
#include <functional>
#include <string>
#include <string_view>
#include <unordered_map>
#include <utility>
#include <vector>

#include "mulligan/v1/policy.pb.h"
#include "mulligan/v1/report.pb.h"

namespace mulligan {

// All given conditions must hold. A list holds alternatives; empty means any.
struct CompiledSelector {
  std::vector<std::string> kinds;
  std::vector<std::string> namespaces;                      // globs
  std::vector<std::string> names;                           // globs
  std::vector<std::pair<std::string, std::string>> labels;  // sorted

  bool IsCatchAll() const {
    return kinds.empty() && namespaces.empty() && names.empty() &&
           labels.empty();
  }
};

CompiledSelector CompileSelector(const v1::Selector& selector);

bool Selects(const CompiledSelector& selector,
             const v1::WorkloadReference& workload);

// Returns whether `wide` provably selects every workload that `narrow` selects.
// True is always correct; false may mean that there is no proof.
bool Covers(const CompiledSelector& wide, const CompiledSelector& narrow);

// Finds selectors by their most specific condition: an exact namespace or name,
// a label, the literal start or end of a glob, or a kind. A look-up reads only
// the few buckets of a workload, so its cost does not grow with the number of
// selectors unless many share a bucket. Only globs that both start and end with
// a star are tried one by one. Immutable.
class SelectorIndex {
 public:
  // `selectors` are in the order of precedence and must outlive the index.
  explicit SelectorIndex(std::vector<const CompiledSelector*> selectors);

  // Returns the position of the first selector that matches; the number of
  // selectors if none does.
  std::size_t FindFirst(const v1::WorkloadReference& workload) const;

 private:
  struct TextHash {
    using is_transparent = void;
    std::size_t operator()(std::string_view text) const {
      return std::hash<std::string_view>()(text);
    }
  };
  // Ascending positions.
  using Bucket = std::vector<std::size_t>;
  using Buckets =
      std::unordered_map<std::string, Bucket, TextHash, std::equal_to<>>;

  // Globs by a literal end, and the lengths of those ends.
  struct Affixes {
    Buckets buckets;
    std::vector<std::size_t> lengths;
  };
  // The globs over one text.
  struct Globs {
    Buckets exact;
    Affixes prefixes;
    Affixes suffixes;
  };

  void File(std::size_t position);
  static bool FileGlobs(const std::vector<std::string>& globs, bool exact_only,
                        std::size_t position, Globs& target);
  void Try(const Bucket& bucket, const v1::WorkloadReference& workload,
           std::size_t& best) const;
  void TryText(const Buckets& buckets, std::string_view text,
               const v1::WorkloadReference& workload, std::size_t& best) const;
  void TryGlobs(const Globs& globs, std::string_view text,
                const v1::WorkloadReference& workload, std::size_t& best) const;

  std::vector<const CompiledSelector*> selectors_;
  Globs namespaces_;
  Globs names_;
  std::unordered_map<std::string, Buckets, TextHash, std::equal_to<>> labels_;
  Buckets kinds_;
  Bucket others_;
};

// Returns the distinct values in ascending order.
template <typename Field>
auto Sorted(const Field& values) {
  std::vector<typename Field::value_type> sorted(values.begin(), values.end());
  std::ranges::sort(sorted);
  sorted.erase(std::unique(sorted.begin(), sorted.end()), sorted.end());
  return sorted;
}

}  // namespace mulligan

#endif  // MULLIGAN_POLICY_RULES_SELECTOR_H_
