// Answers that callers do not read.
#include <grpcpp/channel.h>
#include <grpcpp/create_channel.h>
#include <grpcpp/security/credentials.h>

#include <chrono>
#include <memory>
#include <string>
#include <thread>
#include <vector>

#include "absl/strings/str_cat.h"
#include "gmock/gmock.h"
#include "gtest/gtest.h"
#include "tests/server/open_call.h"
#include "tests/server/test_server.h"

namespace mulligan {
namespace {

using ::testing::HasSubstr;
using testing::OpenCall;
using testing::OutOfMemoryRequest;
using testing::TestOptionsWithAdmin;
using testing::TestServer;

constexpr char kTaken[] = "mulligan_memory_under_way_bytes";

// Its answer takes half a megabyte.
v1::BatchDecideRequest InFull() {
  v1::BatchDecideRequest batch;
  for (int i = 0; i < 100; ++i) {
    *batch.add_requests() = OutOfMemoryRequest();
    batch.mutable_requests(i)->set_explain(v1::DecideRequest::FULL);
  }
  return batch;
}

// Returns a call whose answer stays in the server, because of flow control.
std::unique_ptr<OpenCall> SilentCall(TestServer& server) {
  grpc::ChannelArguments arguments;
  // Keeps the window at 64 KiB.
  arguments.SetInt(GRPC_ARG_HTTP2_BDP_PROBE, 0);
  arguments.SetInt(GRPC_ARG_USE_LOCAL_SUBCHANNEL_POOL, 1);
  auto call = std::make_unique<OpenCall>(
      grpc::CreateCustomChannel(absl::StrCat("127.0.0.1:", server->grpc_port()),
                                grpc::InsecureChannelCredentials(), arguments),
      "/mulligan.v1.RetryDecisionService/BatchDecide");
  call->WriteLast(InFull().SerializeAsString());
  return call;
}

// Returns whether the metric reaches [min, max] within ten seconds.
bool Reaches(const TestServer& server, double min, double max) {
  for (int i = 0; i < 1000; ++i) {
    const double taken = server.Metric(kTaken);
    if (taken >= min && taken <= max) return true;
    std::this_thread::sleep_for(std::chrono::milliseconds(10));
  }
  return false;
}

TEST(UnreadAnswersTest, CountAndAreCancelledAfterTimeout) {
  ServerOptions options = TestOptionsWithAdmin();
  options.send_timeout = absl::Seconds(3);
  TestServer server(options);
  const auto call = SilentCall(server);
  EXPECT_TRUE(Reaches(server, 200e3, 2e6)) << server.Metric(kTaken);
  EXPECT_TRUE(Reaches(server, 0, 0)) << server.Metric(kTaken);
  EXPECT_THAT(server.log(), HasSubstr("answers were not read in time"));
}

TEST(UnreadAnswersTest, TakeMemoryOnlyFromLargeCalls) {
  ServerOptions options = TestOptionsWithAdmin();
  options.max_memory_bytes = 4 << 20;
  TestServer server(options);
  std::vector<std::unique_ptr<OpenCall>> calls;
  grpc::Status large;
  v1::BatchDecideResponse answers;
  for (int i = 0; i < 100 && large.ok(); ++i) {
    calls.push_back(SilentCall(server));
    large = server.BatchDecide(InFull(), &answers);
  }
  EXPECT_EQ(large.error_code(), grpc::StatusCode::RESOURCE_EXHAUSTED);
  EXPECT_THAT(large.error_message(), HasSubstr("--max-memory"));
  v1::DecideResponse answer;
  EXPECT_TRUE(server.Decide(OutOfMemoryRequest(), &answer).ok());
  calls.clear();
  EXPECT_TRUE(Reaches(server, 0, 0)) << server.Metric(kTaken);
  EXPECT_TRUE(server.BatchDecide(InFull(), &answers).ok());
}

}  // namespace
}  // namespace mulligan
