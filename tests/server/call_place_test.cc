// The place of a call does not depend on how the transport read it.
#include <string>
#include <string_view>
#include <vector>

#include "grpcpp/support/byte_buffer.h"
#include "gtest/gtest.h"
#include "mulligan/v1/retry_decision_service.pb.h"
#include "server/rpc/unary_call.h"

namespace mulligan {
namespace {

constexpr int kInlinePolicy = v1::DecideRequest::kInlinePolicyFieldNumber;

// Splits the bytes into reads that end at `ends`, in ascending order.
CallPlace PlaceOfReads(std::string_view bytes, std::vector<std::size_t> ends) {
  std::vector<grpc::Slice> slices;
  std::size_t begin = 0;
  ends.push_back(bytes.size());
  for (const std::size_t end : ends) {
    slices.emplace_back(bytes.data() + begin, end - begin);
    begin = end;
  }
  return CallPlaceOf(grpc::ByteBuffer(slices.data(), slices.size()),
                     kInlinePolicy);
}

std::string RequestOf(std::size_t message_bytes, bool with_policy) {
  v1::DecideRequest request;
  request.mutable_report()->mutable_exit()->set_message(
      std::string(message_bytes, 'x'));
  if (with_policy) request.mutable_inline_policy()->set_kind("RetryPolicy");
  return request.SerializeAsString();
}

TEST(CallPlaceTest, SplittingAMessageDoesNotChangeItsPlace) {
  for (const bool with_policy : {false, true}) {
    const std::string request = RequestOf(100, with_policy);
    const CallPlace whole = PlaceOfReads(request, {});
    EXPECT_EQ(whole, with_policy ? CallPlace::kPool : CallPlace::kArrival);
    for (std::size_t end = 0; end <= request.size(); ++end) {
      EXPECT_EQ(PlaceOfReads(request, {end}), whole) << "split at " << end;
      EXPECT_EQ(PlaceOfReads(request, {end / 2, end}), whole) << end;
    }
  }
}

TEST(CallPlaceTest, LargeMessagesRunInPool) {
  constexpr std::size_t kCheapBytes = 16 << 10;
  const std::size_t around =
      RequestOf(kCheapBytes - 100, false).size() - (kCheapBytes - 100);
  const std::string largest = RequestOf(kCheapBytes - around, false);
  ASSERT_EQ(largest.size(), kCheapBytes);
  EXPECT_EQ(PlaceOfReads(largest, {8192}), CallPlace::kArrival);
  const std::string larger = RequestOf(kCheapBytes - around + 1, false);
  EXPECT_EQ(PlaceOfReads(larger, {8192}), CallPlace::kPool);
  EXPECT_EQ(PlaceOfReads(larger, {}), CallPlace::kPool);
}

}  // namespace
}  // namespace mulligan
