// What the server writes to its decision log.
#include <google/protobuf/util/json_util.h>

#include <filesystem>
#include <map>
#include <string>
#include <vector>

#include "absl/strings/str_split.h"
#include "absl/time/clock.h"
#include "gmock/gmock.h"
#include "gtest/gtest.h"
#include "mulligan/v1/decision_record.pb.h"
#include "policy/decide.h"
#include "tests/server/test_server.h"
#include "tests/testing/files.h"
#include "tests/testing/temp_dir.h"

namespace mulligan {
namespace {

using ::testing::HasSubstr;
using testing::OutOfMemoryRequest;
using testing::TempDir;
using testing::TestOptions;
using testing::TestServer;

constexpr char kParent[] =
    "00-0af7651916cd43dd8448eb211c80319c-b7ad6b7169203331-01";

class DecidedLogTest : public ::testing::Test {
 protected:
  DecidedLogTest() { options_.decision_log.path = folder_.path() / "log"; }

  std::vector<v1::DecisionRecord> Records() const {
    std::vector<v1::DecisionRecord> records;
    const std::string text =
        testing::ReadFile(options_.decision_log.path).value_or("");
    for (const std::string& line : std::vector<std::string>(
             absl::StrSplit(text, '\n', absl::SkipEmpty()))) {
      EXPECT_TRUE(google::protobuf::util::JsonStringToMessage(
                      line, &records.emplace_back())
                      .ok())
          << line;
    }
    return records;
  }

  TempDir folder_;
  ServerOptions options_ = TestOptions();
};

TEST_F(DecidedLogTest, EveryLineReplaysToItsAnswer) {
  TestServer server(options_);
  v1::BatchDecideRequest batch;
  *batch.add_requests() = OutOfMemoryRequest();
  batch.add_requests();  // an error, which has no line
  // Without a time of its own.
  *batch.add_requests() = OutOfMemoryRequest();
  batch.mutable_requests(2)->mutable_report()->clear_observed_at();
  v1::BatchDecideResponse answers;
  ASSERT_TRUE(server.BatchDecide(batch, &answers).ok());
  v1::DecideResponse single;
  ASSERT_TRUE(server.Decide(OutOfMemoryRequest(), &single).ok());
  server->Drain();

  const std::vector<v1::DecisionRecord> records = Records();
  ASSERT_EQ(records.size(), 3);
  EXPECT_EQ(records[1].response().decision_id(),
            answers.results(2).response().decision_id());
  EXPECT_EQ(records[2].response().decision_id(), single.decision_id());
  for (const v1::DecisionRecord& record : records) {
    EXPECT_TRUE(record.request().report().has_observed_at());
    v1::DecideResponse again;
    ASSERT_TRUE(Decide(record.request(),
                       *server->policies().snapshots().Read().policies, {},
                       again)
                    .ok());
    EXPECT_EQ(again.decision_id(), record.response().decision_id());
    EXPECT_EQ(again.decision().SerializeAsString(),
              record.response().decision().SerializeAsString());
  }
}

TEST_F(DecidedLogTest, CanBeOff) {
  options_.decision_log.path = "off";
  TestServer server(options_);
  v1::DecideResponse response;
  ASSERT_TRUE(server.Decide(OutOfMemoryRequest(), &response).ok());
  server->Drain();
  EXPECT_FALSE(std::filesystem::exists("off"));
}

TEST_F(DecidedLogTest, FullDiskStopsNoDecision) {
  options_.decision_log.path = "/dev/full";
  TestServer server(options_);
  for (int i = 0; i < 100; ++i) {
    v1::DecideResponse response;
    ASSERT_TRUE(server.Decide(OutOfMemoryRequest(), &response).ok());
  }
  const std::string lost =
      "mulligan_decision_log_dropped_total{reason=\"write_failed\"}";
  const absl::Time deadline = absl::Now() + absl::Seconds(60);
  while (server.Metric(lost) < 100 && absl::Now() < deadline) {
    absl::SleepFor(absl::Milliseconds(20));
  }
  EXPECT_EQ(server.Metric(lost), 100);
  EXPECT_EQ(server.Metric("mulligan_decision_log_failing"), 1);
  EXPECT_EQ(server.Metric("mulligan_decision_log_written_total"), 0);
  EXPECT_THAT(server.log(), HasSubstr("decision log cannot be written"));
}

// Sends metadata and returns the initial metadata of the answer.
std::multimap<std::string, std::string> Echo(
    TestServer& server,
    const std::vector<std::pair<std::string, std::string>>& metadata) {
  grpc::ClientContext context;
  for (const auto& [key, value] : metadata) context.AddMetadata(key, value);
  v1::DecideResponse response;
  const auto stub = v1::RetryDecisionService::NewStub(server.channel());
  EXPECT_TRUE(stub->Decide(&context, OutOfMemoryRequest(), &response).ok());
  std::multimap<std::string, std::string> echoed;
  for (const auto& [key, value] : context.GetServerInitialMetadata()) {
    echoed.emplace(std::string(key.data(), key.size()),
                   std::string(value.data(), value.size()));
  }
  return echoed;
}

TEST_F(DecidedLogTest, CopiesTraceIntoLineAndAnswer) {
  TestServer server(options_);
  const auto echoed =
      Echo(server, {{"traceparent", kParent}, {"tracestate", "a=b"}});
  ASSERT_EQ(echoed.count("traceparent"), 1);
  EXPECT_EQ(echoed.find("traceparent")->second, kParent);
  ASSERT_EQ(echoed.count("tracestate"), 1);
  EXPECT_EQ(echoed.find("tracestate")->second, "a=b");
  EXPECT_EQ(server.Metric("mulligan_malformed_traces_total"), 0);
  server->Drain();
  ASSERT_EQ(Records().size(), 1);
  EXPECT_EQ(Records()[0].traceparent(), kParent);
}

TEST_F(DecidedLogTest, DropsAndCountsMalformedTrace) {
  TestServer server(options_);
  const auto echoed =
      Echo(server, {{"traceparent", "00-me"}, {"tracestate", "a=b"}});
  EXPECT_EQ(echoed.count("traceparent"), 0);
  EXPECT_EQ(echoed.count("tracestate"), 0);
  EXPECT_EQ(server.Metric("mulligan_malformed_traces_total"), 1);
  EXPECT_EQ(Echo(server, {}).count("traceparent"), 0);
  EXPECT_EQ(server.Metric("mulligan_malformed_traces_total"), 1);
  server->Drain();
  ASSERT_EQ(Records().size(), 2);
  EXPECT_EQ(Records()[0].traceparent(), "");
}

}  // namespace
}  // namespace mulligan
