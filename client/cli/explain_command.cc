// `mulligan explain`: decides locally, with the server's code.
#include <fstream>
#include <string>
#include <vector>

#include "absl/strings/str_format.h"
#include "absl/strings/str_join.h"
#include "client/cli/commands.h"
#include "client/cli/input/policy_files.h"
#include "client/cli/input/requests.h"

namespace mulligan::cli {
namespace {

struct ExplainOptions {
  RequestOptions request;
  OutputOptions output;
  // Policy files and directories; if empty, the embedded default.
  std::vector<std::string> policies;
};

// Large enough to amortize protobuf's fixed costs, and fits the cache.
constexpr int kBatchSize = 50;

int ExplainRequests(const std::string& path, const PolicySet& policies,
                    Streams& streams) {
  const BatchDecider decide = [&policies](const v1::BatchDecideRequest& batch) {
    std::vector<absl::StatusOr<v1::DecideResponse>> responses;
    for (const v1::DecideRequest& request : batch.requests()) {
      responses.push_back(DecideNow(request, policies));
    }
    return responses;
  };
  std::ifstream file;
  const absl::StatusOr<std::istream*> in = OpenRequests(path, streams.in, file);
  if (!in.ok()) return Fail(streams, in.status());
  AnswerRequests(**in, streams.out, kBatchSize, decide);
  return FinishOutput(streams);
}

// Warns if none of the files decided. Otherwise an author might take the
// embedded policy's answer for their own.
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

int RunExplain(ExplainOptions& options, Streams& streams) {
  if (!DefaultToStandardInput(options.request, streams)) return kExitUsage;
  LoadedPolicies policies;
  if (const int code = LoadValid(options.policies, streams, policies);
      code != kExitOk) {
    return code;
  }
  const PolicySet& set = *policies.set;
  if (!options.request.requests.empty()) {
    return ExplainRequests(options.request.requests, set, streams);
  }
  const Answerer here = {
      [&](const v1::DecideRequest& request) {
        absl::StatusOr<v1::DecideResponse> response = DecideNow(request, set);
        if (response.ok()) {
          WarnOfEmbedded(options.policies, set, request, *response);
        }
        return response;
      },
      Fail,
      [&](const v1::RuleReference& rule) {
        return FindRule(policies.texts, rule);
      }};
  return AnswerOne(options.request, options.output, here, streams);
}

}  // namespace

void AddExplain(CLI::App& app, Streams& streams, int& code) {
  const auto [command, options] = AddCommand(
      "explain", "Say what happened and what to do, without a server",
      R"(Examples:
  kubectl get pod X -o json | mulligan explain -
  kubectl get pods,jobs,events -o json | mulligan explain -
  mulligan explain -f pod.yaml -f job.yaml -f events.json --policy policies/
  kubectl get job,pods,events -o json | mulligan explain -o html - > why.html
  mulligan explain --requests failures.jsonl > answers.jsonl)",
      RunExplain, app, streams, code);
  AddRequestFlags(command, options.request);
  AddOption(command, "--policy", options.policies,
            "Policy file or directory; default: embedded", "PATH");
  AddAnswerFlags(command, options.output);
}

}  // namespace mulligan::cli
