// Candidate policies.
#include <google/protobuf/util/message_differencer.h>

#include <filesystem>
#include <memory>
#include <string>

#include "absl/strings/str_format.h"
#include "absl/time/clock.h"
#include "gmock/gmock.h"
#include "gtest/gtest.h"
#include "server/admin/admin_pages.h"
#include "server/rpc/ask_candidate.h"
#include "tests/server/test_server.h"
#include "tests/testing/temp_dir.h"

namespace mulligan {
namespace {

using google::protobuf::util::MessageDifferencer;
using ::testing::Contains;
using ::testing::HasSubstr;
using testing::OutOfMemoryRequest;
using testing::TempDir;
using testing::TestOptions;
using testing::TestServer;

// A catch-all policy that answers everything with `action`.
std::string Policy(const std::string& action) {
  return absl::StrFormat(
      "apiVersion: mulligan.dev/v1\nkind: RetryPolicy\n"
      "metadata: {name: tried-out}\nspec:\n  default: {action: %s}\n",
      action);
}

class CandidateTest : public ::testing::Test {
 protected:
  CandidateTest() { folder_.Write("all.yaml", Policy("FAIL")); }

  ServerOptions Options() const {
    ServerOptions options = TestOptions();
    options.candidate_policy_dir = folder_.path();
    return options;
  }

  static v1::DecideResponse Ask(
      TestServer& server,
      const v1::DecideRequest& request = OutOfMemoryRequest()) {
    v1::DecideResponse response;
    EXPECT_TRUE(server.Decide(request, &response).ok());
    return response;
  }

  TempDir folder_;
};

TEST_F(CandidateTest, DoesNotChangeTheAnswer) {
  TestServer alone;
  const v1::DecideResponse expected = Ask(alone);
  EXPECT_FALSE(expected.has_candidate());

  TestServer server(Options());
  v1::DecideResponse response = Ask(server);
  const v1::CandidateVerdict verdict = response.candidate();
  EXPECT_EQ(verdict.policy().name(), "tried-out");
  EXPECT_NE(verdict.policy().revision(), response.policy().revision());
  EXPECT_EQ(verdict.action(), v1::Decision::FAIL);
  EXPECT_EQ(verdict.cause(), v1::CONTAINER_OOM);
  EXPECT_THAT(verdict.differences(), Contains(v1::CandidateVerdict::ACTION));
  EXPECT_EQ(verdict.error(), "");
  response.clear_candidate();
  EXPECT_TRUE(MessageDifferencer::Equals(response, expected));
}

TEST_F(CandidateTest, CountsDifferences) {
  TestServer server(Options());
  const std::string differences =
      "mulligan_candidate_differences_total{difference=\"action\",kind="
      "\"Job\"}";
  const std::string actions =
      "mulligan_candidate_actions_total{action=\"RETRY\",candidate_action="
      "\"FAIL\"}";
  EXPECT_EQ(server.Metric(differences), 0);
  EXPECT_EQ(server.Metric(actions), 0);
  v1::DecideRequest request = OutOfMemoryRequest();
  Ask(server, request);
  request.set_purpose(v1::DecideRequest::PREVIEW);
  EXPECT_TRUE(Ask(server, request).has_candidate());
  EXPECT_EQ(server.Metric("mulligan_candidate_decisions_total"), 1);
  EXPECT_EQ(server.Metric(differences), 1);
  EXPECT_EQ(server.Metric(actions), 1);
}

TEST_F(CandidateTest, IsInEveryItemOfABatch) {
  TestServer server(Options());
  v1::BatchDecideRequest batch;
  *batch.add_requests() = OutOfMemoryRequest();
  batch.add_requests();  // has no report: an error
  *batch.add_requests() = OutOfMemoryRequest();
  v1::BatchDecideResponse answers;
  ASSERT_TRUE(server.BatchDecide(batch, &answers).ok());
  EXPECT_TRUE(answers.results(0).response().has_candidate());
  EXPECT_TRUE(answers.results(1).has_error());
  EXPECT_TRUE(answers.results(2).response().has_candidate());
}

TEST_F(CandidateTest, IsNotUsedForInlinePolicies) {
  TestServer server(Options());
  v1::DecideRequest request = OutOfMemoryRequest();
  *request.mutable_inline_policy() = server->policies()
                                         .snapshots()
                                         .Read()
                                         .policies->policies()
                                         .front()
                                         ->source();
  EXPECT_FALSE(Ask(server, request).has_candidate());
}

TEST_F(CandidateTest, MissingPolicyIsNoAnswer) {
  TestServer server(Options());
  v1::DecideRequest request = OutOfMemoryRequest();
  request.set_policy("default");
  const v1::DecideResponse response = Ask(server, request);
  EXPECT_THAT(response.candidate().differences(),
              ::testing::ElementsAre(v1::CandidateVerdict::NO_ANSWER));
  EXPECT_THAT(response.candidate().error(), HasSubstr("default"));
  EXPECT_EQ(response.decision().action(), v1::Decision::RETRY);
  EXPECT_EQ(
      server.Metric("mulligan_candidate_differences_total{difference=\"no_"
                    "answer\",kind=\"Job\"}"),
      1);
}

TEST_F(CandidateTest, BrokenCandidateIsReportedAndHarmless) {
  folder_.Write("all.yaml", "no policy");
  TestServer server(Options());
  EXPECT_FALSE(Ask(server).has_candidate());
  EXPECT_EQ(server.Metric("mulligan_candidate_failing"), 1);
  EXPECT_THAT(server.log(), HasSubstr("candidate policies not loaded"));
  // It is reloaded like the policies in force.
  folder_.Write("all.yaml", Policy("FAIL"));
  server->Reload();
  EXPECT_EQ(Ask(server).candidate().policy().name(), "tried-out");
  EXPECT_EQ(server.Metric("mulligan_candidate_failing"), 0);
  folder_.Write("all.yaml", "no policy");
  server->Reload();
  EXPECT_EQ(Ask(server).candidate().policy().name(), "tried-out");
  EXPECT_EQ(server.Metric("mulligan_candidate_failing"), 1);
}

TEST_F(CandidateTest, ExportsRevision) {
  TestServer alone;
  EXPECT_EQ(alone.Metric("mulligan_candidate_policy_info{revision=\"\"}"), 0);
  TestServer server(Options());
  EXPECT_EQ(server.Metric(absl::StrFormat(
                "mulligan_candidate_policy_info{revision=\"%s\"}",
                Ask(server).candidate().policy().revision())),
            1);
  EXPECT_EQ(server.Metric("mulligan_candidate_policy_info{revision=\"\"}"), -1);
}

TEST_F(CandidateTest, MissingFolderIsHarmless) {
  ServerOptions options = TestOptions();
  options.candidate_policy_dir = folder_.path() / "missing";
  TestServer server(options);
  EXPECT_FALSE(Ask(server).has_candidate());
}

TEST_F(CandidateTest, ReadinessReportsLoadFailure) {
  TestServer server;
  const SnapshotStore candidate(std::make_shared<const Snapshot>(Snapshot{
                                    nullptr, {}, {}, "why", absl::Now()}),
                                SnapshotStore::Role::kCandidate);
  Readiness readiness;
  readiness.Set(ServingState::kServing);
  const AdminPages pages(server->metrics(), server->policies().snapshots(),
                         readiness, &candidate);
  const AdminResponse page = pages.Handle("GET", "/readyz");
  EXPECT_EQ(page.status, 200);
  EXPECT_THAT(page.body,
              HasSubstr("loading the candidate policies has failed"));
}

// Reports from the start that the call took too long.
class SpentWatch final : public Watch {
 public:
  absl::Status Check() override {
    return absl::ResourceExhaustedError("the call has cost enough");
  }
  absl::Duration Spent() override { return absl::Seconds(1); }
};

TEST_F(CandidateTest, HasNoAnswerAfterTheTimeLimit) {
  TestServer server;
  v1::DecideResponse response = Ask(server);
  const v1::DecideResponse before = response;
  SpentWatch watch;
  EXPECT_FALSE(AskCandidate(OutOfMemoryRequest(),
                            *server->policies().snapshots().Read().policies, {},
                            watch, response)
                   .ok());
  EXPECT_EQ(response.candidate().error(), "the call has cost enough");
  response.clear_candidate();
  EXPECT_TRUE(MessageDifferencer::Equals(response, before));
}

}  // namespace
}  // namespace mulligan
