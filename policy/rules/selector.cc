#include "policy/rules/selector.h"

#include <algorithm>
#include <string>
#include <string_view>
#include <utility>

#include "policy/base/glob.h"
#include "policy/base/labels.h"

namespace mulligan {
namespace {

bool AnyGlob(const std::vector<std::string>& globs, std::string_view text) {
  return globs.empty() ||
         std::ranges::any_of(globs, [text](const std::string& glob) {
           return GlobMatches(glob, text);
         });
}

bool OneOf(const std::vector<std::string>& values, const std::string& value) {
  return values.empty() || std::ranges::find(values, value) != values.end();
}

// A glob covers another if it matches the other's text: a star of the inner
// glob then falls on a star of the outer one.
bool CoversGlobs(const std::vector<std::string>& wide,
                 const std::vector<std::string>& narrow) {
  return wide.empty() ||
         (!narrow.empty() &&
          std::ranges::all_of(narrow, [&wide](const std::string& glob) {
            return AnyGlob(wide, glob);
          }));
}

std::string_view Prefix(std::string_view glob) {
  return glob.substr(0, glob.find('*'));
}

std::string_view Suffix(std::string_view glob) {
  const std::size_t star = glob.rfind('*');
  return star == std::string_view::npos ? glob : glob.substr(star + 1);
}

bool IsExact(std::string_view glob) {
  return glob.find('*') == std::string_view::npos;
}

}  // namespace

CompiledSelector CompileSelector(const v1::Selector& selector) {
  CompiledSelector compiled;
  compiled.kinds = Sorted(selector.kinds());
  compiled.namespaces = Sorted(selector.namespaces());
  compiled.names = Sorted(selector.names());
  compiled.labels.assign(selector.match_labels().begin(),
                         selector.match_labels().end());
  std::ranges::sort(compiled.labels);
  return compiled;
}

bool Selects(const CompiledSelector& selector,
             const v1::WorkloadReference& workload) {
  if (!OneOf(selector.kinds, workload.kind()) ||
      !AnyGlob(selector.namespaces, workload.namespace_()) ||
      !AnyGlob(selector.names, workload.name())) {
    return false;
  }
  return HasLabels(workload.labels(), selector.labels);
}

bool Covers(const CompiledSelector& wide, const CompiledSelector& narrow) {
  const bool kinds =
      wide.kinds.empty() || (!narrow.kinds.empty() &&
                             std::ranges::includes(wide.kinds, narrow.kinds));
  return kinds && CoversGlobs(wide.namespaces, narrow.namespaces) &&
         CoversGlobs(wide.names, narrow.names) &&
         std::ranges::includes(narrow.labels, wide.labels);
}

SelectorIndex::SelectorIndex(std::vector<const CompiledSelector*> selectors)
    : selectors_(std::move(selectors)) {
  for (std::size_t i = 0; i < selectors_.size(); ++i) File(i);
}

bool SelectorIndex::FileGlobs(const std::vector<std::string>& globs,
                              bool exact_only, std::size_t position,
                              Globs& target) {
  // Either all alternatives can be looked up, or none is filed.
  const bool usable =
      !globs.empty() &&
      std::ranges::all_of(globs, [&](const std::string& glob) {
        return IsExact(glob) || (!exact_only && (!Prefix(glob).empty() ||
                                                 !Suffix(glob).empty()));
      });
  if (!usable) return false;
  const auto file = [position](Affixes& affixes, std::string_view affix) {
    affixes.buckets[std::string(affix)].push_back(position);
    if (std::ranges::find(affixes.lengths, affix.size()) ==
        affixes.lengths.end()) {
      affixes.lengths.push_back(affix.size());
    }
  };
  for (const std::string& glob : globs) {
    if (IsExact(glob)) {
      target.exact[glob].push_back(position);
    } else if (Prefix(glob).size() >= Suffix(glob).size()) {
      file(target.prefixes, Prefix(glob));
    } else {
      file(target.suffixes, Suffix(glob));
    }
  }
  return true;
}

void SelectorIndex::File(std::size_t position) {
  const CompiledSelector& selector = *selectors_[position];
  if (FileGlobs(selector.namespaces, true, position, namespaces_) ||
      FileGlobs(selector.names, true, position, names_)) {
    return;
  }
  if (!selector.labels.empty()) {
    const auto& [key, value] = selector.labels.front();
    labels_[key][value].push_back(position);
    return;
  }
  if (FileGlobs(selector.namespaces, false, position, namespaces_) ||
      FileGlobs(selector.names, false, position, names_)) {
    return;
  }
  for (const std::string& kind : selector.kinds) {
    kinds_[kind].push_back(position);
  }
  if (selector.kinds.empty()) others_.push_back(position);
}

void SelectorIndex::Try(const Bucket& bucket,
                        const v1::WorkloadReference& workload,
                        std::size_t& best) const {
  for (const std::size_t position : bucket) {
    if (position >= best) return;
    if (Selects(*selectors_[position], workload)) {
      best = position;
      return;
    }
  }
}

void SelectorIndex::TryText(const Buckets& buckets, std::string_view text,
                            const v1::WorkloadReference& workload,
                            std::size_t& best) const {
  if (buckets.empty()) return;
  if (const auto found = buckets.find(text); found != buckets.end()) {
    Try(found->second, workload, best);
  }
}

void SelectorIndex::TryGlobs(const Globs& globs, std::string_view text,
                             const v1::WorkloadReference& workload,
                             std::size_t& best) const {
  TryText(globs.exact, text, workload, best);
  for (const std::size_t length : globs.prefixes.lengths) {
    if (length > text.size()) continue;
    TryText(globs.prefixes.buckets, text.substr(0, length), workload, best);
  }
  for (const std::size_t length : globs.suffixes.lengths) {
    if (length > text.size()) continue;
    TryText(globs.suffixes.buckets, text.substr(text.size() - length), workload,
            best);
  }
}

std::size_t SelectorIndex::FindFirst(
    const v1::WorkloadReference& workload) const {
  std::size_t best = selectors_.size();
  TryGlobs(namespaces_, workload.namespace_(), workload, best);
  TryGlobs(names_, workload.name(), workload, best);
  if (!labels_.empty()) {
    for (const auto& [key, value] : workload.labels()) {
      const auto values = labels_.find(std::string_view(key));
      if (values != labels_.end()) {
        TryText(values->second, value, workload, best);
      }
    }
  }
  TryText(kinds_, workload.kind(), workload, best);
  Try(others_, workload, best);
  return best;
}

}  // namespace mulligan
