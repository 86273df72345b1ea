#include "server/rpc/policy_service.h"

#include <string>
#include <utility>
#include <vector>

#include "absl/strings/str_format.h"
#include "absl/time/time.h"
#include "policy/base/times.h"
#include "policy/base/utf8.h"
#include "policy/limits.h"
#include "policy/loader/issue_format.h"
#include "policy/loader/load.h"
#include "policy/request/refusal.h"

namespace mulligan {
namespace {

absl::Status GetPolicyFrom(const Snapshot& snapshot,
                           const v1::GetPolicyRequest& request,
                           v1::GetPolicyResponse& response) {
  if (request.name().empty()) {
    return RefuseViolations(
        {{"name", "is empty; expected the name of a loaded policy"}});
  }
  const Ruleset* policy = snapshot.policies->Find(request.name());
  if (policy == nullptr) {
    return absl::NotFoundError(absl::StrFormat(
        "no policy \"%s\" is loaded; ListPolicies names those that are",
        request.name()));
  }
  *response.mutable_policy() = policy->source();
  response.set_file(policy->positions().file());
  response.set_revision(snapshot.policies->revision());
  return absl::OkStatus();
}

std::vector<FieldViolation> FilesOutOfBounds(
    const v1::CheckPolicyRequest& request) {
  std::vector<FieldViolation> violations;
  const int files = request.files_size();
  if (files == 0 || files > kMaxCheckedFiles) {
    violations.push_back(
        {"files", absl::StrFormat("has %d entries; expected 1 to %d", files,
                                  kMaxCheckedFiles)});
  }
  std::size_t total = 0;
  for (int i = 0; i < files; ++i) {
    const std::size_t bytes = request.files(i).text().size();
    total += bytes;
    if (bytes <= kMaxCheckedFileBytes) continue;
    violations.push_back({absl::StrFormat("files[%d].text", i),
                          absl::StrFormat("has %d bytes; expected at most %d",
                                          bytes, kMaxCheckedFileBytes)});
  }
  if (total > kMaxCheckedBytes) {
    violations.push_back(
        {"files", absl::StrFormat("have %d bytes together; expected at most %d",
                                  total, kMaxCheckedBytes)});
  }
  return violations;
}

absl::Status Check(const v1::CheckPolicyRequest& request,
                   v1::CheckPolicyResponse& response, Watch& watch) {
  if (const auto violations = FilesOutOfBounds(request); !violations.empty()) {
    return RefuseViolations(violations);
  }
  std::vector<PolicyText> texts;
  for (const v1::PolicyFile& file : request.files()) {
    texts.push_back({file.name(), file.text()});
  }
  Issues issues;
  PatternAllowance allowance(kMaxCheckedCompileSteps, &watch);
  const bool loaded = LoadPolicies(texts, issues, allowance) != nullptr;
  if (!allowance.CheckNow().ok()) return allowance.CheckNow();
  response.set_valid(loaded && !HasErrors(issues));
  for (const Issue& issue : issues) {
    *response.add_issues() = ToPolicyIssue(issue);
  }
  return absl::OkStatus();
}

}  // namespace

void ListPolicies(const Snapshot& snapshot,
                  v1::ListPoliciesResponse& response) {
  for (const auto& policy : snapshot.policies->policies()) {
    const v1::RetryPolicy& source = policy->source();
    v1::PolicySummary& summary = *response.add_policies();
    summary.set_name(policy->name());
    summary.set_description(source.metadata().description());
    summary.set_file(policy->positions().file());
    if (source.spec().has_selector()) {
      *summary.mutable_selector() = source.spec().selector();
    }
    summary.set_rules(static_cast<int>(policy->compiled().rules.size()));
  }
  response.set_revision(snapshot.policies->revision());
  SetTime(snapshot.loaded_at, *response.mutable_loaded_at());
  response.set_last_error(SanitizeUtf8(snapshot.last_error));
}

grpc::ServerUnaryReactor* PolicyService::ListPolicies(
    grpc::CallbackServerContext* context, const grpc::ByteBuffer* request,
    grpc::ByteBuffer* response) {
  return Serve<v1::ListPoliciesRequest, v1::ListPoliciesResponse>(
      environment_, RpcMethod::kListPolicies, CallPlace::kPool, context,
      request, response,
      [this](const v1::ListPoliciesRequest&, v1::ListPoliciesResponse& r,
             Watch&) {
        mulligan::ListPolicies(environment_.snapshots.Read(), r);
        return absl::OkStatus();
      });
}

grpc::ServerUnaryReactor* PolicyService::GetPolicy(
    grpc::CallbackServerContext* context, const grpc::ByteBuffer* request,
    grpc::ByteBuffer* response) {
  return Serve<v1::GetPolicyRequest, v1::GetPolicyResponse>(
      environment_, RpcMethod::kGetPolicy, CallPlace::kPool, context, request,
      response,
      [this](const v1::GetPolicyRequest& q, v1::GetPolicyResponse& r, Watch&) {
        return GetPolicyFrom(environment_.snapshots.Read(), q, r);
      });
}

grpc::ServerUnaryReactor* PolicyService::CheckPolicy(
    grpc::CallbackServerContext* context, const grpc::ByteBuffer* request,
    grpc::ByteBuffer* response) {
  return Serve<v1::CheckPolicyRequest, v1::CheckPolicyResponse>(
      environment_, RpcMethod::kCheckPolicy, CallPlace::kPool, context, request,
      response, &Check);
}

}  // namespace mulligan
