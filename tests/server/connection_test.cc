#include "server/net/connection.h"

#include <chrono>
#include <cstdint>
#include <memory>
#include <string>
#include <thread>

#include "absl/synchronization/notification.h"
#include "gtest/gtest.h"
#include "tests/server/http2_frames.h"

namespace mulligan {
namespace {

// Until the SETTINGS of the server are acknowledged a connection may send
// 16 KiB of headers. A caller that has them acknowledges at once.
TEST(ConnectionTest, WhoAcknowledgesBeforeTheWriteReturnsHasAcknowledged) {
  const auto crowd = std::make_shared<ConnectionGroup>(
      AggregateUsage::Bounds{100, 1 << 20}, [] { return false; });
  Connection connection(-1, "caller", crowd);
  ASSERT_TRUE(connection.Receive(testing::Greeting()));
  absl::Notification on_the_wire;
  std::thread caller([&] {
    on_the_wire.WaitForNotification();
    EXPECT_TRUE(connection.Receive(testing::Frame(testing::kSettingsAck, 0)));
  });
  connection.Sending([&](const auto& look) {
    on_the_wire.Notify();
    // What is written may be read long before this thread goes on.
    std::this_thread::sleep_for(std::chrono::milliseconds(50));
    look(testing::Frame(testing::kSettingsFrame, 0));
    return 0;
  });
  caller.join();
  for (std::uint32_t stream = 1; stream < 60; stream += 2) {
    ASSERT_TRUE(connection.Receive(
        testing::Frame(testing::kLastHeaders, stream, std::string(1000, 'x'))))
        << stream;
  }
}

}  // namespace
}  // namespace mulligan
