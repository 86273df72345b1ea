#include <grpcpp/client_context.h>

#include <atomic>
#include <chrono>
#include <random>
#include <string>
#include <thread>

#include "absl/strings/str_format.h"
#include "gmock/gmock.h"
#include "gtest/gtest.h"
#include "policy/limits.h"
#include "tests/server/test_server.h"
#include "tests/testing/proto_matchers.h"

namespace mulligan {
namespace {

using testing::BadFields;
using ::testing::ElementsAre;
using testing::EqualsProto;
using testing::OutOfMemoryRequest;
using testing::TestServer;

// Returns a valid or an invalid request; some repeat.
v1::DecideRequest RandomRequest(std::mt19937& random) {
  const auto pick = [&random](int n) {
    return static_cast<int>(random() % static_cast<unsigned>(n));
  };
  v1::DecideRequest request = OutOfMemoryRequest();
  v1::FailureReport& report = *request.mutable_report();
  auto& terminated = *report.mutable_pods(0)
                          ->mutable_status()
                          ->mutable_container_statuses(0)
                          ->mutable_state()
                          ->mutable_terminated();
  static constexpr int kExitCodes[] = {0, 1, 2, 127, 137, 139, 143, -1, 300};
  static constexpr const char* kReasons[] = {"OOMKilled", "Error", "Completed",
                                             ""};
  terminated.set_exit_code(kExitCodes[pick(9)]);
  terminated.set_reason(kReasons[pick(4)]);
  request.set_request_id(absl::StrFormat("r-%d", pick(5)));
  request.set_explain(static_cast<v1::DecideRequest::Explain>(pick(5)));
  switch (pick(8)) {
    case 0:
      report.set_attempt(-1);
      break;
    case 1:
      request.clear_report();
      break;
    case 2:
      request.set_policy("nowhere");
      break;
    case 3:
      request.mutable_ledger()->set_workload_uid("another");
      break;
    default:
      break;
  }
  return request;
}

TEST(BatchDecideTest, EqualsDecideOfEachItem) {
  TestServer server;
  std::mt19937 random(20231114);
  v1::BatchDecideRequest batch;
  for (int i = 0; i < 300; ++i) *batch.add_requests() = RandomRequest(random);
  v1::BatchDecideResponse results;
  ASSERT_TRUE(server.BatchDecide(batch, &results).ok());
  ASSERT_EQ(results.results_size(), batch.requests_size());
  for (int i = 0; i < batch.requests_size(); ++i) {
    SCOPED_TRACE(i);
    v1::DecideResponse alone;
    const grpc::Status status = server.Decide(batch.requests(i), &alone);
    const v1::BatchDecideResult& result = results.results(i);
    ASSERT_EQ(result.has_response(), status.ok());
    ASSERT_NE(result.has_response(), result.has_error());
    if (status.ok()) {
      EXPECT_THAT(result.response(), EqualsProto(alone));
    } else {
      EXPECT_EQ(result.error().code(), static_cast<int>(status.error_code()));
      EXPECT_EQ(result.error().message(), status.error_message());
      google::rpc::Status details;
      ASSERT_TRUE(details.ParseFromString(status.error_details()));
      EXPECT_EQ(details.details_size(), result.error().details_size());
      if (details.details_size() > 0) {
        EXPECT_THAT(result.error(), EqualsProto(details));
      }
    }
  }
}

TEST(BatchDecideTest, EmptyBatchHasNoResults) {
  TestServer server;
  v1::BatchDecideResponse results;
  EXPECT_TRUE(server.BatchDecide({}, &results).ok());
  EXPECT_EQ(results.results_size(), 0);
}

v1::BatchDecideRequest BatchOf(int items) {
  v1::BatchDecideRequest batch;
  for (int i = 0; i < items; ++i) *batch.add_requests() = OutOfMemoryRequest();
  return batch;
}

TEST(BatchDecideTest, AcceptsLimit) {
  TestServer server;
  v1::BatchDecideResponse results;
  const grpc::Status status =
      server.BatchDecide(BatchOf(kMaxBatchItems), &results);
  ASSERT_TRUE(status.ok()) << status.error_message();
  EXPECT_EQ(results.results_size(), kMaxBatchItems);
  EXPECT_EQ(server.Metric("mulligan_batch_items_count"), 1);
  EXPECT_EQ(server.Metric("mulligan_decision_duration_seconds_count"),
            kMaxBatchItems);
}

TEST(BatchDecideTest, RejectsOverLimitBeforeAnyWork) {
  TestServer server;
  v1::BatchDecideResponse results;
  const grpc::Status status =
      server.BatchDecide(BatchOf(kMaxBatchItems + 1), &results);
  EXPECT_EQ(status.error_code(), grpc::StatusCode::INVALID_ARGUMENT);
  EXPECT_THAT(BadFields(status), ElementsAre("requests"));
  EXPECT_EQ(server.Metric("mulligan_decision_duration_seconds_count"), 0);
}

// Takes some ten milliseconds: RE2 cannot build an automaton for its pattern.
v1::DecideRequest ExpensiveRequest() {
  v1::DecideRequest request = OutOfMemoryRequest();
  std::mt19937 random(1);
  std::string text(4 << 10, 'a');
  for (char& letter : text) letter = random() % 2 == 0 ? 'a' : 'b';
  request.mutable_report()->add_events()->set_message(text);
  v1::RetryPolicy& policy = *request.mutable_inline_policy();
  policy.set_api_version("mulligan.dev/v1");
  policy.set_kind("RetryPolicy");
  policy.mutable_metadata()->set_name("expensive");
  v1::Rule& rule = *policy.mutable_spec()->add_rules();
  rule.set_name("pattern");
  rule.mutable_when()->set_message_pattern("(a|b)*a(a|b){200}z");
  rule.mutable_then()->set_action(v1::Decision::IGNORE);
  policy.mutable_spec()->mutable_default_()->set_action(v1::Decision::FAIL);
  return request;
}

TEST(BatchDecideTest, EndsSoonAfterCancellation) {
  constexpr int kItems = 500;
  TestServer server;
  v1::BatchDecideRequest batch;
  for (int i = 0; i < kItems; ++i) *batch.add_requests() = ExpensiveRequest();
  grpc::ClientContext context;
  // Cancels while the batch is running, however slow the machine is.
  std::atomic<bool> over = false;
  std::thread caller([&] {
    while (server->metrics().CallsInFlight() == 0 && !over) {
      std::this_thread::yield();
    }
    context.TryCancel();
  });
  v1::BatchDecideResponse results;
  const auto stub = v1::RetryDecisionService::NewStub(server.channel());
  EXPECT_EQ(stub->BatchDecide(&context, batch, &results).error_code(),
            grpc::StatusCode::CANCELLED);
  over = true;
  caller.join();
  while (server->metrics().CallsInFlight() > 0) {
    std::this_thread::sleep_for(std::chrono::milliseconds(5));
  }
  EXPECT_EQ(
      server.Metric("mulligan_requests_rejected_total{reason=\"cancelled\"}"),
      1);
  EXPECT_LT(server.Metric("mulligan_decision_duration_seconds_count"), kItems);
}

TEST(BatchDecideTest, BadItemDoesNotAffectOthers) {
  TestServer server;
  v1::BatchDecideRequest batch = BatchOf(3);
  batch.mutable_requests(1)->clear_report();
  v1::BatchDecideResponse results;
  ASSERT_TRUE(server.BatchDecide(batch, &results).ok());
  EXPECT_TRUE(results.results(0).has_response());
  EXPECT_TRUE(results.results(1).has_error());
  EXPECT_TRUE(results.results(2).has_response());
  EXPECT_EQ(
      server.Metric("mulligan_requests_rejected_total{reason=\"invalid\"}"), 1);
}

}  // namespace
}  // namespace mulligan
