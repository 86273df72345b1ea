#include "server/rpc/policy_service.h"

#include <grpcpp/client_context.h>

#include <memory>
#include <string>
#include <utility>

#include "gmock/gmock.h"
#include "gtest/gtest.h"
#include "policy/limits.h"
#include "tests/server/test_server.h"

namespace mulligan {
namespace {

using testing::BadFields;
using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::IsEmpty;
using ::testing::Not;
using testing::TestServer;

class PolicyServiceTest : public ::testing::Test {
 protected:
  v1::CheckPolicyResponse Check(const v1::CheckPolicyRequest& request,
                                grpc::Status* status) {
    grpc::ClientContext context;
    v1::CheckPolicyResponse response;
    *status = stub_->CheckPolicy(&context, request, &response);
    return response;
  }

  TestServer server_;
  std::unique_ptr<v1::PolicyService::Stub> stub_ =
      v1::PolicyService::NewStub(server_.channel());
};

v1::CheckPolicyRequest Files(int count, const std::string& text) {
  v1::CheckPolicyRequest request;
  for (int i = 0; i < count; ++i) {
    v1::PolicyFile& file = *request.add_files();
    file.set_name("file-" + std::to_string(i) + ".yaml");
    file.set_text(text);
  }
  return request;
}

// Blank lines, which are an empty policy file.
std::string Blank(std::size_t bytes) { return std::string(bytes, '\n'); }

TEST_F(PolicyServiceTest, ListsAndGetsLoadedPolicies) {
  grpc::ClientContext context;
  v1::ListPoliciesResponse list;
  ASSERT_TRUE(stub_->ListPolicies(&context, {}, &list).ok());
  ASSERT_GT(list.policies_size(), 0);
  EXPECT_THAT(list.revision(), Not(IsEmpty()));
  EXPECT_GT(list.loaded_at().seconds(), 1700000000);
  EXPECT_EQ(list.last_error(), "");

  for (const v1::PolicySummary& summary : list.policies()) {
    v1::GetPolicyRequest request;
    request.set_name(summary.name());
    grpc::ClientContext get_context;
    v1::GetPolicyResponse policy;
    ASSERT_TRUE(stub_->GetPolicy(&get_context, request, &policy).ok());
    EXPECT_EQ(policy.policy().metadata().name(), summary.name());
    EXPECT_EQ(policy.policy().spec().rules_size(), summary.rules());
    EXPECT_EQ(policy.file(), "<embedded>");
    EXPECT_EQ(policy.revision(), list.revision());
  }
}

TEST_F(PolicyServiceTest, UnknownNameIsNotFound) {
  v1::GetPolicyRequest request;
  request.set_name("nowhere");
  grpc::ClientContext context;
  v1::GetPolicyResponse response;
  const grpc::Status status = stub_->GetPolicy(&context, request, &response);
  EXPECT_EQ(status.error_code(), grpc::StatusCode::NOT_FOUND);
  EXPECT_THAT(status.error_message(), HasSubstr("nowhere"));
}

TEST_F(PolicyServiceTest, RejectsEmptyName) {
  grpc::ClientContext context;
  v1::GetPolicyResponse response;
  const grpc::Status status = stub_->GetPolicy(&context, {}, &response);
  EXPECT_EQ(status.error_code(), grpc::StatusCode::INVALID_ARGUMENT);
  EXPECT_THAT(BadFields(status), ElementsAre("name"));
}

TEST_F(PolicyServiceTest, EmbeddedPolicyIsValid) {
  grpc::Status status;
  const auto response = Check(Files(1, EmbeddedPolicy().yaml), &status);
  ASSERT_TRUE(status.ok()) << status.error_message();
  EXPECT_TRUE(response.valid()) << response.ShortDebugString();
}

TEST_F(PolicyServiceTest, ReportsProblems) {
  grpc::Status status;
  const auto response =
      Check(Files(1,
                  "apiVersion: mulligan.dev/v1\nkind: RetryPolicy\n"
                  "metadata: {name: x}\nspecc: {}\n"),
            &status);
  ASSERT_TRUE(status.ok()) << status.error_message();
  EXPECT_FALSE(response.valid());
  ASSERT_GT(response.issues_size(), 0);
  EXPECT_EQ(response.issues(0).severity(), v1::PolicyIssue::ERROR);
  EXPECT_EQ(response.issues(0).file(), "file-0.yaml");
  EXPECT_GT(response.issues(0).line(), 0);
}

TEST_F(PolicyServiceTest, AcceptsFilesAtTheLimits) {
  grpc::Status status;
  Check(Files(kMaxCheckedFiles, Blank(1)), &status);
  EXPECT_TRUE(status.ok()) << status.error_message();
  constexpr int kFiles =
      static_cast<int>(kMaxCheckedBytes / kMaxCheckedFileBytes);
  Check(Files(kFiles, Blank(kMaxCheckedFileBytes)), &status);
  EXPECT_TRUE(status.ok()) << status.error_message();
}

TEST_F(PolicyServiceTest, RejectsFilesOverLimits) {
  constexpr int kFiles =
      static_cast<int>(kMaxCheckedBytes / kMaxCheckedFileBytes);
  v1::CheckPolicyRequest large_file = Files(3, Blank(1));
  large_file.mutable_files(1)->set_text(Blank(kMaxCheckedFileBytes + 1));
  v1::CheckPolicyRequest large_total =
      Files(kFiles, Blank(kMaxCheckedFileBytes));
  large_total.add_files()->set_text(Blank(1));
  const std::pair<v1::CheckPolicyRequest, const char*> cases[] = {
      {Files(0, ""), "files"},
      {Files(kMaxCheckedFiles + 1, Blank(1)), "files"},
      {large_file, "files[1].text"},
      {large_total, "files"}};
  for (const auto& [request, field] : cases) {
    grpc::Status status;
    Check(request, &status);
    EXPECT_EQ(status.error_code(), grpc::StatusCode::INVALID_ARGUMENT);
    EXPECT_THAT(BadFields(status), ElementsAre(field));
  }
}

}  // namespace
}  // namespace mulligan
