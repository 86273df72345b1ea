#include "tests/policy/fixtures.h"

#include <utility>

#include "policy/base/message_json.h"

namespace mulligan::testing {

v1::RetryPolicy PolicyOf(std::string_view spec, std::string_view name) {
  v1::RetryPolicy policy;
  policy.set_api_version("mulligan.dev/v1");
  policy.set_kind("RetryPolicy");
  policy.mutable_metadata()->set_name(std::string(name));
  *policy.mutable_spec() = Parse<v1::RetryPolicySpec>(spec);
  return policy;
}

std::unique_ptr<const Ruleset> Compiled(std::string_view spec,
                                        std::string_view name) {
  Issues issues;
  PatternAllowance allowance;
  auto rules = Ruleset::Compile(PolicyOf(spec, name), SourceMap("test.yaml"),
                                issues, allowance);
  for (const Issue& issue : issues) {
    EXPECT_NE(issue.severity, Issue::Severity::kError) << FormatIssue(issue);
  }
  return rules;
}

std::unique_ptr<const PolicySet> SetOf(std::string_view spec) {
  std::vector<std::unique_ptr<const Ruleset>> policies;
  policies.push_back(Compiled(spec));
  Issues issues;
  auto set = PolicySet::Create(std::move(policies), "r1", issues);
  EXPECT_NE(set, nullptr);
  return set;
}

std::string Bytes(const google::protobuf::Message& message) {
  return DeterministicBytes(message);
}

std::vector<std::string> Texts(const Issues& issues) {
  std::vector<std::string> texts;
  for (const Issue& issue : issues) {
    texts.push_back(
        (issue.severity == Issue::Severity::kError ? "error: " : "warning: ") +
        issue.message);
  }
  return texts;
}

}  // namespace mulligan::testing
