#include <chrono>
#include <memory>
#include <string>
#include <thread>
#include <vector>

#include "gmock/gmock.h"
#include "gtest/gtest.h"
#include "tests/server/open_call.h"
#include "tests/server/test_server.h"
#include "tests/testing/param_name.h"

namespace mulligan {
namespace {

using ::testing::AllOf;
using ::testing::HasSubstr;
using testing::OpenCall;
using testing::StreamOneMessage;
using testing::TestOptions;
using testing::TestServer;

constexpr char kMethod[] =
    "/grpc.reflection.v1.ServerReflection/ServerReflectionInfo";
constexpr char kAlphaMethod[] =
    "/grpc.reflection.v1alpha.ServerReflection/ServerReflectionInfo";
// ServerReflectionRequest{list_services: "*"}.
const char* const kListServices = "\x3a\x01*";

class VersionTest : public ::testing::TestWithParam<const char*> {};
INSTANTIATE_TEST_SUITE_P(All, VersionTest,
                         ::testing::Values(kMethod, kAlphaMethod),
                         [](const auto& row) {
                           return ParamName(row.index, row.param);
                         });

TEST_P(VersionTest, ListsEveryService) {
  TestServer server;
  std::string answer;
  const grpc::Status status =
      StreamOneMessage(server.channel(), GetParam(), kListServices, &answer);
  ASSERT_TRUE(status.ok()) << status.error_message();
  EXPECT_THAT(answer, AllOf(HasSubstr("mulligan.v1.RetryDecisionService"),
                            HasSubstr("mulligan.v1.PolicyService"),
                            HasSubstr("grpc.health.v1.Health")));
}

class SymbolTest : public ::testing::TestWithParam<const char*> {};

TEST_P(SymbolTest, IsDescribed) {
  TestServer server;
  const std::string symbol = GetParam();
  // ServerReflectionRequest{file_containing_symbol: symbol}.
  const std::string request =
      "\x22" + std::string(1, static_cast<char>(symbol.size())) + symbol;
  std::string answer;
  ASSERT_TRUE(
      StreamOneMessage(server.channel(), kMethod, request, &answer).ok());
  // The file descriptor names the file; an error would name neither.
  EXPECT_THAT(answer, HasSubstr(".proto"));
}

INSTANTIATE_TEST_SUITE_P(All, SymbolTest,
                         ::testing::Values("mulligan.v1.RetryDecisionService",
                                           "mulligan.v1.PolicyService",
                                           "mulligan.v1.DecideRequest",
                                           "grpc.health.v1.Health"),
                         [](const auto& row) {
                           return ParamName(row.index, row.param);
                         });

// ServerReflectionRequest{file_containing_symbol: "mulligan.v1.Decision"}.
TEST(ReflectionTest, ShowsTheCommentsOfFields) {
  TestServer server;
  std::string answer;
  ASSERT_TRUE(StreamOneMessage(server.channel(), kMethod,
                               "\x22\x14mulligan.v1.Decision", &answer)
                  .ok());
  EXPECT_THAT(answer, HasSubstr("A sentence for people: cause, verdict"));
}

TEST(ReflectionTest, ReportsUnknownSymbols) {
  TestServer server;
  std::string answer;
  ASSERT_TRUE(
      StreamOneMessage(server.channel(), kMethod, "\x22\x03x.Y", &answer).ok());
  EXPECT_THAT(answer, HasSubstr("x.Y is not known"));
  ASSERT_TRUE(StreamOneMessage(server.channel(), kMethod, "", &answer).ok());
  EXPECT_THAT(answer, HasSubstr("the request is empty"));
}

TEST(ReflectionTest, CanBeSwitchedOff) {
  ServerOptions options = TestOptions();
  options.reflection = false;
  TestServer server(options);
  std::string answer;
  EXPECT_EQ(StreamOneMessage(server.channel(), kMethod, kListServices, &answer)
                .error_code(),
            grpc::StatusCode::UNIMPLEMENTED);
  EXPECT_EQ(answer, "");
}

TEST(ReflectionTest, RejectsLongRequests) {
  TestServer server;
  std::string answer;
  const std::string symbol(1000, 'x');
  // ServerReflectionRequest{file_containing_symbol: symbol}, and one too long.
  EXPECT_TRUE(StreamOneMessage(server.channel(), kMethod,
                               "\x22\xe8\x07" + symbol, &answer)
                  .ok());
  EXPECT_EQ(StreamOneMessage(server.channel(), kMethod,
                             "\x22\xd0\x0f" + symbol + symbol, &answer)
                .error_code(),
            grpc::StatusCode::INVALID_ARGUMENT);
}

// An answer is large and stays until its caller reads it.
TEST(ReflectionTest, LimitsOpenStreams) {
  TestServer server;
  const auto ask = [&server] {
    std::string answer;
    return StreamOneMessage(server.channel(), kMethod, kListServices, &answer)
        .error_code();
  };
  // The server counts a stream from its start there to its end there.
  const auto becomes = [&ask](grpc::StatusCode expected) {
    for (int i = 0; i < 1000; ++i) {
      if (ask() == expected) return true;
      std::this_thread::sleep_for(std::chrono::milliseconds(10));
    }
    return false;
  };
  std::vector<std::unique_ptr<OpenCall>> open;
  open.reserve(32);
  for (int i = 0; i < 31; ++i) {
    open.push_back(std::make_unique<OpenCall>(server.NewChannel(), kMethod));
  }
  EXPECT_TRUE(becomes(grpc::StatusCode::OK));
  // A request's stream may still be open, so that the 32nd is refused. Then it
  // is opened again, so that there are never more than 32.
  const auto fills = [&] {
    for (int i = 0; i < 100; ++i) {
      open.resize(31);
      open.push_back(std::make_unique<OpenCall>(server.NewChannel(), kMethod));
      for (int tries = 0; tries < 10; ++tries) {
        if (ask() == grpc::StatusCode::RESOURCE_EXHAUSTED) return true;
        std::this_thread::sleep_for(std::chrono::milliseconds(10));
      }
    }
    return false;
  };
  EXPECT_TRUE(fills());
  open.clear();
  EXPECT_TRUE(becomes(grpc::StatusCode::OK));
}

}  // namespace
}  // namespace mulligan
