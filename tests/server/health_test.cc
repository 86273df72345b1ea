#include <grpcpp/client_context.h>

#include <memory>
#include <string>
#include <thread>

#include "gmock/gmock.h"
#include "grpc/health/v1/health.grpc.pb.h"
#include "gtest/gtest.h"
#include "tests/server/test_server.h"
#include "tests/testing/param_name.h"

namespace mulligan {
namespace {

using grpc::health::v1::Health;
using grpc::health::v1::HealthCheckRequest;
using grpc::health::v1::HealthCheckResponse;
using testing::TestOptions;
using testing::TestServer;

HealthCheckRequest For(const std::string& name) {
  HealthCheckRequest request;
  request.set_service(name);
  return request;
}

class HealthNameTest : public ::testing::TestWithParam<const char*> {};

TEST_P(HealthNameTest, Serves) {
  TestServer server;
  const auto stub = Health::NewStub(server.channel());
  grpc::ClientContext context;
  HealthCheckResponse response;
  ASSERT_TRUE(stub->Check(&context, For(GetParam()), &response).ok());
  EXPECT_EQ(response.status(), HealthCheckResponse::SERVING);
}

INSTANTIATE_TEST_SUITE_P(All, HealthNameTest,
                         ::testing::Values("", "liveness", "readiness",
                                           "mulligan.v1.RetryDecisionService",
                                           "mulligan.v1.PolicyService"),
                         [](const auto& row) {
                           return ParamName(row.index, row.param);
                         });

TEST(HealthTest, UnknownNameIsNotFound) {
  TestServer server;
  const auto stub = Health::NewStub(server.channel());
  grpc::ClientContext context;
  HealthCheckResponse response;
  EXPECT_EQ(stub->Check(&context, For("unknown"), &response).error_code(),
            grpc::StatusCode::NOT_FOUND);
}

// A watch stores its name for as long as its caller likes.
TEST(HealthTest, RejectsWatchOfALongName) {
  TestServer server;
  const auto stub = Health::NewStub(server.channel());
  grpc::ClientContext context;
  HealthCheckResponse response;
  const auto watch = stub->Watch(&context, For(std::string(2000, 'x')));
  EXPECT_FALSE(watch->Read(&response));
  EXPECT_EQ(watch->Finish().error_code(), grpc::StatusCode::INVALID_ARGUMENT);
}

TEST(HealthTest, WatchReportsUnknownName) {
  TestServer server;
  const auto stub = Health::NewStub(server.channel());
  grpc::ClientContext context;
  HealthCheckResponse response;
  const auto watch = stub->Watch(&context, For("unknown"));
  ASSERT_TRUE(watch->Read(&response));
  EXPECT_EQ(response.status(), HealthCheckResponse::SERVICE_UNKNOWN);
  context.TryCancel();
  EXPECT_EQ(watch->Finish().error_code(), grpc::StatusCode::CANCELLED);
}

TEST(HealthTest, WatchersSeeTheDrainAndDoNotDelayIt) {
  ServerOptions options = TestOptions();
  options.shutdown_grace = absl::Minutes(10);
  TestServer server(options);
  const auto stub = Health::NewStub(server.channel());
  grpc::ClientContext context;
  HealthCheckResponse response;
  const auto watch = stub->Watch(&context, For("readiness"));
  ASSERT_TRUE(watch->Read(&response));
  EXPECT_EQ(response.status(), HealthCheckResponse::SERVING);

  std::thread drain([&server] { server->Drain(); });
  ASSERT_TRUE(watch->Read(&response));
  EXPECT_EQ(response.status(), HealthCheckResponse::NOT_SERVING);
  EXPECT_FALSE(watch->Read(&response));
  EXPECT_EQ(watch->Finish().error_code(), grpc::StatusCode::UNAVAILABLE);
  // Returns long before the ten minutes of grace.
  drain.join();
}

TEST(HealthTest, LivenessOutlastsReadiness) {
  ServerOptions options = TestOptions();
  options.drain_delay = absl::Seconds(1);
  TestServer server(options);
  const auto stub = Health::NewStub(server.channel());
  grpc::ClientContext watch_context;
  HealthCheckResponse response;
  const auto watch = stub->Watch(&watch_context, For(""));
  ASSERT_TRUE(watch->Read(&response));

  std::thread drain([&server] { server->Drain(); });
  ASSERT_TRUE(watch->Read(&response));
  EXPECT_EQ(response.status(), HealthCheckResponse::NOT_SERVING);
  grpc::ClientContext context;
  ASSERT_TRUE(stub->Check(&context, For("liveness"), &response).ok());
  EXPECT_EQ(response.status(), HealthCheckResponse::SERVING);
  drain.join();
}

}  // namespace
}  // namespace mulligan
