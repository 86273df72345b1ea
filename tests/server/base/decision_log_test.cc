#include "server/observe/decision_log.h"

#include <google/protobuf/text_format.h>
#include <google/protobuf/util/json_util.h>
#include <spdlog/sinks/ostream_sink.h>

#include <filesystem>
#include <memory>
#include <sstream>
#include <string>
#include <thread>
#include <vector>

#include "absl/strings/str_split.h"
#include "gmock/gmock.h"
#include "gtest/gtest.h"
#include "mulligan/v1/decision_record.pb.h"
#include "tests/testing/files.h"
#include "tests/testing/status_matchers.h"

namespace mulligan {
namespace {

using ::testing::HasSubstr;
using testing::StatusIs;

constexpr absl::Duration kPatience = absl::Seconds(60);

v1::DecideRequest Request(const std::string& name = "train-0") {
  v1::DecideRequest request;
  request.mutable_report()->add_pods()->mutable_metadata()->set_name(name);
  return request;
}

v1::DecideResponse Response(const std::string& id = "d-1") {
  v1::DecideResponse response;
  response.set_decision_id(id);
  response.set_failure_id("f-" + id);
  response.mutable_policy()->set_revision("r1");
  response.mutable_decision()->set_action(v1::Decision::RETRY);
  return response;
}

google::protobuf::Timestamp At(std::int64_t seconds) {
  google::protobuf::Timestamp time;
  time.set_seconds(seconds);
  return time;
}

class DecisionLogTest : public ::testing::Test {
 protected:
  DecisionLogTest() {
    std::filesystem::remove_all(folder_);
    std::filesystem::create_directory(folder_);
    options_.path = folder_ / "decisions.jsonl";
  }
  ~DecisionLogTest() override { std::filesystem::remove_all(folder_); }

  std::unique_ptr<DecisionLog> Start() {
    auto started = DecisionLog::Start(options_, log_);
    EXPECT_OK(started);
    return *std::move(started);
  }

  std::vector<v1::DecisionRecord> Records() const {
    std::vector<v1::DecisionRecord> records;
    const std::string text = testing::ReadFile(options_.path).value_or("");
    for (const std::string& line : std::vector<std::string>(
             absl::StrSplit(text, '\n', absl::SkipEmpty()))) {
      EXPECT_TRUE(google::protobuf::util::JsonStringToMessage(
                      line, &records.emplace_back())
                      .ok())
          << line;
    }
    return records;
  }

  const std::filesystem::path folder_ =
      std::filesystem::path(::testing::TempDir()) /
      ::testing::UnitTest::GetInstance()->current_test_info()->name();
  DecisionLogOptions options_;
  std::ostringstream log_text_;
  const Log log_{LogLevel::kInfo, LogFormat::kJson,
                 std::make_shared<spdlog::sinks::ostream_sink_mt>(log_text_)};
};

TEST_F(DecisionLogTest, LineHasRequestAndAnswer) {
  auto log = Start();
  v1::DecideResponse response = Response();
  response.mutable_ledger()->set_workload_uid("u-1");
  response.mutable_explanation();
  response.mutable_native()->set_operator_("Job");
  response.mutable_diagnosis()->set_cause(v1::CONTAINER_OOM);
  response.mutable_diagnosis()->add_evidence()->set_value("OOMKilled");
  response.mutable_accounting()->set_charged_to("memory");
  response.mutable_accounting()->add_budgets()->set_name("memory");
  log->Add(Request(), response, At(1700000000), "00-trace");
  log->Close(kPatience);
  EXPECT_EQ(log->counts().written, 1);

  const std::vector<v1::DecisionRecord> records = Records();
  ASSERT_EQ(records.size(), 1);
  const v1::DecisionRecord& record = records[0];
  EXPECT_EQ(record.decided_at().seconds(), 1700000000);
  EXPECT_NE(record.replica(), "");
  EXPECT_EQ(record.traceparent(), "00-trace");
  EXPECT_EQ(record.request().report().pods(0).metadata().name(), "train-0");
  EXPECT_EQ(record.request().report().observed_at().seconds(), 1700000000);
  EXPECT_EQ(record.response().decision_id(), "d-1");
  EXPECT_EQ(record.response().policy().revision(), "r1");
  EXPECT_EQ(record.response().diagnosis().cause(), v1::CONTAINER_OOM);
  EXPECT_EQ(record.response().accounting().charged_to(), "memory");
  // Replaying the request reproduces these.
  EXPECT_FALSE(record.response().has_ledger());
  EXPECT_FALSE(record.response().has_explanation());
  EXPECT_FALSE(record.response().has_native());
  EXPECT_EQ(record.response().diagnosis().evidence_size(), 0);
  EXPECT_EQ(record.response().accounting().budgets_size(), 0);
}

TEST_F(DecisionLogTest, KeepsTheCallersTime) {
  auto log = Start();
  v1::DecideRequest request = Request();
  *request.mutable_report()->mutable_observed_at() = At(5);
  log->Add(request, Response(), At(1700000000), "");
  log->Close(kPatience);
  ASSERT_EQ(Records().size(), 1);
  EXPECT_EQ(Records()[0].request().report().observed_at().seconds(), 5);
}

TEST_F(DecisionLogTest, SkipsPreviews) {
  auto log = Start();
  v1::DecideRequest request = Request();
  request.set_purpose(v1::DecideRequest::PREVIEW);
  log->Add(request, Response(), At(1), "");
  request.set_purpose(v1::DecideRequest::ENFORCE);
  log->Add(request, Response("d-2"), At(1), "");
  log->Close(kPatience);
  ASSERT_EQ(Records().size(), 1);
  EXPECT_EQ(Records()[0].response().decision_id(), "d-2");
}

TEST_F(DecisionLogTest, RedactsAndListsFields) {
  options_.redact = {"request.report.pods.metadata", "replica"};
  auto log = Start();
  log->Add(Request("secret-0"), Response(), At(1), "");
  log->Close(kPatience);
  EXPECT_THAT(testing::ReadFile(options_.path).value(),
              ::testing::Not(HasSubstr("secret-0")));
  ASSERT_EQ(Records().size(), 1);
  EXPECT_EQ(Records()[0].replica(), "");
  EXPECT_THAT(
      Records()[0].redacted(),
      ::testing::ElementsAre("request.report.pods.metadata", "replica"));
}

TEST_F(DecisionLogTest, RejectsUnknownRedactedFields) {
  options_.redact = {"request.report.podz"};
  EXPECT_THAT(DecisionLog::Start(options_, log_).status(),
              StatusIs(absl::StatusCode::kInvalidArgument,
                       HasSubstr("has no field \"podz\"")));
}

TEST_F(DecisionLogTest, SamplesWholeWorkloads) {
  options_.sample = 0.25;
  auto log = Start();
  constexpr int kWorkloads = 400;
  constexpr int kDecisions = 5;
  for (int i = 0; i < kWorkloads * kDecisions; ++i) {
    v1::DecideResponse response = Response("d-" + std::to_string(i));
    response.mutable_ledger()->set_workload_uid("u-" +
                                                std::to_string(i % kWorkloads));
    log->Add(Request(), response, At(1), "");
  }
  log->Close(kPatience);
  const auto lines = static_cast<int>(Records().size());
  EXPECT_EQ(lines % kDecisions, 0);
  EXPECT_GT(lines, kWorkloads * kDecisions / 8);
  EXPECT_LT(lines, kWorkloads * kDecisions / 2);
}

TEST_F(DecisionLogTest, FullQueueDropsAndCounts) {
  options_.queue_bytes = 1 << 16;
  auto log = Start();
  const v1::DecideRequest big = Request(std::string(1 << 17, 'a'));
  log->Add(big, Response(), At(1), "");
  EXPECT_EQ(log->counts().queue_full, 1);
  log->Add(Request(), Response(), At(1), "");
  log->Close(kPatience);
  EXPECT_EQ(log->counts().written, 1);
  EXPECT_EQ(log->counts().queue_bytes, 0);
  log->Add(Request(), Response(), At(1), "");
  EXPECT_EQ(log->counts().queue_full, 2);
  EXPECT_EQ(log->counts().queue_bytes, 0);
}

TEST_F(DecisionLogTest, FullDiskIsCountedAndLoggedOnce) {
  options_.path = "/dev/full";
  auto log = Start();
  for (int i = 0; i < 1000; ++i) {
    log->Add(Request(std::string(1000, 'a')), Response(), At(1), "");
  }
  log->Close(kPatience);
  EXPECT_EQ(log->counts().write_failed, 1000);
  EXPECT_EQ(log->counts().written, 0);
  EXPECT_TRUE(log->counts().failing);
  const std::string text = log_text_.str();
  const std::string logged = "decision log cannot be written";
  EXPECT_THAT(text, HasSubstr("No space left on device"));
  EXPECT_EQ(text.find(logged), text.rfind(logged));
}

TEST_F(DecisionLogTest, UnopenableFileIsHarmless) {
  options_.path = folder_ / "missing" / "log";
  auto log = Start();
  EXPECT_TRUE(log->counts().failing);
  EXPECT_THAT(log_text_.str(), HasSubstr("No such file or directory"));
  log->Add(Request(), Response(), At(1), "");
  log->Close(kPatience);
  EXPECT_EQ(log->counts().write_failed, 1);
}

TEST_F(DecisionLogTest, CountsWhatJsonCannotExpress) {
  auto log = Start();
  v1::DecideRequest request = Request();
  request.mutable_report()->mutable_observed_at()->set_seconds(999'999'999'999);
  log->Add(request, Response(), At(1), "");
  log->Add(Request(), Response(), At(1), "");
  log->Close(kPatience);
  EXPECT_EQ(log->counts().unprintable, 1);
  EXPECT_EQ(Records().size(), 1);
}

TEST_F(DecisionLogTest, ManyThreadsLoseNothing) {
  auto log = Start();
  std::vector<std::thread> threads;
  for (int t = 0; t < 4; ++t) {
    threads.emplace_back([&log] {
      for (int i = 0; i < 500; ++i) {
        log->Add(Request(), Response(), At(1), "");
      }
    });
  }
  for (std::thread& thread : threads) thread.join();
  log->Close(kPatience);
  EXPECT_EQ(log->counts().written, 2000);
  EXPECT_EQ(Records().size(), 2000);
}

}  // namespace
}  // namespace mulligan
