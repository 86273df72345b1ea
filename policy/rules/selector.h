// Which workloads a policy is for.
#ifndef MULLIGAN_POLICY_RULES_SELECTOR_H_
#define MULLIGAN_POLICY_RULES_SELECTOR_H_

#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "mulligan/v1/policy.pb.h"
#include "mulligan/v1/report.pb.h"

namespace mulligan {

// Whether `text` matches `glob`, in which `*` stands for any run of
// characters, also an empty one. Everything else is literal.
bool GlobMatches(std::string_view glob, std::string_view text);

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

}  // namespace mulligan

#endif  // MULLIGAN_POLICY_RULES_SELECTOR_H_
