#include "server/net/connection_table.h"

#include <sys/socket.h>

#include <memory>
#include <string>
#include <vector>

#include "gmock/gmock.h"
#include "gtest/gtest.h"
#include "server/net/listener.h"
#include "tests/server/http2_frames.h"

namespace mulligan {
namespace {

using Room = ConnectionTable::Room;
using State = Connection::State;

// Makes connections, each with its other end.
class ConnectionTableTest : public ::testing::Test {
 protected:
  std::shared_ptr<Connection> Make(const std::string& source, State state) {
    int ends[2];
    EXPECT_EQ(socketpair(AF_UNIX, SOCK_STREAM, 0, ends), 0);
    ends_.emplace_back(ends[0]);
    ends_.emplace_back(ends[1]);
    auto made = std::make_shared<Connection>(ends[0], source, group_);
    if (state == State::kIdle || state == State::kBusy) {
      made->Receive(testing::Greeting());
    }
    if (state == State::kBusy) {
      made->Receive(testing::Frame(testing::kWholeHeaders, 1));
    }
    if (state == State::kClosed) made->Closed();
    EXPECT_EQ(StateOf(made), state);
    return made;
  }

  State StateOf(const std::shared_ptr<Connection>& connection) const {
    return connection->state(now_);
  }

  const Http2Guard::Clock::time_point now_ = Http2Guard::Clock::now();
  const std::shared_ptr<ConnectionGroup> group_ =
      std::make_shared<ConnectionGroup>(AggregateUsage::Bounds{100, 1 << 20},
                                        [] { return false; });
  std::vector<OwnedDescriptor> ends_;
};

constexpr int kNone = -1;
constexpr int kRoom = -2;

struct One {
  const char* source;
  State state;
};

struct Arrival {
  const char* name;
  std::vector<One> there;
  const char* newcomer;
  int ended;  // index, or one of the above
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
      {"the oldest beginning one",
       {{"a", kBusy}, {"a", kIdle}, {"a", kBeginning}, {"a", kBeginning}},
       "a",
       2},
      {"of the source with the most",
       {{"a", kBeginning}, {"b", kBeginning}, {"b", kBeginning}, {"a", kBusy}},
       "c",
       1},
      {"none for a source that would replace its own",
       {{"a", kBusy}, {"b", kBeginning}, {"b", kBeginning}, {"a", kBusy}},
       "b",
       kNone},
      {"an idle one of a source above its share",
       {{"a", kBusy}, {"a", kIdle}, {"a", kIdle}, {"b", kIdle}},
       "b",
       1},
      {"an idle one if few are beginning",
       {{"a", kBeginning}, {"a", kIdle}, {"a", kIdle}, {"b", kBeginning}},
       "b",
       1},
      {"a beginning one if none is idle",
       {{"a", kBusy}, {"a", kBusy}, {"a", kBeginning}, {"b", kBusy}},
       "b",
       2},
      {"no beginning one for a source that has its share",
       {{"a", kIdle}, {"a", kIdle}, {"b", kBeginning}, {"b", kBusy}},
       "a",
       kNone},
      {"none for a source that has its share",
       {{"a", kIdle}, {"a", kIdle}, {"b", kIdle}, {"b", kIdle}},
       "a",
       kNone},
      {"none if one source has all",
       {{"a", kIdle}, {"a", kIdle}, {"a", kIdle}, {"a", kIdle}},
       "a",
       kNone},
      {"none with a call",
       {{"a", kBusy}, {"a", kBusy}, {"a", kBusy}, {"a", kBusy}},
       "b",
       kNone},
  };
}

TEST_F(ConnectionTableTest, ChoosesConnectionToEnd) {
  for (const auto& [name, there, newcomer, ended] : ToFullTables()) {
    SCOPED_TRACE(name);
    ConnectionTable table(4);
    std::vector<std::shared_ptr<Connection>> connections;
    for (const One& one : there) {
      connections.push_back(Make(one.source, one.state));
      table.Add(connections.back());
    }
    EXPECT_EQ(table.MakeRoom(newcomer, now_),
              ended == kNone ? Room::kNone : Room::kFree);
    for (std::size_t i = 0; i < there.size(); ++i) {
      EXPECT_EQ(StateOf(connections[i]),
                static_cast<int>(i) == ended ? State::kEnding : there[i].state)
          << i;
    }
  }
}

// Half handshakes do not end others' idle connections.
TEST_F(ConnectionTableTest, EndsOneOfManyBeginningConnections) {
  ConnectionTable table(20);
  std::vector<std::shared_ptr<Connection>> connections;
  for (int i = 0; i < 20; ++i) {
    connections.push_back(
        Make(i < 11 ? "a" : "b", i < 11 ? State::kIdle : State::kBeginning));
    table.Add(connections.back());
  }
  EXPECT_EQ(table.MakeRoom("c", now_), Room::kFree);
  EXPECT_EQ(StateOf(connections[11]), State::kEnding);
  table.Add(Make("c", State::kBeginning));
  // Up to eight are protected.
  EXPECT_EQ(table.MakeRoom("c", now_), Room::kFree);
  EXPECT_EQ(StateOf(connections[0]), State::kEnding);
}

TEST_F(ConnectionTableTest, EndsConnectionsWithoutAnswersForLong) {
  ConnectionTable table(2);
  const auto oldest = Make("a", State::kBusy);
  table.Add(oldest);
  table.Add(Make("a", State::kBusy));
  EXPECT_EQ(table.MakeRoom("b", now_), Room::kNone);
  EXPECT_EQ(table.MakeRoom("b", now_ + 2 * Http2Guard::kQuiet), Room::kFree);
  EXPECT_EQ(StateOf(oldest), State::kEnding);
}

TEST_F(ConnectionTableTest, EndsTheOldestHolderOfTheLargestSource) {
  ConnectionTable table(9);
  const std::string piece(1000, 'x');
  std::vector<std::shared_ptr<Connection>> connections;
  const struct {
    const char* source;
    int pieces;
  } there[] = {{"a", 9}, {"b", 1}, {"b", 5}, {"b", 6}, {"a", 0}};
  for (const auto& [source, pieces] : there) {
    connections.push_back(Make(source, State::kBusy));
    for (int i = 0; i < pieces; ++i) {
      connections.back()->Receive(
          testing::Frame(testing::kDataFrame, 1, piece));
    }
    table.Add(connections.back());
  }
  // The oldest of b, except the one that holds little; then a holds most.
  for (const std::size_t next : {2U, 0U, 3U, 1U}) {
    EXPECT_TRUE(table.EndOneHolder());
    EXPECT_EQ(StateOf(connections[next]), State::kEnding) << next;
  }
  EXPECT_FALSE(table.EndOneHolder());
  EXPECT_EQ(StateOf(connections[4]), State::kBusy);
  EXPECT_EQ(group_->offences().count, 4U);
}

// A large message that has just begun, among older small ones.
TEST_F(ConnectionTableTest, SparesANewLargeMessage) {
  ConnectionTable table(9);
  std::vector<std::shared_ptr<Connection>> connections;
  for (const std::size_t bytes : {1000U, 1000U, 1000U, 4000U}) {
    connections.push_back(Make("a", State::kBusy));
    connections.back()->Receive(
        testing::Frame(testing::kDataFrame, 1, std::string(bytes, 'x')));
    table.Add(connections.back());
  }
  EXPECT_TRUE(table.EndOneHolder());
  EXPECT_EQ(StateOf(connections[0]), State::kEnding);
}

// A table notices closed connections only when it is full.
TEST_F(ConnectionTableTest, ClosedConnectionHoldsNothing) {
  const auto gone = Make("a", State::kBusy);
  gone->Receive(testing::Frame(testing::kDataFrame, 1, "a message"));
  EXPECT_EQ(group_->usage().streams, 1U);
  EXPECT_EQ(group_->usage().held, 9U);
  gone->Closed();
  EXPECT_EQ(group_->usage().streams, 0U);
  EXPECT_EQ(group_->usage().held, 0U);
}

// gRPC may be slow to close ended connections, and descriptors are limited.
TEST_F(ConnectionTableTest, LimitsEndedButUnclosedConnections) {
  ConnectionTable table(1);
  for (int i = 0; i < 1 + 128; ++i) {
    ASSERT_EQ(table.MakeRoom("a", now_), Room::kFree) << i;
    table.Add(Make("a", State::kBeginning));
  }
  EXPECT_EQ(table.MakeRoom("a", now_), Room::kSoon);
  // Others wait too; the source that caused this is refused.
  EXPECT_EQ(table.MakeRoom("b", now_), Room::kSoon);
  table.Add(Make("b", State::kBeginning));
  EXPECT_EQ(table.MakeRoom("a", now_), Room::kNone);
}

TEST_F(ConnectionTableTest, CountsOpenConnectionsAndEndsAll) {
  ConnectionTable table(4);
  const auto closed = Make("a", State::kClosed);
  const auto idle = Make("a", State::kIdle);
  table.Add(closed);
  table.Add(idle);
  EXPECT_EQ(table.size(), 1U);
  table.EndAll();
  EXPECT_EQ(StateOf(idle), State::kEnding);
  EXPECT_EQ(StateOf(closed), State::kClosed);
}

TEST_F(ConnectionTableTest, ReportsOffencesWithTheirSource) {
  const auto offender = Make("10.0.0.7", State::kBeginning);
  EXPECT_FALSE(offender->Receive("GET / HTTP/1.1\r\n"));
  EXPECT_EQ(StateOf(offender), State::kEnding);
  EXPECT_EQ(group_->offences().count, 1U);
  EXPECT_EQ(group_->offences().source, "10.0.0.7");
  EXPECT_STREQ(group_->offences().reason, "the bytes received are not HTTP/2");
}

}  // namespace
}  // namespace mulligan
