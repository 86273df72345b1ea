#include <arpa/inet.h>
#include <google/protobuf/struct.pb.h>
#include <google/protobuf/util/json_util.h>
#include <netinet/in.h>
#include <sys/socket.h>
#include <unistd.h>

#include <string>

#include "absl/strings/str_format.h"
#include "gmock/gmock.h"
#include "gtest/gtest.h"
#include "server/admin_pages.h"
#include "tests/server/test_server.h"

namespace mulligan {
namespace {

using ::testing::AllOf;
using ::testing::EndsWith;
using ::testing::HasSubstr;
using ::testing::StartsWith;
using testing::TestOptionsWithAdmin;
using testing::TestServer;

// The whole HTTP answer; empty when there is none.
std::string Http(int port, const std::string& method, const std::string& path) {
  const int fd = socket(AF_INET, SOCK_STREAM, 0);
  sockaddr_in address = {};
  address.sin_family = AF_INET;
  address.sin_port = htons(static_cast<std::uint16_t>(port));
  address.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
  std::string answer;
  if (connect(fd, reinterpret_cast<sockaddr*>(&address), sizeof(address)) ==
      0) {
    const std::string request = absl::StrFormat(
        "%s %s HTTP/1.1\r\nHost: x\r\nContent-Length: 0\r\n"
        "Connection: close\r\n\r\n",
        method, path);
    send(fd, request.data(), request.size(), 0);
    char buffer[4096];
    ssize_t got = 0;
    while ((got = recv(fd, buffer, sizeof(buffer), 0)) > 0) {
      answer.append(buffer, static_cast<std::size_t>(got));
    }
  }
  close(fd);
  return answer;
}

std::string Body(const std::string& answer) {
  return answer.substr(answer.find("\r\n\r\n") + 4);
}

TEST(AdminTest, ServesItsPagesOverHttp) {
  TestServer server(TestOptionsWithAdmin());
  const int port = server->admin_port();

  EXPECT_THAT(Http(port, "GET", "/livez"),
              AllOf(StartsWith("HTTP/1.1 200"), EndsWith("\r\n\r\nok\n")));
  EXPECT_THAT(Http(port, "GET", "/readyz"), StartsWith("HTTP/1.1 200"));

  const std::string metrics = Http(port, "GET", "/metrics");
  EXPECT_THAT(
      metrics,
      AllOf(StartsWith("HTTP/1.1 200"),
            HasSubstr("Content-Type: text/plain; version=0.0.4; "
                      "charset=utf-8\r\n"),
            HasSubstr("\nmulligan_build_info{"), HasSubstr("\nprocess_")));

  google::protobuf::Struct json;
  const std::string policy = Http(port, "GET", "/policy");
  EXPECT_THAT(policy, HasSubstr("Content-Type: application/json\r\n"));
  ASSERT_TRUE(
      google::protobuf::util::JsonStringToMessage(Body(policy), &json).ok());
  EXPECT_TRUE(json.fields().contains("policies"));
  EXPECT_TRUE(json.fields().contains("revision"));
  EXPECT_TRUE(json.fields().contains("loadedAt"));

  const std::string build = Http(port, "GET", "/buildinfo?x=1");
  json.Clear();
  ASSERT_TRUE(
      google::protobuf::util::JsonStringToMessage(Body(build), &json).ok());
  EXPECT_TRUE(json.fields().contains("version"));
  EXPECT_TRUE(json.fields().contains("commit"));

  EXPECT_THAT(Http(port, "HEAD", "/metrics"),
              AllOf(StartsWith("HTTP/1.1 200"), EndsWith("\r\n\r\n")));
  EXPECT_THAT(
      Http(port, "POST", "/metrics"),
      AllOf(StartsWith("HTTP/1.1 405"), HasSubstr("Allow: GET, HEAD\r\n")));
  EXPECT_THAT(Http(port, "DELETE", "/policy"), StartsWith("HTTP/1.1 405"));
  EXPECT_THAT(Http(port, "GET", "/"), StartsWith("HTTP/1.1 404"));
  EXPECT_THAT(Http(port, "GET", "/metrics/"), StartsWith("HTTP/1.1 404"));
  EXPECT_THAT(Http(port, "GET", "/../etc/passwd"),
              ::testing::Not(StartsWith("HTTP/1.1 200")));

  server->Drain();
  EXPECT_THAT(Http(port, "GET", "/readyz"),
              AllOf(StartsWith("HTTP/1.1 503"), HasSubstr("stopping")));
  EXPECT_THAT(Http(port, "GET", "/livez"), StartsWith("HTTP/1.1 200"));
}

struct ReadyCase {
  const char* name;
  ServingState state;
  int status;
  const char* body;
};

class ReadyPageTest : public ::testing::TestWithParam<ReadyCase> {};

TEST_P(ReadyPageTest, SaysWhy) {
  const Metrics metrics;
  const SnapshotStore snapshots(std::make_shared<const Snapshot>());
  Readiness readiness;
  readiness.Set(GetParam().state);
  const AdminPages pages(metrics, snapshots, readiness);
  const AdminResponse response = pages.Handle("GET", "/readyz");
  EXPECT_EQ(response.status, GetParam().status);
  EXPECT_EQ(response.body, GetParam().body);
}

INSTANTIATE_TEST_SUITE_P(
    All, ReadyPageTest,
    ::testing::Values(ReadyCase{"Starting", ServingState::kStarting, 503,
                                "not ready: starting\n"},
                      ReadyCase{"Serving", ServingState::kServing, 200, "ok\n"},
                      ReadyCase{"Draining", ServingState::kDraining, 503,
                                "not ready: stopping\n"}),
    [](const auto& param) { return param.param.name; });

}  // namespace
}  // namespace mulligan
