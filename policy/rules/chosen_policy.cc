#include "policy/rules/chosen_policy.h"

#include <string>
#include <utility>
#include <vector>

#include "absl/strings/str_cat.h"
#include "absl/strings/str_format.h"
#include "google/protobuf/io/coded_stream.h"
#include "google/protobuf/io/zero_copy_stream_impl_lite.h"
#include "policy/base/pattern_allowance.h"
#include "policy/base/stable_hash.h"
#include "policy/limits.h"
#include "policy/request/refusal.h"

namespace mulligan {
namespace {

// Map entries in key order, so that equal policies have equal revisions.
std::string BytesOf(const v1::RetryPolicy& policy) {
  std::string bytes;
  google::protobuf::io::StringOutputStream stream(&bytes);
  google::protobuf::io::CodedOutputStream coded(&stream);
  coded.SetSerializationDeterministic(true);
  policy.SerializeToCodedStream(&coded);
  coded.Trim();
  return bytes;
}

std::string RevisionOf(const std::string& bytes) {
  std::string revision = "inline-";
  AppendHex(StableHash().Add(bytes).value(), revision);
  return revision;
}

absl::Status OutOfBounds(const char* field, const std::string& description) {
  return Refusal(absl::StrCat(field, ": ", description),
                 {{field, description}});
}

// What can be seen without compiling.
absl::Status CheckSize(const v1::RetryPolicy& policy) {
  if (const std::size_t bytes = policy.ByteSizeLong();
      bytes > kMaxInlinePolicyBytes) {
    return OutOfBounds("inlinePolicy",
                       absl::StrFormat("has %d bytes; expected at most %d",
                                       bytes, kMaxInlinePolicyBytes));
  }
  int patterns = 0;
  for (const v1::Rule& rule : policy.spec().rules()) {
    if (!rule.when().message_pattern().empty()) ++patterns;
  }
  for (const v1::Signature& signature : policy.spec().signatures()) {
    if (!signature.message_pattern().empty()) ++patterns;
  }
  if (patterns > kMaxInlinePatterns) {
    return OutOfBounds("inlinePolicy.spec",
                       absl::StrFormat("has %d patterns; expected at most %d",
                                       patterns, kMaxInlinePatterns));
  }
  return absl::OkStatus();
}

absl::StatusOr<ChosenPolicy> ChooseInline(const v1::RetryPolicy& policy,
                                          InlinePolicies* inline_policies) {
  // A policy that is too large is not even written down.
  if (absl::Status size = CheckSize(policy); !size.ok()) return size;
  const std::string bytes = BytesOf(policy);
  absl::StatusOr<std::shared_ptr<const Ruleset>> rules =
      inline_policies != nullptr ? inline_policies->Compile(policy, bytes)
                                 : CompileInline(policy);
  if (!rules.ok()) return rules.status();
  ChosenPolicy chosen;
  chosen.inline_rules = *std::move(rules);
  chosen.rules = chosen.inline_rules.get();
  chosen.inline_revision = RevisionOf(bytes);
  return chosen;
}

template <typename Request>
absl::StatusOr<ChosenPolicy> Choose(const Request& request,
                                    const v1::WorkloadReference& workload,
                                    const PolicySet& policies,
                                    InlinePolicies* inline_policies) {
  if (request.has_inline_policy()) {
    return ChooseInline(request.inline_policy(), inline_policies);
  }
  ChosenPolicy chosen;
  chosen.rules = request.policy().empty() ? &policies.Select(workload)
                                          : policies.Find(request.policy());
  if (chosen.rules == nullptr) {
    return absl::NotFoundError(
        absl::StrFormat("policy \"%s\" is not loaded", request.policy()));
  }
  chosen.set_revision = &policies.revision();
  return chosen;
}

}  // namespace

absl::StatusOr<std::shared_ptr<const Ruleset>> CompileInline(
    const v1::RetryPolicy& policy) {
  Issues issues;
  PatternAllowance allowance(kMaxInlineCompileSteps);
  std::shared_ptr<const Ruleset> rules =
      Ruleset::Compile(policy, SourceMap("inlinePolicy"), issues, allowance);
  if (rules != nullptr) return rules;
  std::string text = "inlinePolicy cannot be compiled";
  std::vector<FieldViolation> violations;
  for (const Issue& issue : issues) {
    if (issue.severity != Issue::Severity::kError) continue;
    absl::StrAppend(&text, "; ", issue.message);
    violations.push_back({"inlinePolicy", issue.message});
  }
  return Refusal(text, violations);
}

absl::StatusOr<ChosenPolicy> ChoosePolicy(const v1::DecideRequest& request,
                                          const v1::WorkloadReference& workload,
                                          const PolicySet& policies,
                                          InlinePolicies* inline_policies) {
  return Choose(request, workload, policies, inline_policies);
}

absl::StatusOr<ChosenPolicy> ChoosePolicy(const v1::DemystifyRequest& request,
                                          const v1::WorkloadReference& workload,
                                          const PolicySet& policies,
                                          InlinePolicies* inline_policies) {
  return Choose(request, workload, policies, inline_policies);
}

}  // namespace mulligan
