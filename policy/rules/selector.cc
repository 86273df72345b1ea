#include "policy/rules/selector.h"

#include <algorithm>
#include <string>
#include <string_view>

#include "policy/rules/sorted.h"

namespace mulligan {
namespace {

bool AnyGlob(const std::vector<std::string>& globs, std::string_view text) {
  return globs.empty() || std::any_of(globs.begin(), globs.end(),
                                      [text](const std::string& glob) {
                                        return GlobMatches(glob, text);
                                      });
}

bool OneOf(const std::vector<std::string>& values, const std::string& value) {
  return values.empty() ||
         std::find(values.begin(), values.end(), value) != values.end();
}

// A glob covers another when it matches it read as text: a star of the inner
// one then falls to a star of the outer one.
bool CoversGlobs(const std::vector<std::string>& wide,
                 const std::vector<std::string>& narrow) {
  return wide.empty() ||
         (!narrow.empty() && std::all_of(narrow.begin(), narrow.end(),
                                         [&wide](const std::string& glob) {
                                           return AnyGlob(wide, glob);
                                         }));
}

}  // namespace

bool GlobMatches(std::string_view glob, std::string_view text) {
  std::size_t g = 0;
  std::size_t t = 0;
  std::size_t star = std::string_view::npos;
  std::size_t after_star = 0;
  while (t < text.size()) {
    if (g < glob.size() && glob[g] == '*') {
      star = g++;
      after_star = t;
    } else if (g < glob.size() && glob[g] == text[t]) {
      ++g;
      ++t;
    } else if (star != std::string_view::npos) {
      // The last star takes one more character; earlier ones never need to.
      g = star + 1;
      t = ++after_star;
    } else {
      return false;
    }
  }
  while (g < glob.size() && glob[g] == '*') ++g;
  return g == glob.size();
}

CompiledSelector CompileSelector(const v1::Selector& selector) {
  CompiledSelector compiled;
  compiled.kinds = Sorted(selector.kinds());
  compiled.namespaces = Sorted(selector.namespaces());
  compiled.names = Sorted(selector.names());
  compiled.labels.assign(selector.match_labels().begin(),
                         selector.match_labels().end());
  std::sort(compiled.labels.begin(), compiled.labels.end());
  return compiled;
}

bool Selects(const CompiledSelector& selector,
             const v1::WorkloadReference& workload) {
  if (!OneOf(selector.kinds, workload.kind()) ||
      !AnyGlob(selector.namespaces, workload.namespace_()) ||
      !AnyGlob(selector.names, workload.name())) {
    return false;
  }
  const auto& labels = workload.labels();
  return std::all_of(selector.labels.begin(), selector.labels.end(),
                     [&labels](const auto& wanted) {
                       const auto found = labels.find(wanted.first);
                       return found != labels.end() &&
                              found->second == wanted.second;
                     });
}

bool Covers(const CompiledSelector& wide, const CompiledSelector& narrow) {
  const bool kinds = wide.kinds.empty() ||
                     (!narrow.kinds.empty() &&
                      std::includes(wide.kinds.begin(), wide.kinds.end(),
                                    narrow.kinds.begin(), narrow.kinds.end()));
  return kinds && CoversGlobs(wide.namespaces, narrow.namespaces) &&
         CoversGlobs(wide.names, narrow.names) &&
         std::includes(narrow.labels.begin(), narrow.labels.end(),
                       wide.labels.begin(), wide.labels.end());
}

}  // namespace mulligan
