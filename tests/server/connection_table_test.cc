#include "server/connection_table.h"

#include <sys/socket.h>

#include <memory>
#include <string>
#include <vector>

#include "gmock/gmock.h"
#include "gtest/gtest.h"
#include "server/listener.h"
#include "tests/server/http2_frames.h"

namespace mulligan {
namespace {

using Room = ConnectionTable::Room;
using State = Connection::State;

// Connections that a table is full of, each with its other end.
class ConnectionTableTest : public ::testing::Test {
 protected:
  std::shared_ptr<Connection> Make(const std::string& source, State state) {
    int ends[2];
    EXPECT_EQ(socketpair(AF_UNIX, SOCK_STREAM, 0, ends), 0);
    ends_.emplace_back(ends[0]);
    ends_.emplace_back(ends[1]);
    auto made = std::make_shared<Connection>(ends[0], source, crowd_);
    if (state == State::kIdle || state == State::kBusy) {
      made->Receive(testing::Greeting());
    }
    if (state == State::kBusy) {
      made->Receive(testing::Frame(testing::kWholeHeaders, 1));
    }
    if (state == State::kClosed) made->Closed();
    EXPECT_EQ(made->state(), state);
    return made;
  }

  const std::shared_ptr<Crowd> crowd_ = std::make_shared<Crowd>(100);
  std::vector<OwnedDescriptor> ends_;
};

constexpr int kNobody = -1;
constexpr int kRoom = -2;

struct One {
  const char* source;
  State state;
};

struct Arrival {
  const char* name;
  std::vector<One> there;
  const char* newcomer;
  int leaves;  // by index, or one of the above
};

// At tables with four places.
std::vector<Arrival> ToFullTables() {
  using enum Connection::State;
  return {
      {"there is room",
       {{"a", kBusy}, {"a", kIdle}, {"b", kBeginning}},
       "c",
       kRoom},
      {"a closed one makes room",
       {{"a", kBusy}, {"a", kBusy}, {"a", kClosed}, {"a", kBusy}},
       "a",
       kRoom},
      {"the oldest that is beginning",
       {{"a", kBusy}, {"a", kIdle}, {"a", kBeginning}, {"a", kBeginning}},
       "a",
       2},
      {"of the source that has most of these",
       {{"a", kBeginning}, {"b", kBeginning}, {"b", kBeginning}, {"a", kBusy}},
       "c",
       1},
      {"nobody for a source that would take its own place",
       {{"a", kBusy}, {"b", kBeginning}, {"b", kBeginning}, {"a", kBusy}},
       "b",
       kNobody},
      {"an idle one of a source beyond its share",
       {{"a", kBusy}, {"a", kIdle}, {"a", kIdle}, {"b", kIdle}},
       "b",
       1},
      {"nobody for a source that has its share",
       {{"a", kIdle}, {"a", kIdle}, {"b", kIdle}, {"b", kIdle}},
       "a",
       kNobody},
      {"nobody where one source has all",
       {{"a", kIdle}, {"a", kIdle}, {"a", kIdle}, {"a", kIdle}},
       "a",
       kNobody},
      {"nobody with a call",
       {{"a", kBusy}, {"a", kBusy}, {"a", kBusy}, {"a", kBusy}},
       "b",
       kNobody},
  };
}

TEST_F(ConnectionTableTest, WhoGivesWay) {
  for (const auto& [name, there, newcomer, leaves] : ToFullTables()) {
    SCOPED_TRACE(name);
    ConnectionTable table(4);
    std::vector<std::shared_ptr<Connection>> connections;
    for (const One& one : there) {
      connections.push_back(Make(one.source, one.state));
      table.Add(connections.back());
    }
    EXPECT_EQ(table.MakeRoom(newcomer),
              leaves == kNobody ? Room::kNone : Room::kFree);
    for (std::size_t i = 0; i < there.size(); ++i) {
      EXPECT_EQ(connections[i]->state(),
                static_cast<int>(i) == leaves ? State::kEnding : there[i].state)
          << i;
    }
  }
}

// gRPC may be slow to close what we have ended: descriptors have a bound, too.
TEST_F(ConnectionTableTest, EndedOnesAreBoundedUntilTheyAreClosed) {
  ConnectionTable table(1);
  for (int i = 0; i < 1 + 128; ++i) {
    ASSERT_EQ(table.MakeRoom("a"), Room::kFree) << i;
    table.Add(Make("a", State::kBeginning));
  }
  EXPECT_EQ(table.MakeRoom("a"), Room::kSoon);
  // Others wait, too, and the one whose they are does not make them.
  EXPECT_EQ(table.MakeRoom("b"), Room::kSoon);
  table.Add(Make("b", State::kBeginning));
  EXPECT_EQ(table.MakeRoom("a"), Room::kNone);
}

TEST_F(ConnectionTableTest, CountsOpenOnesAndEndsAll) {
  ConnectionTable table(4);
  const auto closed = Make("a", State::kClosed);
  const auto idle = Make("a", State::kIdle);
  table.Add(closed);
  table.Add(idle);
  EXPECT_EQ(table.size(), 1U);
  table.EndAll();
  EXPECT_EQ(idle->state(), State::kEnding);
  EXPECT_EQ(closed->state(), State::kClosed);
}

TEST_F(ConnectionTableTest, AnOffenceIsToldOfWithItsSource) {
  const auto offender = Make("10.0.0.7", State::kBeginning);
  EXPECT_FALSE(offender->Receive("GET / HTTP/1.1\r\n"));
  EXPECT_EQ(offender->state(), State::kEnding);
  EXPECT_EQ(crowd_->offences().count, 1U);
  EXPECT_EQ(crowd_->offences().source, "10.0.0.7");
  EXPECT_STREQ(crowd_->offences().reason, "what came is no HTTP/2");
}

}  // namespace
}  // namespace mulligan
