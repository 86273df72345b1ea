#include "policy/rules/chosen_policy.h"

#include <string>
#include <utility>
#include <vector>

#include "absl/strings/str_cat.h"
#include "absl/strings/str_format.h"
#include "google/protobuf/io/coded_stream.h"
#include "google/protobuf/io/zero_copy_stream_impl_lite.h"
#include "policy/base/stable_hash.h"
#include "policy/request/refusal.h"

namespace mulligan {
namespace {

// Map entries in key order, so that equal policies have equal revisions.
std::string RevisionOf(const v1::RetryPolicy& policy) {
  std::string bytes;
  {
    google::protobuf::io::StringOutputStream stream(&bytes);
    google::protobuf::io::CodedOutputStream coded(&stream);
    coded.SetSerializationDeterministic(true);
    policy.SerializeToCodedStream(&coded);
  }
  std::string revision = "inline-";
  AppendHex(StableHash().Add(bytes).value(), revision);
  return revision;
}

absl::StatusOr<ChosenPolicy> CompileInline(const v1::RetryPolicy& policy) {
  Issues issues;
  ChosenPolicy chosen;
  chosen.inline_rules =
      Ruleset::Compile(policy, SourceMap("inlinePolicy"), issues);
  if (chosen.inline_rules == nullptr) {
    std::string text = "inlinePolicy cannot be compiled";
    std::vector<FieldViolation> violations;
    for (const Issue& issue : issues) {
      if (issue.severity != Issue::Severity::kError) continue;
      absl::StrAppend(&text, "; ", issue.message);
      violations.push_back({"inlinePolicy", issue.message});
    }
    return Refusal(text, violations);
  }
  chosen.rules = chosen.inline_rules.get();
  chosen.inline_revision = RevisionOf(policy);
  return chosen;
}

template <typename Request>
absl::StatusOr<ChosenPolicy> Choose(const Request& request,
                                    const v1::WorkloadReference& workload,
                                    const PolicySet& policies) {
  if (request.has_inline_policy()) {
    return CompileInline(request.inline_policy());
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

absl::StatusOr<ChosenPolicy> ChoosePolicy(const v1::DecideRequest& request,
                                          const v1::WorkloadReference& workload,
                                          const PolicySet& policies) {
  return Choose(request, workload, policies);
}

absl::StatusOr<ChosenPolicy> ChoosePolicy(const v1::DemystifyRequest& request,
                                          const v1::WorkloadReference& workload,
                                          const PolicySet& policies) {
  return Choose(request, workload, policies);
}

}  // namespace mulligan
