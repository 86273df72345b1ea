#include "client/cli/explain_command.h"

#include <fstream>

#include "client/cli/answer.h"
#include "client/cli/policy_files.h"
#include "client/cli/requests.h"
#include "google/protobuf/util/time_util.h"
#include "policy/decide.h"
#include "policy/loader/issue_format.h"

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
  return AnswerOne(
      options.request, options.output,
      [&set](const v1::DecideRequest& request) {
        return DecideHere(request, set);
      },
      Fail, streams);
}

}  // namespace mulligan::cli
