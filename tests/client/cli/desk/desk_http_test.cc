// The desk over real sockets.
#include "client/cli/desk/desk_http.h"

#include <arpa/inet.h>
#include <netinet/in.h>
#include <sys/socket.h>
#include <unistd.h>

#include <cstdint>
#include <memory>
#include <string>
#include <thread>
#include <vector>

#include "absl/strings/str_cat.h"
#include "gmock/gmock.h"
#include "gtest/gtest.h"
#include "policy/loader/load.h"

namespace mulligan::cli {
namespace {

using ::testing::HasSubstr;
using ::testing::Not;
using ::testing::StartsWith;

// One server for all tests, because stopping civetweb takes two seconds.
class DeskHttpTest : public ::testing::Test {
 protected:
  static void SetUpTestSuite() {
    desk_ = new Desk({.policies = {{"policy.yaml", EmbeddedPolicy().yaml}},
                      .suites = {},
                      .log = {}});
    auto http = DeskHttp::Start(0, *desk_);
    if (http.ok()) http_ = http->release();
  }
  static void TearDownTestSuite() {
    delete http_;
    delete desk_;
  }

  void SetUp() override {
    ASSERT_NE(http_, nullptr);
    const std::string& address = http_->address();
    const std::size_t port = address.find(':', 6) + 1;
    const std::size_t path = address.find('/', port);
    host_ = address.substr(7, path - 7);
    path_ = address.substr(path);
    port_ = std::stoi(address.substr(port, path - port));
  }

  int Connect(std::uint32_t address = INADDR_LOOPBACK) const {
    const int socket = ::socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0);
    sockaddr_in to = {};
    to.sin_family = AF_INET;
    to.sin_port = htons(static_cast<std::uint16_t>(port_));
    to.sin_addr.s_addr = htonl(address);
    if (connect(socket, reinterpret_cast<sockaddr*>(&to), sizeof(to)) == 0) {
      return socket;
    }
    close(socket);
    return -1;
  }

  static void Send(int socket, const std::string& text) {
    ASSERT_EQ(send(socket, text.data(), text.size(), MSG_NOSIGNAL),
              static_cast<ssize_t>(text.size()));
  }

  // Reads until the server closes the connection.
  static std::string ReadAndClose(int socket) {
    std::string all;
    char buffer[4096];
    ssize_t got = 0;
    while ((got = recv(socket, buffer, sizeof(buffer), 0)) > 0) {
      all.append(buffer, static_cast<std::size_t>(got));
    }
    close(socket);
    return all;
  }

  std::string Ask(const std::string& request) const {
    const int socket = Connect();
    Send(socket, request);
    return ReadAndClose(socket);
  }

  std::string Head(const std::string& first_line,
                   const std::string& more = "") const {
    return absl::StrCat(first_line, " HTTP/1.1\r\nHost: ", host_, "\r\n", more,
                        "\r\n");
  }

  std::string Question(const std::string& page, const std::string& body) const {
    return Head("POST " + path_ + page,
                absl::StrCat(
                    "Content-Type: application/json\r\nOrigin: http://", host_,
                    "\r\nContent-Length: ", body.size(), "\r\n")) +
           body;
  }

  inline static Desk* desk_ = nullptr;
  inline static DeskHttp* http_ = nullptr;
  std::string host_;
  std::string path_;
  int port_ = 0;
};

TEST_F(DeskHttpTest, ServesAPageThatCanReachOnlyTheServer) {
  const std::string page = Ask(Head("GET " + path_));
  EXPECT_THAT(page, StartsWith("HTTP/1.1 200 OK\r\n"));
  EXPECT_THAT(page, HasSubstr("default-src 'none'; script-src 'self';"));
  EXPECT_THAT(page, HasSubstr("frame-ancestors 'none'"));
  EXPECT_THAT(page, HasSubstr("Referrer-Policy: no-referrer\r\n"));
  EXPECT_THAT(page, HasSubstr("<h1>Mulligan playground</h1>"));
  EXPECT_THAT(page, Not(HasSubstr("http://")));
  EXPECT_THAT(page, Not(HasSubstr("https://")));
}

TEST_F(DeskHttpTest, AnswersQuestions) {
  EXPECT_THAT(Ask(Question("try", R"({"policies":[]})")),
              HasSubstr(R"({"valid":true,"issues":[]})"));
}

// civetweb's threads have small stacks, and texts may be nested in many ways.
TEST_F(DeskHttpTest, AnswersDeeplyNestedTexts) {
  constexpr int kDepth = 3000;
  for (const std::string piece : {"[", "{a: ", "- ", "[[{a: ["}) {
    std::string deep;
    for (int i = 0; i < kDepth; ++i) deep += piece;
    EXPECT_THAT(
        Ask(Question("try",
                     absl::StrCat(R"({"policies":[{"file":"a.yaml","text":")",
                                  deep, R"("}]})"))),
        HasSubstr("nested deeper than 32 levels"));
    EXPECT_THAT(
        Ask(Question("try", absl::StrCat(R"({"policies":[],"failure":")", deep,
                                         R"("})"))),
        StartsWith("HTTP/1.1 "));
  }
  EXPECT_THAT(Ask(Question("try", R"({"policies":[]})")),
              HasSubstr(R"({"valid":true,"issues":[]})"));
}

TEST_F(DeskHttpTest, RejectsWithoutToken) {
  EXPECT_THAT(Ask(Head("GET /")), StartsWith("HTTP/1.1 403"));
  EXPECT_THAT(Ask(Head("GET /favicon.ico")), StartsWith("HTTP/1.1 403"));
  EXPECT_THAT(Ask(Head("GET /../" + path_)), Not(HasSubstr("<h1>")));
}

TEST_F(DeskHttpTest, RejectsForeignHostAndOrigin) {
  EXPECT_THAT(Ask("GET " + path_ + " HTTP/1.1\r\nHost: evil.example\r\n\r\n"),
              StartsWith("HTTP/1.1 403"));
  EXPECT_THAT(Ask("GET " + path_ + " HTTP/1.0\r\n\r\n"),
              StartsWith("HTTP/1.1 403"));
  EXPECT_THAT(Ask(Head("GET " + path_, "Origin: http://evil.example\r\n")),
              StartsWith("HTTP/1.1 403"));
}

TEST_F(DeskHttpTest, PreflightAllowsNoOtherSite) {
  const std::string answer =
      Ask(Head("OPTIONS " + path_ + "try",
               "Origin: http://evil.example\r\nAccess-Control-Request-Method: "
               "POST\r\nAccess-Control-Request-Headers: content-type\r\n"));
  EXPECT_THAT(answer, Not(StartsWith("HTTP/1.1 200")));
  EXPECT_THAT(answer, Not(HasSubstr("Access-Control-Allow")));
}

TEST_F(DeskHttpTest, RejectsLongBodiesUnread) {
  EXPECT_THAT(Ask(Head("POST " + path_ + "try",
                       absl::StrCat(
                           "Content-Type: application/json\r\nContent-Length: ",
                           kMaxBodyBytes + 1, "\r\n"))),
              StartsWith("HTTP/1.1 413"));
  EXPECT_THAT(
      Ask(Head("GET " + path_, "X: " + std::string(20000, 'x') + "\r\n")),
      Not(HasSubstr("<h1>")));
}

TEST_F(DeskHttpTest, ListensOnLoopbackOnly) {
  EXPECT_EQ(Connect(0x7f000002), -1);  // 127.0.0.2
}

TEST_F(DeskHttpTest, SilentCallersDoNotDelayOthers) {
  std::vector<int> silent;
  for (int i = 0; i < DeskHttp::kThreads - 1; ++i) {
    silent.push_back(Connect());
    Send(silent.back(), "GET /");
  }
  EXPECT_THAT(Ask(Head("GET " + path_)), StartsWith("HTTP/1.1 200"));
  for (const int socket : silent) close(socket);
}

TEST_F(DeskHttpTest, AnswersConcurrentRequests) {
  constexpr int kAskers = 16;
  std::vector<std::string> answers(kAskers);
  std::vector<std::thread> askers;
  for (std::string& answer : answers) {
    askers.emplace_back(
        [&] { answer = Ask(Question("try", R"({"policies":[]})")); });
  }
  for (std::thread& asker : askers) asker.join();
  EXPECT_THAT(answers, ::testing::Each(StartsWith("HTTP/1.1 200")));
}

TEST_F(DeskHttpTest, ReportsPortInUse) {
  const auto again = DeskHttp::Start(port_, *desk_);
  EXPECT_EQ(again.status().code(), absl::StatusCode::kFailedPrecondition);
  EXPECT_THAT(
      std::string(again.status().message()),
      HasSubstr(absl::StrCat("--port: cannot listen on 127.0.0.1:", port_)));
}

}  // namespace
}  // namespace mulligan::cli
