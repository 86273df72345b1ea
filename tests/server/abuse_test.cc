// Requests that are made to be expensive.
#include <grpcpp/channel.h>
#include <grpcpp/client_context.h>
#include <grpcpp/generic/generic_stub.h>

#include <atomic>
#include <chrono>
#include <cstdint>
#include <string>
#include <thread>
#include <vector>

#include "absl/time/clock.h"
#include "absl/time/time.h"
#include "gmock/gmock.h"
#include "google/rpc/error_details.pb.h"
#include "google/rpc/status.pb.h"
#include "gtest/gtest.h"
#include "policy/limits.h"
#include "server/policies/inline_policy_cache.h"
#include "tests/server/sockets.h"
#include "tests/server/test_server.h"

namespace mulligan {
namespace {

using testing::CallWithBytes;
using ::testing::ElementsAre;
using ::testing::HasSubstr;
using testing::kDecide;
using testing::OutOfMemoryRequest;
using testing::TestOptions;
using testing::TestServer;

// A request with an inline policy of `patterns` rules.
v1::DecideRequest InlineRequest(int patterns, const std::string& pattern) {
  v1::DecideRequest request = OutOfMemoryRequest();
  v1::RetryPolicy& policy = *request.mutable_inline_policy();
  policy.set_api_version("mulligan.dev/v1");
  policy.set_kind("RetryPolicy");
  policy.mutable_metadata()->set_name("mine");
  policy.mutable_spec()->mutable_default_()->set_action(v1::Decision::FAIL);
  for (int i = 0; i < patterns; ++i) {
    v1::Rule& rule = *policy.mutable_spec()->add_rules();
    rule.set_name("r" + std::to_string(i));
    rule.mutable_when()->set_message_pattern(pattern);
    rule.mutable_then()->set_action(v1::Decision::FAIL);
  }
  return request;
}

void SetMessage(std::string text, v1::DecideRequest& request) {
  request.mutable_report()
      ->mutable_pods(0)
      ->mutable_status()
      ->mutable_container_statuses(0)
      ->mutable_state()
      ->mutable_terminated()
      ->set_message(std::move(text));
}

std::string Repeat(const std::string& piece, int times) {
  std::string text;
  for (int i = 0; i < times; ++i) text += piece;
  return text;
}

// Takes 10 us per byte: RE2 cannot build an automaton for it in little memory.
std::string SlowPattern() { return Repeat("([ab]{1,30})*", 20) + "x"; }

class AbuseTest : public ::testing::Test {
 protected:
  grpc::Status Decide(const v1::DecideRequest& request) {
    v1::DecideResponse response;
    return server_.Decide(request, &response);
  }

  TestServer server_;
};

TEST_F(AbuseTest, RejectsPatternsThatAreSlowToCompile) {
  const grpc::Status status =
      Decide(InlineRequest(1, "(?i)" + Repeat("\\PL", 300)));
  EXPECT_EQ(status.error_code(), grpc::StatusCode::INVALID_ARGUMENT);
  EXPECT_THAT(status.error_message(),
              HasSubstr("spec.rules[0].when.messagePattern"));
  EXPECT_THAT(testing::BadFields(status), ElementsAre("inlinePolicy"));
}

TEST_F(AbuseTest, RejectsSignaturesThatAreSlowToCompile) {
  v1::DecideRequest request = InlineRequest(0, "");
  for (int i = 0; i < 100; ++i) {
    v1::Signature& signature =
        *request.mutable_inline_policy()->mutable_spec()->add_signatures();
    signature.set_name("s" + std::to_string(i));
    signature.set_cause(v1::GPU_FAULT);
    signature.set_message_pattern("(?i)\\PL\\PL" + std::to_string(i));
  }
  const grpc::Status status = Decide(request);
  EXPECT_EQ(status.error_code(), grpc::StatusCode::INVALID_ARGUMENT);
  EXPECT_THAT(status.error_message(), HasSubstr("spec.signatures["));
}

TEST_F(AbuseTest, LimitsPatternsAndBytesOfInlinePolicies) {
  EXPECT_TRUE(Decide(InlineRequest(kMaxInlinePatterns, "gpu")).ok());
  EXPECT_THAT(
      Decide(InlineRequest(kMaxInlinePatterns + 1, "gpu")).error_message(),
      HasSubstr("inlinePolicy.spec: has 201 patterns"));
  v1::DecideRequest large = InlineRequest(0, "");
  large.mutable_inline_policy()->mutable_metadata()->set_description(
      std::string(kMaxInlinePolicyBytes, 'x'));
  EXPECT_THAT(Decide(large).error_message(), HasSubstr("inlinePolicy: has 65"));
}

TEST(InlinePolicyCacheTest, CompilesAPolicyOnceAndEvictsTheOldest) {
  InlinePolicyCache cache;
  const auto compile = [&cache](int number) {
    const v1::DecideRequest request =
        InlineRequest(kMaxInlinePatterns, "exit " + std::to_string(number));
    auto rules = cache.Compile(request.inline_policy(), std::to_string(number));
    EXPECT_TRUE(rules.ok());
    return *rules;
  };
  const auto first = compile(1);
  EXPECT_EQ(compile(1), first);
  EXPECT_NE(compile(2), first);
  EXPECT_EQ(compile(1), first);
  compile(3);  // exceeds kMaxPatterns
  EXPECT_EQ(compile(1), first);
  compile(2);
  compile(3);
  EXPECT_NE(compile(1), first);
}

TEST(InlinePoliciesOffTest, AreRejectedByField) {
  ServerOptions options = TestOptions();
  options.inline_policies = false;
  TestServer server(options);
  v1::DecideResponse response;
  const grpc::Status status = server.Decide(InlineRequest(1, "gpu"), &response);
  EXPECT_EQ(status.error_code(), grpc::StatusCode::INVALID_ARGUMENT);
  EXPECT_THAT(testing::BadFields(status), ElementsAre("inlinePolicy"));
  EXPECT_TRUE(server.Decide(OutOfMemoryRequest(), &response).ok());
}

TEST_F(AbuseTest, DoesNotStartSearchesOfSeconds) {
  v1::DecideRequest request = InlineRequest(20, SlowPattern());
  SetMessage(Repeat("ab", 30'000), request);
  const grpc::Status status = Decide(request);
  EXPECT_EQ(status.error_code(), grpc::StatusCode::RESOURCE_EXHAUSTED);
  EXPECT_THAT(status.error_message(), HasSubstr("takes too long in a text"));
  EXPECT_EQ(server_.Metric(
                "mulligan_requests_rejected_total{reason=\"too_expensive\"}"),
            1);
}

// One watch for all items: 30 KB used to take eight seconds.
TEST_F(AbuseTest, BatchHasTheTimeLimitOfACall) {
  v1::DecideRequest item = InlineRequest(1, SlowPattern());
  SetMessage(Repeat("ab", 1'000), item);
  v1::BatchDecideRequest batch;
  for (int i = 0; i < 500; ++i) *batch.add_requests() = item;
  v1::BatchDecideResponse response;
  ASSERT_TRUE(server_.BatchDecide(batch, &response).ok());
  ASSERT_EQ(response.results_size(), 500);
  const google::rpc::Status& last = response.results(499).error();
  EXPECT_EQ(last.code(), grpc::StatusCode::RESOURCE_EXHAUSTED);
  EXPECT_THAT(last.message(), HasSubstr("its limit of"));
}

// Compiling rejected policies costs as much: half a megabyte took nine seconds.
TEST_F(AbuseTest, TimeLimitIncludesRejectedItems) {
  v1::BatchDecideRequest batch;
  for (int i = 0; i < 100; ++i) {
    const std::string slow = Repeat("(?i)\\PL", 60) + std::to_string(i);
    *batch.add_requests() = InlineRequest(20, slow);
  }
  v1::BatchDecideResponse response;
  ASSERT_TRUE(server_.BatchDecide(batch, &response).ok());
  ASSERT_EQ(response.results_size(), 100);
  EXPECT_EQ(response.results(0).error().code(),
            grpc::StatusCode::INVALID_ARGUMENT);
  const google::rpc::Status& last = response.results(99).error();
  EXPECT_EQ(last.code(), grpc::StatusCode::RESOURCE_EXHAUSTED);
  EXPECT_THAT(last.message(), HasSubstr("its limit of"));
}

// Keeps the pool busy with calls of 200 ms each.
class ExpensiveCallers {
 public:
  explicit ExpensiveCallers(TestServer& server) {
    v1::DecideRequest item = InlineRequest(1, SlowPattern());
    SetMessage(Repeat("ab", 1'000), item);
    for (int i = 0; i < 500; ++i) *batch_.add_requests() = item;
    for (int i = 0; i < kCallers; ++i) {
      threads_.emplace_back([this, &server] {
        while (!stopping_) {
          v1::BatchDecideResponse response;
          if (!server.BatchDecide(batch_, &response).ok()) ++refused_;
        }
      });
    }
  }
  ~ExpensiveCallers() {
    stopping_ = true;
    for (std::thread& thread : threads_) thread.join();
  }

  // Returns the number of calls for which the pool had no room.
  int refused() const { return refused_; }

 private:
  static constexpr int kCallers = 12;

  v1::BatchDecideRequest batch_;
  std::atomic<bool> stopping_ = false;
  std::atomic<int> refused_ = 0;
  std::vector<std::thread> threads_;
};

// Retries like clients do, because one late call in ten is refused.
grpc::Status DecideSoon(TestServer& server) {
  grpc::Status status;
  for (int tries = 0; tries < 20; ++tries) {
    v1::DecideResponse response;
    status = server.Decide(OutOfMemoryRequest(), &response);
    if (status.error_code() != grpc::StatusCode::RESOURCE_EXHAUSTED) break;
    absl::SleepFor(absl::Milliseconds(50));
  }
  return status;
}

TEST(FullPoolTest, AnswersProbesMetricsAndCheapCalls) {
  TestServer server(testing::TestOptionsWithAdmin());
  const ExpensiveCallers callers(server);
  for (int round = 0; round < 3; ++round) {
    const int before = callers.refused();
    while (callers.refused() == before) absl::SleepFor(absl::Milliseconds(1));
    const grpc::Status decided = DecideSoon(server);
    EXPECT_TRUE(decided.ok()) << decided.error_message();
    EXPECT_TRUE(
        CallWithBytes(server.channel(), "/grpc.health.v1.Health/Check", "")
            .ok());
    for (const char* page : {"/livez", "/readyz", "/metrics"}) {
      EXPECT_THAT(testing::Http(server->admin_port(), "GET", page),
                  HasSubstr("200 OK"))
          << page;
    }
  }
}

// A member of a message: its tag, its size and its bytes.
std::string Member(char tag, const std::string& body) {
  std::string bytes(1, tag);
  for (std::size_t size = body.size(); size > 0; size >>= 7U) {
    bytes += static_cast<char>((size & 0x7FU) | (size > 0x7FU ? 0x80U : 0U));
  }
  return bytes + body;
}

// A label of the workload without a value.
std::string Label(int key) {
  const std::string text = std::to_string(key);
  const auto size = static_cast<char>(text.size());
  return std::string("\x32") + static_cast<char>(size + 2) + "\x0a" + size +
         text;
}

// Two bytes each in the request, two hundred in memory.
TEST_F(AbuseTest, CountsEmptyMembersBeforeParsing) {
  // For labels without a value and for repeated labels, the parser makes a
  // message in addition to the map's node.
  std::string without_value;
  for (int i = 0; i < 120'000; ++i) without_value += Label(i);
  const std::string repeated =
      Repeat(std::string("\x32\x04\x0a\x00\x12\x00", 6), 120'000);
  const std::string bodies[] = {
      Member('\x22', without_value),
      Member('\x22', repeated),
      Repeat(std::string("\x0a\x00", 2), 1'600'000),  // a member of the report
      Repeat(std::string("\xfa\x3e\x00", 3), 1'200'000),  // an unknown one
      Repeat("\xfb\x3e\xfc\x3e", 800'000),                // unknown groups
  };
  for (const std::string& body : bodies) {
    const grpc::Status status =
        CallWithBytes(server_.channel(), kDecide, Member('\x0a', body));
    EXPECT_EQ(status.error_code(), grpc::StatusCode::INVALID_ARGUMENT);
    EXPECT_THAT(status.error_message(), HasSubstr("small or empty members"));
  }
}

// Small pods, and pods as large as a request can hold.
TEST_F(AbuseTest, AcceptsMaxPods) {
  for (const int bytes : {0, 600}) {
    v1::DecideRequest request;
    for (int i = 0; i < kMaxPods; ++i) {
      auto& pod = *request.mutable_report()->add_pods();
      pod.mutable_metadata()->set_name(absl::StrCat("w-", i));
      pod.mutable_metadata()->set_uid(absl::StrCat("u-", i));
      pod.mutable_spec()->set_node_name("n");
      auto& status = *pod.mutable_status();
      status.set_phase("Failed");
      auto& container = *status.add_container_statuses();
      container.set_name("main");
      auto& ended = *container.mutable_state()->mutable_terminated();
      ended.set_exit_code(1);
      ended.set_message(std::string(static_cast<std::size_t>(bytes), 'x'));
    }
    v1::DecideResponse response;
    const grpc::Status status = server_.Decide(request, &response);
    EXPECT_TRUE(status.ok()) << bytes << ": " << status.error_message();
  }
}

TEST(MemoryTest, CallsBeyondTheLimitAreToldToRetry) {
  ServerOptions options = TestOptions();
  options.max_message_bytes = kMinMessageBytesLimit;
  options.max_memory_bytes = 128 << 10;
  TestServer server(options);
  v1::DecideRequest request = OutOfMemoryRequest();
  SetMessage(std::string(40'000, 'x'), request);
  v1::DecideResponse response;
  const grpc::Status status = server.Decide(request, &response);
  EXPECT_EQ(status.error_code(), grpc::StatusCode::RESOURCE_EXHAUSTED);
  google::rpc::Status details;
  google::rpc::RetryInfo info;
  ASSERT_TRUE(details.ParseFromString(status.error_details()));
  ASSERT_EQ(details.details_size(), 1);
  EXPECT_TRUE(details.details(0).UnpackTo(&info));
  EXPECT_GT(info.retry_delay().nanos(), 0);
  // The memory is released when the call ends, which is after its answer.
  bool answered = false;
  for (int i = 0; i < 100 && !answered; ++i) {
    answered = server.Decide(OutOfMemoryRequest(), &response).ok();
    if (!answered) absl::SleepFor(absl::Milliseconds(20));
  }
  EXPECT_TRUE(answered);
}

TEST_F(AbuseTest, ExpiredCallIsNotProcessed) {
  const auto stub = v1::RetryDecisionService::NewStub(server_.channel());
  v1::DecideRequest request = InlineRequest(50, SlowPattern());
  SetMessage(Repeat("ab", 30'000), request);
  grpc::ClientContext context;
  context.set_deadline(std::chrono::system_clock::now() -
                       std::chrono::seconds(1));
  v1::DecideResponse response;
  EXPECT_EQ(stub->Decide(&context, request, &response).error_code(),
            grpc::StatusCode::DEADLINE_EXCEEDED);
  EXPECT_EQ(server_.Metric("mulligan_decision_duration_seconds_count"), 0);
}

// Clients without a deadline send one that is centuries away.
TEST_F(AbuseTest, FarDeadlineHasNotPassed) {
  const auto stub = v1::RetryDecisionService::NewStub(server_.channel());
  grpc::ClientContext context;
  gpr_timespec deadline = gpr_now(GPR_CLOCK_REALTIME);
  deadline.tv_sec += std::int64_t{400} * 366 * 24 * 3600;
  context.set_deadline(deadline);
  v1::DecideResponse response;
  const grpc::Status status =
      stub->Decide(&context, OutOfMemoryRequest(), &response);
  EXPECT_TRUE(status.ok()) << status.error_message();
}

// This was an internal error, which raised an alert.
TEST_F(AbuseTest, CallWithoutMessageIsInvalidArgument) {
  grpc::GenericStub stub(server_.channel());
  grpc::ClientContext context;
  grpc::CompletionQueue queue;
  const auto call = stub.PrepareCall(&context, kDecide, &queue);
  const auto wait = [&queue] {
    void* tag = nullptr;
    bool ok = false;
    queue.Next(&tag, &ok);
  };
  call->StartCall(nullptr);
  wait();
  call->WritesDone(nullptr);
  wait();
  grpc::Status status;
  call->Finish(&status, nullptr);
  wait();
  EXPECT_EQ(status.error_code(), grpc::StatusCode::INVALID_ARGUMENT);
  EXPECT_THAT(status.error_message(),
              HasSubstr("expected one mulligan.v1.DecideRequest"));
  EXPECT_EQ(
      server_.Metric("mulligan_requests_rejected_total{reason=\"internal\"}"),
      0);
}

}  // namespace
}  // namespace mulligan
