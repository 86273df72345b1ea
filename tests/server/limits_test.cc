// Limits of the transport: at the limit and one past it.
#include "policy/limits.h"

#include <grpcpp/client_context.h>

#include <string>

#include "gmock/gmock.h"
#include "gtest/gtest.h"
#include "tests/server/test_server.h"

namespace mulligan {
namespace {

using testing::CallWithBytes;
using ::testing::HasSubstr;
using testing::kDecide;
using testing::OutOfMemoryRequest;
using testing::TestOptions;
using testing::TestServer;

// Returns a valid request of exactly `size` bytes, padded with an unknown
// field.
std::string RequestOfSize(std::size_t size) {
  std::string bytes = OutOfMemoryRequest().SerializeAsString();
  // Tag of field 1000, length-delimited, then a length in three bytes.
  const std::size_t fill = size - bytes.size() - 5;
  bytes += "\xc2\x3e";
  bytes += static_cast<char>((fill & 0x7F) | 0x80);
  bytes += static_cast<char>(((fill >> 7) & 0x7F) | 0x80);
  bytes += static_cast<char>((fill >> 14) & 0x7F);
  return bytes + std::string(fill, 'x');
}

// Returns a request with `depth` nested groups of an unknown field.
std::string NestedRequest(int depth) {
  std::string bytes = OutOfMemoryRequest().SerializeAsString();
  for (int i = 0; i < depth; ++i) bytes += "\xc3\x3e";
  for (int i = 0; i < depth; ++i) bytes += "\xc4\x3e";
  return bytes;
}

class MessageSizeTest : public ::testing::Test {
 protected:
  static constexpr std::size_t kMax = kMinMessageBytesLimit;

  static ServerOptions Options() {
    ServerOptions options = TestOptions();
    options.max_message_bytes = static_cast<int>(kMax);
    return options;
  }
  TestServer server_{Options()};
};

TEST_F(MessageSizeTest, AcceptsLimit) {
  const grpc::Status status =
      CallWithBytes(server_.channel(), kDecide, RequestOfSize(kMax));
  EXPECT_TRUE(status.ok()) << status.error_message();
}

TEST_F(MessageSizeTest, RejectsOverLimitAndKeepsConnection) {
  const grpc::Status status =
      CallWithBytes(server_.channel(), kDecide, RequestOfSize(kMax + 1));
  EXPECT_EQ(status.error_code(), grpc::StatusCode::RESOURCE_EXHAUSTED)
      << status.error_message();
  EXPECT_TRUE(
      CallWithBytes(server_.channel(), kDecide, RequestOfSize(kMax)).ok());
}

TEST(NestingTest, RejectsOverLimit) {
  TestServer server;
  for (const int depth : {100, 101, 1'000'000}) {
    EXPECT_EQ(CallWithBytes(server.channel(), kDecide, NestedRequest(depth))
                  .error_code(),
              depth == 100 ? grpc::StatusCode::OK
                           : grpc::StatusCode::INVALID_ARGUMENT)
        << depth;
  }
}

TEST(BigMessageTest, RejectsThreeMegabytesOfTextByField) {
  TestServer server;
  v1::DecideRequest request = OutOfMemoryRequest();
  request.mutable_report()
      ->mutable_pods(0)
      ->mutable_status()
      ->mutable_container_statuses(0)
      ->mutable_state()
      ->mutable_terminated()
      ->set_message(std::string(3'000'000, 'x'));
  v1::DecideResponse response;
  const grpc::Status status = server.Decide(request, &response);
  EXPECT_EQ(status.error_code(), grpc::StatusCode::INVALID_ARGUMENT);
  EXPECT_THAT(testing::BadFields(status),
              ::testing::ElementsAre(HasSubstr("containerStatuses[0]")));
}

// Each takes two hundred bytes in memory but counts as 33 and its name.
TEST(MetadataTest, RejectsManyHeaders) {
  TestServer server;
  const auto stub = v1::RetryDecisionService::NewStub(server.channel());
  const auto decide = [&stub](int headers) {
    grpc::ClientContext context;
    for (int i = 0; i < headers; ++i) context.AddMetadata("x", "");
    v1::DecideResponse response;
    return stub->Decide(&context, OutOfMemoryRequest(), &response).error_code();
  };
  EXPECT_EQ(decide(80), grpc::StatusCode::OK);
  EXPECT_EQ(decide(150), grpc::StatusCode::RESOURCE_EXHAUSTED);
}

// Kilobytes would become megabytes before gRPC counts them.
TEST(CompressionTest, IsRejected) {
  TestServer server;
  const auto stub = v1::RetryDecisionService::NewStub(server.channel());
  for (const grpc_compression_algorithm algorithm :
       {GRPC_COMPRESS_GZIP, GRPC_COMPRESS_DEFLATE}) {
    grpc::ClientContext context;
    context.set_compression_algorithm(algorithm);
    v1::DecideRequest request = OutOfMemoryRequest();
    request.mutable_report()->mutable_exit()->set_message(
        std::string(100'000, 'x'));
    v1::DecideResponse response;
    EXPECT_EQ(stub->Decide(&context, request, &response).error_code(),
              grpc::StatusCode::UNIMPLEMENTED);
  }
}

}  // namespace
}  // namespace mulligan
