#include "policy/operators/job/success_policy_validation.h"

#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "absl/strings/ascii.h"
#include "absl/strings/numbers.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_format.h"
#include "absl/strings/str_join.h"
#include "absl/strings/str_split.h"

namespace mulligan::job {
namespace {

constexpr int kMaxSuccessRules = 20;
constexpr int kMaxIndexesLength = 64 * 1024;

// The index, or why it is none.
std::string ParseIndex(const std::string& text, std::int64_t completions,
                       std::int64_t& index) {
  // Go's numbers have no spaces around them.
  if (absl::StripAsciiWhitespace(text) != text ||
      !absl::SimpleAtoi(text, &index)) {
    return absl::StrFormat("cannot convert string to integer for index: %s",
                           QuotedValue(text));
  }
  if (index >= completions) {
    return absl::StrFormat("too large index: %s", QuotedValue(text));
  }
  return "";
}

std::string NotIncreasing(std::int64_t previous, std::int64_t current) {
  return absl::StrFormat("non-increasing order, previous: %d, current: %d",
                         previous, current);
}

// Number of indexes in "1,3-5" into `total`; what is wrong with the text, empty
// when nothing is.
std::string CountIndexes(const std::string& text, std::int64_t completions,
                         std::int64_t& total) {
  total = 0;
  std::int64_t previous = -1;
  const std::vector<std::string> parts = absl::StrSplit(text, ',');
  for (const std::string& part : parts) {
    const std::vector<std::string> ends = absl::StrSplit(part, '-');
    if (ends.size() > 2) {
      return absl::StrFormat(
          "the fragment %s violates the requirement that an index interval "
          "can have at most two parts separated by '-'",
          QuotedValue(part));
    }
    std::int64_t first = 0;
    std::string fault = ParseIndex(ends[0], completions, first);
    if (!fault.empty()) return fault;
    std::int64_t last = first;
    if (ends.size() == 2) {
      fault = ParseIndex(ends[1], completions, last);
      if (!fault.empty()) return fault;
      if (first >= last) return NotIncreasing(first, last);
    }
    if (previous >= first) return NotIncreasing(previous, first);
    total += last - first + 1;
    previous = last;
  }
  return "";
}

void CheckSucceededCount(std::int64_t count, const std::string& path,
                         std::int64_t completions, const std::int64_t* indexes,
                         FieldErrors& errors) {
  CheckNonNegative(path, count, errors);
  if (count > completions) {
    errors.push_back(InvalidError(
        path, count,
        absl::StrFormat("must be less than or equal to %d (the number of "
                        "specified completions)",
                        completions)));
  }
  if (indexes != nullptr && count > *indexes) {
    errors.push_back(InvalidError(
        path, count,
        absl::StrFormat("must be less than or equal to %d (the number of "
                        "indexes in the specified succeededIndexes field)",
                        *indexes)));
  }
}

void CheckSuccessRule(const kubernetes::batch::v1::SuccessPolicyRule& rule,
                      const std::string& path, std::int64_t completions,
                      FieldErrors& errors) {
  if (!rule.has_succeeded_count() && !rule.has_succeeded_indexes()) {
    errors.push_back(RequiredError(
        path,
        "at least one of succeededCount or succeededIndexes must be "
        "specified"));
  }
  std::int64_t indexes = 0;
  if (rule.has_succeeded_indexes()) {
    const std::string& text = rule.succeeded_indexes();
    const std::string field = ChildField(path, "succeededIndexes");
    if (text.size() > std::size_t{kMaxIndexesLength}) {
      errors.push_back(TooLongError(field, kMaxIndexesLength));
    }
    const std::string fault =
        text.empty() ? "" : CountIndexes(text, completions, indexes);
    if (!fault.empty()) {
      indexes = 0;
      errors.push_back(
          InvalidError(field, QuotedValue(text),
                       "error parsing succeededIndexes: " + fault));
    }
  }
  if (rule.has_succeeded_count()) {
    CheckSucceededCount(
        rule.succeeded_count(), ChildField(path, "succeededCount"), completions,
        rule.has_succeeded_indexes() ? &indexes : nullptr, errors);
  }
}

}  // namespace

FieldErrors ValidateSuccessPolicy(const SuccessPolicy& policy,
                                  std::string_view path,
                                  std::int64_t completions) {
  FieldErrors errors;
  const std::string rules = ChildField(path, "rules");
  if (policy.rules().empty()) {
    errors.push_back(RequiredError(rules,
                                   "at least one rules must be specified when "
                                   "the successPolicy is specified"));
  }
  if (policy.rules_size() > kMaxSuccessRules) {
    errors.push_back(
        TooManyError(rules, policy.rules_size(), kMaxSuccessRules));
  }
  for (int i = 0; i < policy.rules_size(); ++i) {
    CheckSuccessRule(policy.rules(i), IndexField(rules, i), completions,
                     errors);
  }
  return errors;
}

std::string SuccessPolicyAsJson(const SuccessPolicy& policy) {
  if (policy.rules().empty()) return "{\"Rules\":null}";
  std::vector<std::string> rules;
  for (const auto& rule : policy.rules()) {
    rules.push_back(absl::StrFormat(
        "{\"SucceededIndexes\":%s,\"SucceededCount\":%s}",
        rule.has_succeeded_indexes() ? QuotedValue(rule.succeeded_indexes())
                                     : "null",
        rule.has_succeeded_count() ? absl::StrCat(rule.succeeded_count())
                                   : "null"));
  }
  return absl::StrFormat("{\"Rules\":[%s]}", absl::StrJoin(rules, ","));
}

}  // namespace mulligan::job
