// The life of a server: start, drain, stop.
#include "server/server.h"

#include <grpcpp/client_context.h>

#include <atomic>
#include <memory>
#include <string>
#include <thread>

#include "absl/strings/str_format.h"
#include "gmock/gmock.h"
#include "grpc/health/v1/health.grpc.pb.h"
#include "gtest/gtest.h"
#include "tests/server/test_server.h"
#include "tests/testing/status_matchers.h"

namespace mulligan {
namespace {

using ::testing::AllOf;
using ::testing::HasSubstr;
using testing::OutOfMemoryRequest;
using testing::StatusIs;
using testing::TestOptions;
using testing::TestOptionsWithAdmin;
using testing::TestServer;

absl::Status CreateFails(const ServerOptions& options,
                         const std::string& directory = "") {
  const Log log(LogLevel::kError, LogFormat::kJson);
  const auto source = MakePolicySource(directory);
  return Server::Create(options, *source, log).status();
}

TEST(ServerTest, RejectsPortInUse) {
  TestServer first;
  ServerOptions options = TestOptions();
  options.listen_address = absl::StrFormat("127.0.0.1:%d", first->grpc_port());
  EXPECT_THAT(CreateFails(options),
              StatusIs(absl::StatusCode::kUnavailable,
                       AllOf(HasSubstr("--listen-address"),
                             HasSubstr(options.listen_address))));
}

TEST(ServerTest, RejectsAdminPortInUse) {
  TestServer first(TestOptionsWithAdmin());
  ServerOptions options = TestOptions();
  options.admin_address = absl::StrFormat("127.0.0.1:%d", first->admin_port());
  EXPECT_THAT(CreateFails(options), StatusIs(absl::StatusCode::kUnavailable,
                                             HasSubstr("--admin-address")));
}

TEST(ServerTest, RejectsPlaintextForOtherHosts) {
  ServerOptions options = TestOptions();
  options.listen_address = "0.0.0.0:0";
  EXPECT_THAT(CreateFails(options), StatusIs(absl::StatusCode::kInvalidArgument,
                                             HasSubstr("--allow-plaintext")));
}

TEST(ServerTest, ServesPlaintextIfAllowed) {
  ServerOptions options = TestOptions();
  options.listen_address = "0.0.0.0:0";
  options.allow_plaintext = true;
  TestServer server(options);
  v1::DecideResponse response;
  EXPECT_TRUE(server.Decide(OutOfMemoryRequest(), &response).ok());
}

TEST(ServerTest, RejectsMissingPolicyFolder) {
  EXPECT_THAT(CreateFails(TestOptions(), "/nowhere/at/all"),
              StatusIs(absl::StatusCode::kInvalidArgument,
                       HasSubstr("/nowhere/at/all")));
}

TEST(ServerTest, LogsStartWithPolicies) {
  TestServer server;
  EXPECT_THAT(server.log(),
              AllOf(HasSubstr("\"policies loaded\""),
                    HasSubstr("\"revision\":"), HasSubstr("\"policies\":")));
}

// A batch that takes long enough to be observed while open.
v1::BatchDecideRequest LongBatch() {
  v1::BatchDecideRequest batch;
  for (int i = 0; i < 1000; ++i) {
    *batch.add_requests() = OutOfMemoryRequest();
    batch.mutable_requests(i)->set_explain(v1::DecideRequest::FULL);
  }
  return batch;
}

TEST(DrainTest, AnswersOpenCall) {
  TestServer server;
  const v1::BatchDecideRequest batch = LongBatch();
  grpc::Status status;
  bool seen = false;
  // Repeats until a call is observed; each takes milliseconds.
  for (int attempt = 0; attempt < 100 && !seen; ++attempt) {
    std::atomic<bool> ended = false;
    std::thread caller([&] {
      v1::BatchDecideResponse response;
      status = server.BatchDecide(batch, &response);
      ended = true;
    });
    while (!seen && !ended) seen = server->metrics().CallsInFlight() > 0;
    if (seen) server->Drain();
    caller.join();
  }
  ASSERT_TRUE(seen);
  EXPECT_TRUE(status.ok()) << status.error_message();
  EXPECT_EQ(server->metrics().CallsInFlight(), 0);
  EXPECT_THAT(server.log(), HasSubstr("\"calls_in_flight\":"));
}

TEST(DrainTest, NoCallFailsForClientsThatWatchHealth) {
  ServerOptions options = TestOptions();
  options.drain_delay = absl::Milliseconds(300);
  TestServer server(options);
  const auto health = grpc::health::v1::Health::NewStub(server.channel());
  grpc::ClientContext context;
  const auto watch = health->Watch(&context, {});
  grpc::health::v1::HealthCheckResponse heard;
  ASSERT_TRUE(watch->Read(&heard));

  std::atomic<bool> healthy = true;
  std::atomic<int> failed = 0;
  std::atomic<int> answered = 0;
  std::thread caller([&] {
    while (healthy) {
      v1::DecideResponse response;
      if (server.Decide(OutOfMemoryRequest(), &response).ok()) {
        ++answered;
      } else {
        ++failed;
      }
    }
  });
  while (answered == 0 && failed == 0) std::this_thread::yield();
  std::thread drain([&server] { server->Drain(); });
  ASSERT_TRUE(watch->Read(&heard));
  healthy = false;
  caller.join();
  drain.join();
  EXPECT_EQ(failed, 0);
  EXPECT_GT(answered, 0);
}

TEST(DrainTest, LaterCallsAreUnavailable) {
  TestServer server;
  server->Drain();
  v1::DecideResponse response;
  EXPECT_EQ(server.Decide(OutOfMemoryRequest(), &response).error_code(),
            grpc::StatusCode::UNAVAILABLE);
}

}  // namespace
}  // namespace mulligan
