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

// Until the server's SETTINGS are acknowledged, a connection may send 16 KiB of
// headers. Callers acknowledge as soon as they receive them.
TEST(ConnectionTest, AcceptsAckBeforeTheWriteReturns) {
  const auto group = std::make_shared<ConnectionGroup>(
      AggregateUsage::Bounds{100, 1 << 20}, [] { return false; });
  Connection connection(-1, "caller", group);
  ASSERT_TRUE(connection.Receive(testing::Greeting()));
  absl::Notification on_the_wire;
  std::thread caller([&] {
    on_the_wire.WaitForNotification();
    EXPECT_TRUE(connection.Receive(testing::Frame(testing::kSettingsAck, 0)));
  });
  connection.Sending([&](const auto& check) {
    on_the_wire.Notify();
    // The bytes may be read long before this thread continues.
    std::this_thread::sleep_for(std::chrono::milliseconds(50));
    check(testing::Frame(testing::kSettingsFrame, 0));
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
