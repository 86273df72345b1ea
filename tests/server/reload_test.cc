// Policies that change while calls are answered.
#include <atomic>
#include <filesystem>
#include <map>
#include <memory>
#include <mutex>
#include <string>
#include <thread>
#include <vector>

#include "absl/strings/str_format.h"
#include "absl/time/clock.h"
#include "gmock/gmock.h"
#include "gtest/gtest.h"
#include "server/admin/admin_pages.h"
#include "tests/server/test_server.h"
#include "tests/testing/temp_dir.h"

namespace mulligan {
namespace {

using ::testing::HasSubstr;
using ::testing::Not;
using testing::OutOfMemoryRequest;
using testing::TempDir;
using testing::TestOptions;
using testing::TestServer;

// A catch-all policy that answers everything with `action`.
std::string Policy(const std::string& action) {
  return absl::StrFormat(
      "apiVersion: mulligan.dev/v1\nkind: RetryPolicy\n"
      "metadata: {name: all}\nspec:\n  default: {action: %s}\n",
      action);
}

v1::DecideResponse Answer(TestServer& server) {
  v1::DecideResponse response;
  EXPECT_TRUE(server.Decide(OutOfMemoryRequest(), &response).ok());
  return response;
}

class ReloadTest : public ::testing::Test {
 protected:
  ReloadTest() { folder_.Write("all.yaml", Policy("FAIL")); }

  TempDir folder_;
};

TEST_F(ReloadTest, AnswersAndAdminPortReportStaleness) {
  TestServer server(TestOptions(), MakePolicySource(folder_.path()));
  Readiness readiness;
  readiness.Set(ServingState::kServing);
  const AdminPages pages(server->metrics(), server->policies().snapshots(),
                         readiness);
  EXPECT_FALSE(Answer(server).policy().has_stale_since());
  EXPECT_EQ(pages.Handle("GET", "/readyz").body, "ok\n");

  folder_.Write("all.yaml", "no policy");
  server->policies().Poll();
  const v1::DecideResponse stale = Answer(server);
  EXPECT_TRUE(stale.policy().has_stale_since());
  EXPECT_EQ(stale.decision().action(), v1::Decision::FAIL);
  v1::BatchDecideRequest batch;
  *batch.add_requests() = OutOfMemoryRequest();
  *batch.add_requests() = OutOfMemoryRequest();
  *batch.mutable_requests(1)->mutable_inline_policy() =
      server->policies().snapshots().Read().policies->Find("all")->source();
  v1::BatchDecideResponse answers;
  ASSERT_TRUE(server.BatchDecide(batch, &answers).ok());
  EXPECT_TRUE(answers.results(0).response().policy().has_stale_since());
  EXPECT_FALSE(answers.results(1).response().policy().has_stale_since())
      << "an inline policy is not a file";
  v1::DemystifyRequest question;
  *question.mutable_report() = OutOfMemoryRequest().report();
  v1::DemystifyResponse diagnosis;
  ASSERT_TRUE(server.Demystify(question, &diagnosis).ok());
  EXPECT_TRUE(diagnosis.policy().has_stale_since());

  const AdminResponse ready = pages.Handle("GET", "/readyz");
  EXPECT_EQ(ready.status, 200);
  EXPECT_THAT(ready.body, HasSubstr("ok; the policies are stale since 20"));
  EXPECT_THAT(pages.Handle("GET", "/policy").body, HasSubstr("lastError"));
  EXPECT_EQ(server.Metric("mulligan_policy_reload_failing"), 1);
  EXPECT_GT(server.Metric("mulligan_policy_stale_since_timestamp_seconds"),
            1.7e9);

  folder_.Write("all.yaml", Policy("FAIL"));
  server->policies().Poll();
  EXPECT_FALSE(Answer(server).policy().has_stale_since());
  EXPECT_EQ(pages.Handle("GET", "/readyz").body, "ok\n");
  EXPECT_EQ(server.Metric("mulligan_policy_reload_failing"), 0);
  EXPECT_EQ(server.Metric("mulligan_policy_stale_since_timestamp_seconds"), 0);
  EXPECT_EQ(server.Metric("mulligan_policy_reloads_total{result=\"success\"}"),
            1)
      << "contents already in force are not loaded again";
}

// The verdict of an answer is that of the revision it names, whatever was
// published meanwhile.
TEST_F(ReloadTest, SwapsUnderLoadNeverMixRevisionAndVerdict) {
  constexpr int kSwaps = 400;
  TestServer server(TestOptions(), MakePolicySource(folder_.path()));
  std::map<std::string, v1::Decision::Action> verdict_of;
  verdict_of[Answer(server).policy().revision()] = v1::Decision::FAIL;
  folder_.Write("all.yaml", Policy("WAIT_FOR_SPEC_UPDATE"));
  server->policies().Poll();
  verdict_of[Answer(server).policy().revision()] =
      v1::Decision::WAIT_FOR_SPEC_UPDATE;
  ASSERT_EQ(verdict_of.size(), 2U);

  std::atomic<bool> done = false;
  std::atomic<int> answers = 0;
  std::atomic<int> mixtures = 0;
  std::vector<std::thread> callers;
  for (int i = 0; i < 3; ++i) {
    callers.emplace_back([&] {
      while (!done) {
        v1::DecideResponse response;
        if (!server.Decide(OutOfMemoryRequest(), &response).ok()) break;
        ++answers;
        const auto set = verdict_of.find(response.policy().revision());
        if (set == verdict_of.end() ||
            set->second != response.decision().action()) {
          ++mixtures;
        }
      }
    });
  }
  for (int i = 0; i < kSwaps; ++i) {
    folder_.Write("all.yaml",
                  Policy(i % 2 == 0 ? "FAIL" : "WAIT_FOR_SPEC_UPDATE"));
    server->policies().Poll();
  }
  done = true;
  for (std::thread& caller : callers) caller.join();
  EXPECT_EQ(mixtures, 0);
  EXPECT_GT(answers, 100);
  EXPECT_EQ(server.Metric("mulligan_policy_reloads_total{result=\"success\"}"),
            kSwaps + 2);
  EXPECT_THAT(server.log(), Not(HasSubstr("not loaded")));
}

TEST_F(ReloadTest, PollsEveryInterval) {
  ServerOptions options = TestOptions();
  options.policy_poll = absl::Milliseconds(100);
  TestServer server(options, MakePolicySource(folder_.path()));
  const std::string before = Answer(server).policy().revision();
  folder_.Write("all.yaml", Policy("WAIT_FOR_SPEC_UPDATE"));
  const absl::Time deadline = absl::Now() + absl::Seconds(30);
  v1::DecideResponse answer = Answer(server);
  while (answer.policy().revision() == before && absl::Now() < deadline) {
    answer = Answer(server);
  }
  EXPECT_EQ(answer.decision().action(), v1::Decision::WAIT_FOR_SPEC_UPDATE);
}

}  // namespace
}  // namespace mulligan
