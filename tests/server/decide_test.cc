// The decision RPCs over a real channel.
#include <set>
#include <string>

#include "gmock/gmock.h"
#include "gtest/gtest.h"
#include "policy/limits.h"
#include "tests/server/test_server.h"
#include "tests/testing/proto_matchers.h"

namespace mulligan {
namespace {

using testing::BadFields;
using testing::CallWithBytes;
using ::testing::Contains;
using testing::EqualsProto;
using ::testing::HasSubstr;
using ::testing::IsEmpty;
using testing::kDecide;
using ::testing::Not;
using testing::OutOfMemoryRequest;
using testing::TestServer;

TEST(DecideTest, AnswersAFailure) {
  TestServer server;
  v1::DecideRequest request = OutOfMemoryRequest();
  request.set_request_id("r-1");
  v1::DecideResponse response;
  const grpc::Status status = server.Decide(request, &response);
  ASSERT_TRUE(status.ok()) << status.error_message();
  EXPECT_EQ(response.diagnosis().cause(), v1::CONTAINER_OOM);
  EXPECT_NE(response.decision().action(), v1::Decision::ACTION_UNSPECIFIED);
  EXPECT_THAT(response.decision().sentence(), Not(IsEmpty()));
  EXPECT_EQ(response.request_id(), "r-1");
  EXPECT_THAT(response.policy().revision(), Not(IsEmpty()));
}

TEST(DecideTest, SameRequestSameAnswer) {
  TestServer server;
  v1::DecideResponse first;
  v1::DecideResponse second;
  ASSERT_TRUE(server.Decide(OutOfMemoryRequest(), &first).ok());
  ASSERT_TRUE(server.Decide(OutOfMemoryRequest(), &second).ok());
  EXPECT_THAT(second, EqualsProto(first));
}

// Maps have no order: five entries have 120 permutations.
TEST(DecideTest, SameRequestSameBytes) {
  TestServer server;
  v1::DecideRequest request = OutOfMemoryRequest();
  v1::BudgetLedger& ledger = *request.mutable_ledger();
  for (const char* budget :
       {"application", "disruption", "infrastructure", "start", "storage"}) {
    (*ledger.mutable_budgets())[budget].set_used(1);
  }
  const std::string bytes = request.SerializeAsString();
  std::set<std::string> answers;
  for (int i = 0; i < 200; ++i) {
    std::string answer;
    ASSERT_TRUE(CallWithBytes(server.channel(), kDecide, bytes, &answer).ok());
    answers.insert(answer);
  }
  EXPECT_EQ(answers.size(), 1U);
}

TEST(DecideTest, RejectsBadRequests) {
  const struct {
    const char* name;
    void (*change)(v1::DecideRequest&);
    grpc::StatusCode code;
    const char* field;  // named as bad; "" if none is
    const char* message;
  } cases[] = {
      {"two workloads",
       [](v1::DecideRequest& request) {
         for (const char* name : {"one", "other"}) {
           auto& job = *request.mutable_report()->add_jobs();
           job.mutable_metadata()->set_name(name);
           job.mutable_metadata()->set_uid(name);
         }
       },
       grpc::StatusCode::INVALID_ARGUMENT, "report.workload",
       "Job one, Job other"},
      {"no report", [](v1::DecideRequest& request) { request.Clear(); },
       grpc::StatusCode::INVALID_ARGUMENT, "report", ""},
      {"unknown policy",
       [](v1::DecideRequest& request) { request.set_policy("nowhere"); },
       grpc::StatusCode::NOT_FOUND, "", "nowhere"},
      {"policy native without an operator's object",
       [](v1::DecideRequest& request) { request.set_policy("native"); },
       grpc::StatusCode::INVALID_ARGUMENT, "report", ""},
      {"broken inline policy",
       [](v1::DecideRequest& request) {
         request.mutable_inline_policy()->mutable_metadata()->set_name("mine");
       },
       grpc::StatusCode::INVALID_ARGUMENT, "inlinePolicy", ""},
      {"another workload's ledger",
       [](v1::DecideRequest& request) {
         request.mutable_ledger()->set_workload_uid("another");
       },
       grpc::StatusCode::FAILED_PRECONDITION, "", ""},
  };
  TestServer server;
  for (const auto& [name, change, code, field, message] : cases) {
    SCOPED_TRACE(name);
    v1::DecideRequest request = OutOfMemoryRequest();
    change(request);
    v1::DecideResponse response;
    const grpc::Status status = server.Decide(request, &response);
    EXPECT_EQ(status.error_code(), code);
    EXPECT_THAT(status.error_message(), HasSubstr(message));
    if (*field != '\0') {
      EXPECT_THAT(BadFields(status), Contains(field));
    }
  }
}

TEST(DecideTest, WarnsThatItUsesTheServersTime) {
  TestServer server;
  v1::DecideRequest request = OutOfMemoryRequest();
  request.mutable_report()->clear_observed_at();
  v1::DecideResponse response;
  ASSERT_TRUE(server.Decide(request, &response).ok());
  EXPECT_THAT(response.warnings(), Not(IsEmpty()));
}

TEST(DecideTest, NamesEveryBadField) {
  TestServer server;
  v1::DecideRequest request = OutOfMemoryRequest();
  request.mutable_report()->set_failure_id(std::string(257, 'x'));
  request.mutable_report()->set_attempt(0);
  request.set_request_id(std::string(257, 'x'));
  v1::DecideResponse response;
  const grpc::Status status = server.Decide(request, &response);
  EXPECT_EQ(status.error_code(), grpc::StatusCode::INVALID_ARGUMENT);
  EXPECT_THAT(BadFields(status),
              ::testing::UnorderedElementsAre("report.failureId",
                                              "report.attempt", "requestId"));
}

TEST(DecideTest, AcceptsIdsAtTheLimit) {
  TestServer server;
  v1::DecideRequest request = OutOfMemoryRequest();
  request.mutable_report()->set_failure_id(std::string(kMaxIdBytes, 'x'));
  request.set_request_id(std::string(kMaxIdBytes, 'x'));
  v1::DecideResponse response;
  EXPECT_TRUE(server.Decide(request, &response).ok());
}

TEST(DecideTest, PolicyNativeAnswersLikeTheOperator) {
  TestServer server;
  v1::DecideRequest request = OutOfMemoryRequest();
  request.set_policy("native");
  auto& job = *request.mutable_report()->add_jobs();
  job.mutable_spec()->set_backoff_limit(0);
  job.mutable_status()->set_failed(1);
  v1::DecideResponse response;
  const grpc::Status status = server.Decide(request, &response);
  ASSERT_TRUE(status.ok()) << status.error_message();
  EXPECT_EQ(response.policy().name(), "native");
  EXPECT_EQ(response.native().operator_(), "Job");
  EXPECT_EQ(response.decision().action(), v1::Decision::FAIL);
}

TEST(DecideTest, WarnsAboutUnknownEnumNumbers) {
  TestServer server;
  v1::DecideRequest request = OutOfMemoryRequest();
  v1::DecideResponse before;
  ASSERT_TRUE(server.Decide(request, &before).ok());
  request.set_explain(static_cast<v1::DecideRequest::Explain>(99));
  request.set_purpose(static_cast<v1::DecideRequest::Purpose>(98));
  v1::DecideResponse response;
  ASSERT_TRUE(server.Decide(request, &response).ok());
  EXPECT_GT(response.warnings_size(), before.warnings_size());
}

TEST(DecideTest, AnswersInvalidUtf8InTerminationMessage) {
  TestServer server;
  v1::DecideRequest request = OutOfMemoryRequest();
  request.mutable_report()
      ->mutable_pods(0)
      ->mutable_status()
      ->mutable_container_statuses(0)
      ->mutable_state()
      ->mutable_terminated()
      ->set_message("killed \xff\xfe\x80 at");
  v1::DecideResponse response;
  const grpc::Status status = server.Decide(request, &response);
  ASSERT_TRUE(status.ok()) << status.error_message();
  EXPECT_EQ(response.diagnosis().cause(), v1::CONTAINER_OOM);
}

TEST(DecideTest, AnswersInvalidUtf8InPodName) {
  TestServer server;
  v1::DecideRequest request = OutOfMemoryRequest();
  auto& pod = *request.mutable_report()->mutable_pods(0);
  pod.mutable_metadata()->set_name("pod-\xff");
  pod.mutable_spec()->set_node_name("node-\xff");
  v1::DecideResponse response;
  const grpc::Status status = server.Decide(request, &response);
  EXPECT_TRUE(status.ok() ||
              status.error_code() == grpc::StatusCode::INVALID_ARGUMENT)
      << status.error_message();
}

TEST(DecideTest, GarbageIsInvalidArgument) {
  TestServer server;
  const grpc::Status status =
      CallWithBytes(server.channel(), kDecide, "\xff\xff\xff garbage");
  EXPECT_EQ(status.error_code(), grpc::StatusCode::INVALID_ARGUMENT);
  EXPECT_THAT(status.error_message(), HasSubstr("mulligan.v1.DecideRequest"));
  EXPECT_EQ(
      server.Metric("mulligan_requests_rejected_total{reason=\"malformed\"}"),
      1);
}

TEST(DecideTest, InvalidUtf8InProto3IsInvalidArgument) {
  TestServer server;
  // request_id = "\xff".
  const grpc::Status status =
      CallWithBytes(server.channel(), kDecide, "\x3a\x01\xff");
  EXPECT_EQ(status.error_code(), grpc::StatusCode::INVALID_ARGUMENT);
}

TEST(DecideTest, HandlesEveryTruncation) {
  TestServer server;
  const std::string whole = OutOfMemoryRequest().SerializeAsString();
  for (std::size_t size = 0; size < whole.size(); ++size) {
    const grpc::Status status =
        CallWithBytes(server.channel(), kDecide, whole.substr(0, size));
    EXPECT_TRUE(status.ok() ||
                status.error_code() == grpc::StatusCode::INVALID_ARGUMENT)
        << size << ": " << status.error_code() << " " << status.error_message();
  }
}

TEST(DemystifyTest, ClassifiesWithoutDeciding) {
  TestServer server;
  v1::DemystifyRequest request;
  *request.mutable_report() = OutOfMemoryRequest().report();
  v1::DemystifyResponse response;
  const grpc::Status status = server.Demystify(request, &response);
  ASSERT_TRUE(status.ok()) << status.error_message();
  EXPECT_EQ(response.diagnosis().cause(), v1::CONTAINER_OOM);
  EXPECT_EQ(server.Metric("mulligan_demystify_duration_seconds_count"), 1);
  EXPECT_EQ(server.Metric("mulligan_decision_duration_seconds_count"), 0);
}

TEST(DemystifyTest, RejectsEmptyReport) {
  TestServer server;
  v1::DemystifyResponse response;
  const grpc::Status status = server.Demystify({}, &response);
  EXPECT_EQ(status.error_code(), grpc::StatusCode::INVALID_ARGUMENT);
  EXPECT_THAT(BadFields(status), Contains("report"));
}

TEST(DemystifyTest, UnknownPolicyIsNotFound) {
  TestServer server;
  v1::DemystifyRequest request;
  *request.mutable_report() = OutOfMemoryRequest().report();
  request.set_policy("nowhere");
  v1::DemystifyResponse response;
  EXPECT_EQ(server.Demystify(request, &response).error_code(),
            grpc::StatusCode::NOT_FOUND);
}

}  // namespace
}  // namespace mulligan
