#include "client/cli/explain_command.h"

#include <fstream>
#include <string>
#include <vector>

#include "absl/strings/str_format.h"
#include "absl/strings/str_join.h"
#include "client/cli/answer.h"
#include "client/cli/input/policy_files.h"
#include "client/cli/input/requests.h"
#include "client/cli/print/rule_lines.h"
#include "google/protobuf/util/time_util.h"
#include "policy/decide.h"
#include "policy/loader/issue_format.h"
#include "policy/loader/load.h"

namespace mulligan::cli {
namespace {

// Enough to spread protobuf's fixed costs, little enough to stay in the cache.
constexpr int kBatchSize = 50;

absl::StatusOr<v1::DecideResponse> DecideHere(const v1::DecideRequest& request,
                                              const PolicySet& policies) {
  v1::DecideResponse response;
  absl::Status status =
      Decide(request, policies,
             google::protobuf::util::TimeUtil::GetCurrentTime(), response);
  if (!status.ok()) return status;
  return response;
}

int ExplainRequests(const std::string& path, const PolicySet& policies,
                    Streams& streams) {
  const BatchDecider decide = [&policies](const v1::BatchDecideRequest& batch) {
    std::vector<absl::StatusOr<v1::DecideResponse>> responses;
    for (const v1::DecideRequest& request : batch.requests()) {
      responses.push_back(DecideHere(request, policies));
    }
    return responses;
  };
  std::ifstream file;
  const absl::StatusOr<std::istream*> in = OpenRequests(path, streams.in, file);
  if (!in.ok()) return Fail(streams, in.status());
  AnswerRequests(**in, streams.out, kBatchSize, decide);
  return FinishOutput(streams);
}

// Says when none of the files decided: the author of one that does not fit
// would take the embedded policy's answer for its own.
void WarnOfEmbedded(const std::vector<std::string>& paths,
                    const PolicySet& policies, const v1::DecideRequest& request,
                    v1::DecideResponse& response) {
  const Ruleset* chosen = policies.Find(response.policy().name());
  if (paths.empty() || !request.policy().empty() ||
      request.has_inline_policy() || chosen == nullptr ||
      chosen->positions().file() != EmbeddedPolicy().file) {
    return;
  }
  std::vector<std::string> names;
  for (const auto& policy : policies.policies()) {
    if (policy->positions().file() != chosen->positions().file()) {
      names.push_back(policy->name());
    }
  }
  response.add_warnings(absl::StrFormat(
      "--policy: no selector fits the workload, so the embedded policy \"%s\" "
      "decided, not %s; --policy-name NAME asks one of them",
      chosen->name(), absl::StrJoin(names, ", ")));
}

RuleLines FindRule(const std::vector<PolicyText>& texts,
                   const v1::RuleReference& rule) {
  if (rule.line() == 0) return {};
  for (const PolicyText& text : texts) {
    if (text.file == rule.file()) {
      return RuleLinesAt(text.yaml, rule.line(), rule.column());
    }
  }
  const PolicyText embedded = EmbeddedPolicy();
  return rule.file() == embedded.file
             ? RuleLinesAt(embedded.yaml, rule.line(), rule.column())
             : RuleLines{};
}

}  // namespace

int RunExplain(const ExplainOptions& options, Streams& streams) {
  const absl::StatusOr<LoadedPolicies> policies =
      LoadPolicyPaths(options.policies, streams.in);
  if (!policies.ok()) return Fail(streams, policies.status());
  if (policies->set == nullptr) {
    streams.err << FormatIssues(policies->issues, policies->texts,
                                /*color=*/false);
    PrintError(streams, "the policies have errors: " +
                            SummarizeIssues(policies->issues));
    return kExitPolicyInvalid;
  }
  const PolicySet& set = *policies->set;
  if (!options.request.requests.empty()) {
    return ExplainRequests(options.request.requests, set, streams);
  }
  const Answerer here = {
      [&](const v1::DecideRequest& request) {
        absl::StatusOr<v1::DecideResponse> response = DecideHere(request, set);
        if (response.ok()) {
          WarnOfEmbedded(options.policies, set, request, *response);
        }
        return response;
      },
      Fail,
      [&](const v1::RuleReference& rule) {
        return FindRule(policies->texts, rule);
      }};
  return AnswerOne(options.request, options.output, here, streams);
}

}  // namespace mulligan::cli
