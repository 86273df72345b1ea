#include "policy/operators/jobset/failure_policy.h"

#include <re2/re2.h>

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <limits>
#include <memory>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "google/protobuf/repeated_ptr_field.h"
#include "policy/base/characters.h"
#include "policy/base/text_pattern.h"

namespace mulligan::jobset {
namespace {

bool IsEmptyOrHas(const google::protobuf::RepeatedPtrField<std::string>& texts,
                  const std::string& text) {
  return texts.empty() ||
         std::find(texts.begin(), texts.end(), text) != texts.end();
}

// The Jobs that the rule applies to.
Jobs MetBy(const FailurePolicyRule& rule, const Jobs& failed,
           const Gates& gates, MessagePatterns& patterns,
           PatternAllowance& allowance) {
  const bool asks_message =
      gates.message_patterns && !rule.on_job_failure_message_patterns().empty();
  std::vector<std::unique_ptr<const RE2>> compiled;
  std::string error;
  for (const std::string& pattern : rule.on_job_failure_message_patterns()) {
    if (!asks_message) break;
    if (auto made = patterns.Compile(pattern, error)) {
      compiled.push_back(std::move(made));
    }
  }
  Jobs met;
  for (const Job* const job : failed) {
    const JobCondition& condition = *FailedCondition(*job);
    const std::string group = ReplicatedJobNameOf(*job);
    if (IsEmptyOrHas(rule.on_job_failure_reasons(), condition.reason()) &&
        !group.empty() && IsEmptyOrHas(rule.target_replicated_jobs(), group) &&
        (!asks_message ||
         std::any_of(compiled.begin(), compiled.end(), [&](const auto& each) {
           return allowance.Find(*each, condition.message());
         }))) {
      met.push_back(job);
    }
  }
  return met;
}

// Kubernetes' times have whole seconds.
std::int64_t JobFailedAt(const Job& job) {
  const JobCondition& failed = *FailedCondition(job);
  return failed.has_last_transition_time()
             ? failed.last_transition_time().seconds()
             : std::numeric_limits<std::int64_t>::min();
}

// \pL{3}, a letter of any alphabet three times, has 3,600 instructions and
// takes 2 ms to compile.
constexpr PatternBounds kLarge = {10'000, 1 << 20};

// Where the literal that \Q begins at `at` ends.
std::size_t LiteralEnd(std::string_view pattern, std::size_t at) {
  const std::size_t end = pattern.find("\\E", at);
  return end == std::string_view::npos ? pattern.size() : end + 2;
}

// Where the class that begins at `at` ends: a ] that comes first is a member.
std::size_t ClassEnd(std::string_view pattern, std::size_t at) {
  std::size_t i = at + 1;
  if (i < pattern.size() && pattern[i] == '^') ++i;
  if (i < pattern.size() && pattern[i] == ']') ++i;
  while (i < pattern.size() && pattern[i] != ']') {
    if (pattern.substr(i, 2) == "[:") {
      const std::size_t end = pattern.find(":]", i + 2);
      if (end != std::string_view::npos) i = end + 1;
    } else if (pattern[i] == '\\') {
      ++i;
    }
    ++i;
  }
  return std::min(i + 1, pattern.size());
}

// Length of "(?<" or "(?P<" at `at`; 0: there is none.
std::size_t GroupStart(std::string_view pattern, std::size_t at) {
  if (pattern.substr(at, 4) == "(?P<") return 4;
  const char next = at + 3 < pattern.size() ? pattern[at + 3] : '=';
  return pattern.substr(at, 3) == "(?<" && next != '=' && next != '!' ? 3 : 0;
}

// In RE2's words; empty, with an error: Go does not take it.
std::string FromGo(std::string_view pattern, std::string& error) {
  std::string out;
  std::size_t i = 0;
  const auto copy_to = [&](std::size_t end) {
    out += pattern.substr(i, end - i);
    i = end;
  };
  while (i < pattern.size()) {
    if (pattern.substr(i, 2) == "\\Q") {
      copy_to(LiteralEnd(pattern, i));
    } else if (pattern.substr(i, 2) == "\\C") {
      error = "is not an expression of Go: \\C";
      return "";
    } else if (pattern[i] == '\\') {
      copy_to(std::min(i + 2, pattern.size()));
    } else if (pattern[i] == '[') {
      copy_to(ClassEnd(pattern, i));
    } else if (const std::size_t length = GroupStart(pattern, i)) {
      i += length;
      const std::size_t end = std::min(pattern.find('>', i), pattern.size());
      const std::string_view name = pattern.substr(i, end - i);
      if (!std::all_of(name.begin(), name.end(),
                       [](char c) { return IsAlphanumeric(c) || c == '_'; })) {
        error = "is not an expression of Go: name of a group";
        return "";
      }
      out += "(?P<";
      copy_to(end);
    } else {
      copy_to(i + 1);
    }
  }
  return out;
}

}  // namespace

const Job* FirstFailedJob(const Jobs& failed) {
  return *std::min_element(failed.begin(), failed.end(),
                           [](const Job* a, const Job* b) {
                             return JobFailedAt(*a) < JobFailedAt(*b);
                           });
}

RuleMatch FindRule(const FailurePolicy& policy, const Jobs& failed,
                   const Gates& gates, PatternAllowance& allowance) {
  MessagePatterns patterns(allowance);
  for (const FailurePolicyRule& rule : policy.rules()) {
    const Jobs met = MetBy(rule, failed, gates, patterns, allowance);
    if (!met.empty()) return {&rule, FirstFailedJob(met)};
  }
  return {};
}

std::unique_ptr<const RE2> MessagePatterns::Compile(const std::string& pattern,
                                                    std::string& error) {
  error.clear();
  const std::string translated = FromGo(pattern, error);
  if (!error.empty()) return nullptr;
  std::unique_ptr<const RE2> compiled =
      MakePattern(translated, allowance_, error);
  if (compiled != nullptr || large_left_ == 0 || !IsTooLarge(error)) {
    return compiled;
  }
  --large_left_;
  return MakePattern(translated, allowance_, error, kLarge);
}

}  // namespace mulligan::jobset
