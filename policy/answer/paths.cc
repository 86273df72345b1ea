#include "policy/answer/paths.h"

#include <cstddef>
#include <string>
#include <string_view>
#include <vector>

#include "absl/strings/numbers.h"
#include "absl/strings/str_cat.h"
#include "policy/demystify/ended_attempt.h"

namespace mulligan {
namespace {

void ForEachPath(v1::Diagnosis& diagnosis, const auto& change) {
  for (v1::Evidence& evidence : *diagnosis.mutable_evidence()) {
    change(*evidence.mutable_path());
  }
  if (diagnosis.has_problem_evidence()) {
    change(*diagnosis.mutable_problem_evidence()->mutable_path());
  }
}

}  // namespace

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
  ForEachPath(diagnosis, restore);
}

void RestorePaths(const v1::EndedAttempt& attempt, v1::Diagnosis& diagnosis) {
  ForEachPath(diagnosis, [&attempt](std::string& path) {
    if (!path.starts_with("pods[")) return;
    path = demystify::PathInAttempt(attempt, path);
  });
}

}  // namespace mulligan
