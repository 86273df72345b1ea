#include "policy/rules/chosen_policy.h"

#include <string>
#include <utility>

#include "absl/strings/str_cat.h"
#include "absl/strings/str_format.h"
#include "google/protobuf/io/coded_stream.h"
#include "google/protobuf/io/zero_copy_stream_impl_lite.h"
#include "policy/base/stable_hash.h"

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
    for (const Issue& issue : issues) {
      if (issue.severity != Issue::Severity::kError) continue;
      absl::StrAppend(&text, "; ", issue.message);
    }
    return absl::InvalidArgumentError(text);
  }
  chosen.rules = chosen.inline_rules.get();
  chosen.inline_revision = RevisionOf(policy);
  return chosen;
}

}  // namespace

bool MatchesLabels(const v1::DecideRequest& request,
                   const PolicySet& policies) {
  return request.has_inline_policy() || policies.matches_labels();
}

absl::StatusOr<const Ruleset*> NamedOrSelected(
    const std::string& name, const v1::WorkloadReference& workload,
    const PolicySet& policies) {
  if (name.empty()) return &policies.Select(workload);
  const Ruleset* found = policies.Find(name);
  if (found == nullptr) {
    return absl::NotFoundError(
        absl::StrFormat("policy \"%s\" is not loaded", name));
  }
  return found;
}

absl::StatusOr<ChosenPolicy> ChoosePolicy(const v1::DecideRequest& request,
                                          const v1::WorkloadReference& workload,
                                          const PolicySet& policies) {
  if (request.has_inline_policy()) {
    return CompileInline(request.inline_policy());
  }
  const absl::StatusOr<const Ruleset*> found =
      NamedOrSelected(request.policy(), workload, policies);
  if (!found.ok()) return found.status();
  ChosenPolicy chosen;
  chosen.rules = *found;
  chosen.set_revision = &policies.revision();
  return chosen;
}

}  // namespace mulligan
