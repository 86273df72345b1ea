// Any text as a policy file: it loads, or is refused with a reason.
#include <cstddef>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <memory>
#include <string>
#include <vector>

#include "policy/loader/issue_format.h"
#include "policy/loader/load.h"

namespace {

constexpr size_t kMaxBytes = size_t{64} * 1024;

void Require(bool holds, const char* property) {
  if (holds) return;
  std::fprintf(stderr, "property fails: %s\n", property);
  std::abort();
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  if (size > kMaxBytes) return 0;
  const std::vector<mulligan::PolicyText> texts = {
      {"fuzz.yaml", std::string(data, data + size)}};
  mulligan::Issues issues;
  const std::unique_ptr<const mulligan::PolicySet> policies =
      mulligan::LoadPolicies(texts, issues);
  Require((policies == nullptr) == mulligan::HasErrors(issues),
          "a set is refused exactly when there are errors");
  for (const mulligan::Issue& issue : issues) {
    Require(
        !issue.message.empty() && issue.message.find('\n') == std::string::npos,
        "an issue is one line");
    Require(issue.position.line >= 0 && issue.position.column >= 0,
            "positions are not negative");
  }
  Require(mulligan::FormatIssues(issues, texts, true).empty() == issues.empty(),
          "issues can be shown");
  if (policies != nullptr) {
    Require(policies->revision().size() == 16, "a set has a revision");
    Require(!policies->Select({}).name().empty(), "there is a catch-all");
  }
  return 0;
}
