// Silent connections, and running out of descriptors.
#include <grpcpp/create_channel.h>
#include <sys/resource.h>

#include <algorithm>
#include <chrono>
#include <memory>
#include <string>
#include <thread>
#include <vector>

#include "gmock/gmock.h"
#include "gtest/gtest.h"
#include "server/net/listener.h"
#include "tests/server/http2_frames.h"
#include "tests/server/program.h"
#include "tests/server/sockets.h"
#include "tests/server/test_server.h"

namespace mulligan {
namespace {

using testing::CallWithBytes;
using testing::Connect;
using ::testing::HasSubstr;
using testing::Http;
using testing::kDecide;
using testing::OutOfMemoryRequest;
using testing::Program;
using testing::ReadAll;
using testing::Send;
using testing::Serving;
using testing::TestServer;

// More silent and slow ones than the port keeps open.
TEST(AdminPortTest, SilentConnectionsDoNotDelayOthers) {
  TestServer server(testing::TestOptionsWithAdmin());
  std::vector<OwnedDescriptor> silent;
  for (int i = 0; i < 150; ++i) {
    silent.push_back(Connect(server->admin_port()));
    ASSERT_TRUE(silent.back().valid());
    if (i % 2 == 0) Send(silent.back(), "GET /livez HT");
  }
  // A busy machine delays one probe, not all of them.
  auto fastest = std::chrono::steady_clock::duration::max();
  for (int i = 0; i < 10; ++i) {
    const auto start = std::chrono::steady_clock::now();
    const OwnedDescriptor probe = Connect(server->admin_port());
    Send(probe, "GET /livez HTTP/1.1\r\nHost: x\r\n\r\n");
    EXPECT_THAT(ReadAll(probe), HasSubstr("200 OK"));
    fastest = std::min(fastest, std::chrono::steady_clock::now() - start);
  }
  EXPECT_LT(fastest, std::chrono::milliseconds(100));
}

TEST(AdminPortTest, RejectsNonHttp) {
  TestServer server(testing::TestOptionsWithAdmin());
  const OwnedDescriptor strange = Connect(server->admin_port());
  Send(strange, "hello\r\n\r\n");
  EXPECT_THAT(ReadAll(strange), HasSubstr("400 Bad Request"));
  const OwnedDescriptor endless = Connect(server->admin_port());
  Send(endless, "GET /livez HTTP/1.1\r\nX: " + std::string(9'000, 'x'));
  EXPECT_THAT(ReadAll(endless), HasSubstr("431 "));
}

TEST(ConnectionsTest, BeyondTheLimitAreClosedUntilThereIsRoom) {
  ServerOptions options = testing::TestOptions();
  options.max_connections = 8;
  TestServer server(options);
  v1::DecideResponse response;
  ASSERT_TRUE(server.Decide(OutOfMemoryRequest(), &response).ok());
  {
    std::vector<OwnedDescriptor> many;
    for (int i = 0; i < 20; ++i) {
      many.push_back(Connect(server->grpc_port()));
      Send(many.back(), testing::Greeting());
      // Lets it arrive before the next one.
      std::this_thread::sleep_for(std::chrono::milliseconds(5));
    }
    // There is no room for the last ones.
    EXPECT_EQ(ReadAll(many.back()), "");
    // Earlier connections stay.
    EXPECT_TRUE(server.Decide(OutOfMemoryRequest(), &response).ok());
  }
  bool answered = false;
  for (int i = 0; i < 100 && !answered; ++i) {
    std::this_thread::sleep_for(std::chrono::milliseconds(50));
    const auto stub = v1::RetryDecisionService::NewStub(server.NewChannel());
    grpc::ClientContext context;
    answered = stub->Decide(&context, OutOfMemoryRequest(), &response).ok();
  }
  EXPECT_TRUE(answered);
}

// Each holds a place until its handshake times out after ten seconds.
TEST(ConnectionsTest, SilentOnesDoNotBlockCallers) {
  ServerOptions options = testing::TestOptions();
  options.max_connections = 8;
  TestServer server(options);
  std::vector<OwnedDescriptor> silent;
  for (int i = 0; i < 20; ++i) {
    for (int j = 0; j < 8; ++j) silent.push_back(Connect(server->grpc_port()));
    v1::DecideResponse response;
    const auto stub = v1::RetryDecisionService::NewStub(server.NewChannel());
    grpc::ClientContext context;
    const grpc::Status status =
        stub->Decide(&context, OutOfMemoryRequest(), &response);
    EXPECT_TRUE(status.ok()) << i << " " << status.error_message();
  }
}

// The process runs out of descriptors below its own limit on connections.
TEST(DescriptorsTest, AnswersProbesAndOpenConnectionsWithoutAny) {
  Program program(Serving({"--admin-address=127.0.0.1:0"}));
  const int port = program.grpc_port();
  ASSERT_NE(port, 0) << program.output();
  const auto channel = grpc::CreateChannel("127.0.0.1:" + std::to_string(port),
                                           grpc::InsecureChannelCredentials());
  const auto decide = [&channel] {
    return CallWithBytes(channel, kDecide,
                         OutOfMemoryRequest().SerializeAsString());
  };
  ASSERT_TRUE(decide().ok());
  constexpr int kDescriptors = 120;
  const rlimit limit = {kDescriptors, kDescriptors};
  ASSERT_EQ(prlimit(program.pid(), RLIMIT_NOFILE, &limit, nullptr), 0);
  {
    std::vector<OwnedDescriptor> many;
    for (int i = 0; i < 2 * kDescriptors; ++i) many.push_back(Connect(port));
    EXPECT_EQ(ReadAll(many.back()), "");
    EXPECT_THAT(Http(program.admin_port(), "GET", "/livez"),
                HasSubstr("200 OK"));
    EXPECT_TRUE(decide().ok());
  }
  ASSERT_TRUE(program.WaitFor("no more file descriptors")) << program.output();
  {
    // The server once waited ten milliseconds for each of them.
    std::vector<OwnedDescriptor> silent;
    for (int i = 0; i < 4 * kDescriptors; ++i) {
      silent.push_back(Connect(program.admin_port()));
    }
    const auto start = std::chrono::steady_clock::now();
    EXPECT_THAT(Http(program.admin_port(), "GET", "/livez"),
                HasSubstr("200 OK"));
    EXPECT_LT(std::chrono::steady_clock::now() - start,
              std::chrono::milliseconds(500));
  }
  const auto fresh = grpc::CreateChannel("localhost:" + std::to_string(port),
                                         grpc::InsecureChannelCredentials());
  EXPECT_TRUE(CallWithBytes(fresh, "/grpc.health.v1.Health/Check", "").ok());
}

}  // namespace
}  // namespace mulligan
