#include "policy/answer/paths.h"

#include <cstddef>
#include <string>
#include <string_view>
#include <vector>

#include "absl/strings/numbers.h"
#include "absl/strings/str_cat.h"

namespace mulligan {

void RestorePaths(const Unread& objects, v1::Diagnosis& diagnosis) {
  if (objects.empty()) return;
  struct List {
    std::string_view prefix;
    const std::vector<int>& removed;
  };
  const List lists[] = {{"pods[", objects.pods},
                        {"jobs[", objects.jobs},
                        {"events[", objects.events}};
  const auto restore = [&lists](std::string& path) {
    for (const List& list : lists) {
      if (path.compare(0, list.prefix.size(), list.prefix) != 0) continue;
      const std::size_t end = path.find(']');
      int index = 0;
      if (!absl::SimpleAtoi(
              path.substr(list.prefix.size(), end - list.prefix.size()),
              &index)) {
        continue;
      }
      for (const int removed : list.removed) index += removed <= index ? 1 : 0;
      path = absl::StrCat(std::string(list.prefix), index, path.substr(end));
    }
  };
  for (v1::Evidence& evidence : *diagnosis.mutable_evidence()) {
    restore(*evidence.mutable_path());
  }
  if (diagnosis.has_problem_evidence()) {
    restore(*diagnosis.mutable_problem_evidence()->mutable_path());
  }
}

}  // namespace mulligan
