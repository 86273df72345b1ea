// Connections that want no answers, and running out of descriptors.
#include <arpa/inet.h>
#include <netinet/in.h>
#include <sys/socket.h>
#include <unistd.h>

#include <chrono>
#include <memory>
#include <string>
#include <thread>
#include <vector>

#include "gmock/gmock.h"
#include "gtest/gtest.h"
#include "server/listener.h"
#include "tests/server/test_server.h"

namespace mulligan {
namespace {

using ::testing::HasSubstr;
using testing::OutOfMemoryRequest;
using testing::TestServer;

Descriptor Connect(int port) {
  Descriptor connection(socket(AF_INET, SOCK_STREAM, 0));
  sockaddr_in address = {};
  address.sin_family = AF_INET;
  address.sin_port = htons(static_cast<std::uint16_t>(port));
  address.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
  if (connect(connection.number(), reinterpret_cast<sockaddr*>(&address),
              sizeof(address)) != 0) {
    return Descriptor();
  }
  return connection;
}

void Send(const Descriptor& connection, const std::string& text) {
  send(connection.number(), text.data(), text.size(), MSG_NOSIGNAL);
}

std::string ReadAll(const Descriptor& connection) {
  std::string text;
  char buffer[4096];
  ssize_t got = 0;
  while ((got = recv(connection.number(), buffer, sizeof(buffer), 0)) > 0) {
    text.append(buffer, static_cast<std::size_t>(got));
  }
  return text;
}

// More than the port keeps open, silent and trickling ones.
TEST(AdminPortTest, SilentConnectionsKeepNobodyWaiting) {
  TestServer server(testing::TestOptionsWithAdmin());
  std::vector<Descriptor> silent;
  for (int i = 0; i < 150; ++i) {
    silent.push_back(Connect(server->admin_port()));
    ASSERT_TRUE(silent.back().valid());
    if (i % 2 == 0) Send(silent.back(), "GET /livez HT");
  }
  const auto start = std::chrono::steady_clock::now();
  const Descriptor probe = Connect(server->admin_port());
  Send(probe, "GET /livez HTTP/1.1\r\nHost: x\r\n\r\n");
  EXPECT_THAT(ReadAll(probe), HasSubstr("200 OK"));
  EXPECT_LT(std::chrono::steady_clock::now() - start,
            std::chrono::milliseconds(100));
}

TEST(AdminPortTest, WhatIsNoHttpIsToldSo) {
  TestServer server(testing::TestOptionsWithAdmin());
  const Descriptor strange = Connect(server->admin_port());
  Send(strange, "hello\r\n\r\n");
  EXPECT_THAT(ReadAll(strange), HasSubstr("400 Bad Request"));
  const Descriptor endless = Connect(server->admin_port());
  Send(endless, "GET /livez HTTP/1.1\r\nX: " + std::string(9'000, 'x'));
  EXPECT_THAT(ReadAll(endless), HasSubstr("431 "));
}

TEST(ConnectionsTest, BeyondTheBoundAreClosedAtOnceAndRoomComesBack) {
  ServerOptions options = testing::TestOptions();
  options.max_connections = 8;
  TestServer server(options);
  v1::DecideResponse response;
  ASSERT_TRUE(server.Decide(OutOfMemoryRequest(), &response).ok());
  {
    std::vector<Descriptor> many;
    for (int i = 0; i < 20; ++i) many.push_back(Connect(server->grpc_port()));
    // The last ones find no room.
    EXPECT_EQ(ReadAll(many.back()), "");
    // Those that have one keep it.
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

}  // namespace
}  // namespace mulligan
