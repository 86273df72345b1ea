#include <google/protobuf/struct.pb.h>
#include <google/protobuf/util/json_util.h>

#include <string>

#include "gmock/gmock.h"
#include "gtest/gtest.h"
#include "server/admin/admin_pages.h"
#include "tests/server/sockets.h"
#include "tests/server/test_server.h"

namespace mulligan {
namespace {

using ::testing::AllOf;
using ::testing::EndsWith;
using ::testing::HasSubstr;
using testing::Http;
using ::testing::StartsWith;
using testing::TestOptionsWithAdmin;
using testing::TestServer;

std::string Body(const std::string& answer) {
  return answer.substr(answer.find("\r\n\r\n") + 4);
}

TEST(AdminTest, ServesPagesOverHttp) {
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
