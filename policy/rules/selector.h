// Which workloads a policy is for.
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

// All given conditions must hold; lists are alternatives, empty: any.
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

// Whether every workload that `narrow` selects is selected by `wide`, as far
// as can be told from the patterns. Never true wrongly.
bool Covers(const CompiledSelector& wide, const CompiledSelector& narrow);

// Each selector is filed under its most telling condition (its anchor): an
// exact namespace or name, a label, the literal start or end of a glob, a kind.
// A look-up reads the few buckets a workload can be in, so its cost does not
// grow with the number of selectors, unless many share one bucket. Only globs
// that both start and end with a star are tried one by one. Immutable.
class SelectorIndex {
 public:
  // `selectors` in the order in which they are tried; must outlive the index.
  explicit SelectorIndex(std::vector<const CompiledSelector*> selectors);

  // Position of the first selector that fits; the number of selectors when
  // none does.
  std::size_t FindFirst(const v1::WorkloadReference& workload) const;

 private:
  struct TextHash {
    using is_transparent = void;
    std::size_t operator()(std::string_view text) const {
      return std::hash<std::string_view>()(text);
    }
  };
  // Positions, ascending.
  using Bucket = std::vector<std::size_t>;
  using Buckets =
      std::unordered_map<std::string, Bucket, TextHash, std::equal_to<>>;

  // Globs by a literal end, and the lengths of those ends.
  struct Affixes {
    Buckets buckets;
    std::vector<std::size_t> lengths;
  };
  // Where globs over one text are filed.
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

// The values in ascending order, each once.
template <typename Field>
auto Sorted(const Field& values) {
  std::vector<typename Field::value_type> sorted(values.begin(), values.end());
  std::ranges::sort(sorted);
  sorted.erase(std::unique(sorted.begin(), sorted.end()), sorted.end());
  return sorted;
}

}  // namespace mulligan

#endif  // MULLIGAN_POLICY_RULES_SELECTOR_H_
