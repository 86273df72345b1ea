#include "server/net/http2_guard.h"

#include <memory>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "gmock/gmock.h"
#include "gtest/gtest.h"
#include "tests/server/http2_frames.h"

namespace mulligan {
namespace {

using testing::CallHeaders;
using testing::Frame;
using testing::FrameKind;
using testing::Greeting;
using ::testing::HasSubstr;
using ::testing::IsNull;
using testing::kBegunHeaders;
using testing::kDataFrame;
using testing::kLastData;
using testing::kLastHeaders;
using testing::kMoreHeaders;
using testing::kPingFrame;
using testing::kResetFrame;
using testing::kSettingsAck;
using testing::kSettingsFrame;
using testing::kWholeHeaders;
using ::testing::NotNull;

using Clock = Http2Guard::Clock;
constexpr Clock::time_point kStart{};
// Never exceeded unless a test says so.
AggregateUsage usage({1000, 1 << 30});

std::string Repeat(const std::string& bytes, std::size_t times) {
  std::string all;
  for (std::size_t i = 0; i < times; ++i) all += bytes;
  return all;
}

// Streams 1, 3, 5 ...; each begun and then `after`.
std::string Streams(std::size_t count, FrameKind after = kDataFrame,
                    std::uint32_t begin = 1) {
  std::string all;
  for (std::uint32_t i = 0; i < count; ++i) {
    const std::uint32_t stream = begin + 2 * i;
    all += Frame(kWholeHeaders, stream, CallHeaders(false));
    if (after.type != kDataFrame.type) all += Frame(after, stream, "1234");
  }
  return all;
}

// The server's first frame, and its answer to a call.
const std::string kAnnounced = Frame(kSettingsFrame, 0);
std::string Answer(std::uint32_t stream) {
  return Frame(kWholeHeaders, stream) + Frame(kDataFrame, stream, "answer") +
         Frame(kLastHeaders, stream);
}

struct Sent {
  const char* name;
  std::string bytes;
  const char* reason;  // why the connection ends; null if it does not
};

std::vector<Sent> SentFrames() {
  const std::string acknowledged = Greeting() + Frame(kSettingsAck, 0);
  const std::string head = Frame(kBegunHeaders, 1, CallHeaders(true));
  const std::string kilobyte(1 << 10, 'x');
  return {
      {"a greeting", Greeting(), nullptr},
      {"half a greeting", Greeting().substr(0, 10), nullptr},
      {"HTTP/1", "GET / HTTP/1.1\r\n\r\n", "not HTTP/2"},
      {"headers at the bound",
       acknowledged + Frame(kBegunHeaders, 1) +
           Repeat(Frame(kMoreHeaders, 1, kilobyte), 16),
       nullptr},
      {"headers past the bound",
       acknowledged + Frame(kBegunHeaders, 1) +
           Repeat(Frame(kMoreHeaders, 1, kilobyte), 16) +
           Frame(kMoreHeaders, 1, "x"),
       "a header block"},
      {"each block counts for itself",
       acknowledged + Repeat(Frame(kWholeHeaders, 1, kilobyte), 40), nullptr},
      {"headers past the bound before the acknowledgement",
       Greeting() + Repeat(Frame(kWholeHeaders, 1, kilobyte), 16) +
           Frame(kWholeHeaders, 3, "x"),
       "before SETTINGS were acknowledged"},
      {"empty CONTINUATION frames",
       acknowledged + head + Repeat(Frame(kMoreHeaders, 1), 3000),
       "too few answers"},
      {"streams at the bound", acknowledged + Streams(100), nullptr},
      {"streams past the bound", acknowledged + Streams(101),
       "streams at once"},
      {"streams past the bound before the acknowledgement",
       Greeting() + Streams(101), "streams at once"},
      {"some resets", acknowledged + Streams(150, kResetFrame), nullptr},
      {"too many resets", acknowledged + Streams(300, kResetFrame),
       "too few answers"},
      {"resets of closed streams",
       acknowledged + Repeat(Frame(kResetFrame, 1), 3000), "too few answers"},
      {"some pings",
       acknowledged + Repeat(Frame(kPingFrame, 0, "12345678"), 1000), nullptr},
      {"too many pings",
       acknowledged + Repeat(Frame(kPingFrame, 0, "12345678"), 3000),
       "too few answers"},
      {"too many SETTINGS",
       acknowledged + Repeat(Frame(kSettingsFrame, 0), 3000),
       "too few answers"},
  };
}

std::vector<Sent> SentMessages() {
  const std::string acknowledged = Greeting() + Frame(kSettingsAck, 0);
  const std::string kilobyte(1 << 10, 'x');
  return {
      {"a message in tiny pieces",
       acknowledged + Streams(1) + Repeat(Frame(kDataFrame, 1, "x"), 3000),
       "too few answers"},
      {"pieces of messages on streams that are not open",
       acknowledged + Repeat(Frame(kDataFrame, 1, kilobyte), 3000),
       "too few answers"},
      {"empty ends of streams that are not open",
       acknowledged + Repeat(Frame(kLastData, 1), 3000), "too few answers"},
      {"repeated ends",
       acknowledged + Streams(1) + Repeat(Frame(kLastData, 1), 3000),
       "too few answers"},
      {"more after the end, which came with the headers",
       acknowledged + Frame(kLastHeaders, 1, CallHeaders(true)) +
           Repeat(Frame(kDataFrame, 1, kilobyte), 3000),
       "too few answers"},
      {"a message of 4 MiB",
       acknowledged + Streams(1) +
           Repeat(Frame(kDataFrame, 1, Repeat(kilobyte, 16)), 256),
       nullptr},
  };
}

TEST(Http2GuardTest, EndsAbusiveConnections) {
  std::vector<Sent> all = SentFrames();
  for (Sent& sent : SentMessages()) all.push_back(std::move(sent));
  for (const auto& [name, bytes, reason] : all) {
    SCOPED_TRACE(name);
    Http2Guard whole(usage, kStart);
    Http2Guard cut(usage, kStart);
    whole.Send(kAnnounced, kStart);
    cut.Send(kAnnounced, kStart);
    const char* const why = whole.Receive(bytes, kStart);
    const char* why_cut = nullptr;
    for (std::size_t i = 0; i < bytes.size() && why_cut == nullptr; i += 7) {
      why_cut = cut.Receive(std::string_view(bytes).substr(i, 7), kStart);
    }
    EXPECT_STREQ(why, why_cut) << "depends on how the bytes are cut";
    if (reason == nullptr) {
      EXPECT_THAT(why, IsNull());
    } else {
      ASSERT_THAT(why, NotNull());
      EXPECT_THAT(why, HasSubstr(reason));
    }
  }
}

TEST(Http2GuardTest, KnowsWhetherHttp2HasBegun) {
  Http2Guard guard(usage, kStart);
  const std::string greeting = Greeting();
  guard.Receive(std::string_view(greeting).substr(0, greeting.size() - 1),
                kStart);
  EXPECT_FALSE(guard.has_begun());
  guard.Receive(std::string_view(greeting).substr(greeting.size() - 1), kStart);
  EXPECT_TRUE(guard.has_begun());
}

// gRPC would take an acknowledgement before its SETTINGS as one of nothing.
TEST(Http2GuardTest, IgnoresAckBeforeSettings) {
  const std::string early = Greeting() + Frame(kSettingsAck, 0);
  const std::string headers =
      Repeat(Frame(kWholeHeaders, 1, std::string(1 << 10, 'x')), 17);
  Http2Guard guard(usage, kStart);
  EXPECT_THAT(guard.Receive(early, kStart), IsNull());
  guard.Send(kAnnounced, kStart);
  EXPECT_THAT(guard.Receive(headers, kStart), NotNull());
}

TEST(Http2GuardTest, AnswersAndResetsEndStreams) {
  Http2Guard guard(usage, kStart);
  guard.Send(kAnnounced, kStart);
  guard.Receive(Greeting() + Streams(4), kStart);
  EXPECT_EQ(guard.open_streams(), 4U);
  guard.Send(Answer(3), kStart);
  EXPECT_EQ(guard.open_streams(), 3U);
  guard.Send(Frame(kResetFrame, 1, "1234"), kStart);
  EXPECT_EQ(guard.open_streams(), 2U);
  guard.Receive(Frame(kResetFrame, 5, "1234"), kStart);
  EXPECT_EQ(guard.open_streams(), 1U);
  // A stream ends only once.
  guard.Receive(Frame(kResetFrame, 3, "1234"), kStart);
  EXPECT_EQ(guard.open_streams(), 1U);
}

// Twenty thousand calls, each acknowledged as clients do, in no time.
TEST(Http2GuardTest, AnsweredCallersAreNotLimited) {
  Http2Guard guard(usage, kStart);
  guard.Send(kAnnounced, kStart);
  guard.Receive(Greeting() + Frame(kSettingsAck, 0), kStart);
  for (std::uint32_t stream = 1; stream < 40'000; stream += 2) {
    ASSERT_THAT(guard.Receive(Frame(kWholeHeaders, stream, CallHeaders(false)) +
                                  Frame(kLastData, stream, "a request") +
                                  Frame({8}, 0, "1234") +
                                  Frame(kPingFrame, 0, "12345678"),
                              kStart),
                IsNull());
    guard.Send(Answer(stream), kStart);
  }
}

// The server resets streams whose requests it cannot answer.
TEST(Http2GuardTest, CountsResetsByTheServer) {
  Http2Guard guard(usage, kStart);
  guard.Send(kAnnounced, kStart);
  guard.Receive(Greeting() + Frame(kSettingsAck, 0), kStart);
  const char* why = nullptr;
  for (std::uint32_t stream = 1; stream < 1000 && why == nullptr; stream += 2) {
    why = guard.Receive(
        Streams(1, kDataFrame, stream) + Frame(kPingFrame, 0, "12345678"),
        kStart);
    guard.Send(Frame(kResetFrame, stream, "1234"), kStart);
  }
  EXPECT_THAT(why, NotNull());
}

TEST(Http2GuardTest, AllowsFewerStreamsWhenCrowded) {
  AggregateUsage all({20, 1 << 20});
  std::vector<std::unique_ptr<Http2Guard>> guards;
  const auto open = [&](std::size_t streams) {
    guards.push_back(std::make_unique<Http2Guard>(all, kStart));
    return guards.back()->Receive(Greeting() + Streams(streams), kStart);
  };
  EXPECT_THAT(open(20), IsNull());
  EXPECT_EQ(all.streams, 20U);
  // Honest callers still get what they need.
  EXPECT_THAT(open(8), IsNull());
  EXPECT_THAT(open(9), HasSubstr("too many in total"));
  // A caller may keep its streams but gets no more.
  EXPECT_THAT(guards[0]->Receive(Streams(1, kDataFrame, 41), kStart),
              HasSubstr("too many in total"));
  guards.clear();
  EXPECT_EQ(all.streams, 0U);
  EXPECT_THAT(open(20), IsNull());
}

// gRPC holds bytes for a call until the message or the call ends.
TEST(Http2GuardTest, ReleasesHeldBytesWithTheCall) {
  AggregateUsage all({1000, 1 << 20});
  {
    Http2Guard guard(all, kStart);
    guard.Send(kAnnounced, kStart);
    const std::string message(1000, 'x');
    const std::string headers(100, 'x');
    guard.Receive(Greeting() + Frame(kWholeHeaders, 1, headers), kStart);
    const std::size_t unpacked = 100 * Http2Guard::kUnpackedHeaderFactor;
    EXPECT_EQ(guard.held(), unpacked);
    guard.Receive(Frame(kSettingsAck, 0) + Frame(kWholeHeaders, 3, headers),
                  kStart);
    EXPECT_EQ(guard.held(), unpacked) << "gRPC bounds these";
    const std::string piece = Frame(kDataFrame, 1, message);
    guard.Receive(piece, kStart);
    // Announced bytes that have not arrived take nothing.
    guard.Receive(std::string_view(piece).substr(0, 500), kStart);
    EXPECT_EQ(guard.held(), unpacked + 1000 + 500 - 9);
    EXPECT_EQ(all.held, guard.held());
    guard.Receive(std::string_view(piece).substr(500), kStart);
    guard.Receive(Frame(kDataFrame, 3, message), kStart + Http2Guard::kQuiet);
    EXPECT_EQ(guard.held(), unpacked + 3000);
    EXPECT_EQ(guard.held_since(), kStart);
    guard.Receive(Frame(kLastData, 1, message), kStart);
    EXPECT_EQ(guard.held(), unpacked + 1000);
    guard.Send(Answer(1), kStart);
    EXPECT_EQ(guard.held(), 1000U);
    guard.Leave();
    EXPECT_EQ(all.leaving, 1000U);
    EXPECT_EQ(all.held, 1000U);
  }
  EXPECT_EQ(all.leaving, 0U);
  EXPECT_EQ(all.held, 0U);
  EXPECT_EQ(all.streams, 0U);
}

TEST(Http2GuardTest, AllowsFewBytesWhenCrowded) {
  constexpr std::size_t kBound = 1 << 20;
  const std::string piece = Frame(kDataFrame, 1, std::string(1 << 14, 'x'));
  // A call with `message` bytes; its headers count unless acknowledged.
  const auto call = [&](Http2Guard& guard, std::size_t headers,
                        std::size_t message, bool acknowledged = true) {
    guard.Send(kAnnounced, kStart);
    return guard.Receive(
        Greeting() + (acknowledged ? Frame(kSettingsAck, 0) : std::string()) +
            Frame(kWholeHeaders, 1, std::string(headers, 'x')) +
            Repeat(piece, message >> 14),
        kStart);
  };
  AggregateUsage all({1000, kBound});
  Http2Guard before(all, kStart);
  EXPECT_THAT(call(before, 100, kBound), IsNull()) << "at the bound";
  Http2Guard few_headers(all, kStart);
  EXPECT_THAT(call(few_headers, 700, 0, false), IsNull());
  Http2Guard more_headers(all, kStart);
  EXPECT_THAT(call(more_headers, 800, 0, false),
              HasSubstr("headers before SETTINGS"));
  // A large message is allowed at first, for which another one ends.
  Http2Guard message(all, kStart);
  EXPECT_THAT(call(message, 100, 160 << 10), IsNull());
  Http2Guard small_message(all, kStart);
  EXPECT_THAT(call(small_message, 100, 1 << 16), IsNull());
  EXPECT_THAT(message.Receive(Repeat(piece, 2), kStart),
              HasSubstr("while memory is short"));
  EXPECT_THAT(small_message.Receive(piece, kStart), IsNull());
}

TEST(Http2GuardTest, IsQuietWithoutAnswersForLong) {
  const auto late = kStart + Http2Guard::kQuiet + std::chrono::seconds(1);
  const auto last = late + Http2Guard::kQuiet;
  Http2Guard guard(usage, kStart);
  guard.Send(kAnnounced, kStart);
  guard.Receive(Greeting() + Frame(kSettingsAck, 0), kStart);
  EXPECT_FALSE(guard.IsQuiet(late)) << "idle without a call";
  // The first call after a pause starts the period.
  guard.Receive(Streams(1, kDataFrame, 1), late);
  EXPECT_FALSE(guard.IsQuiet(late));
  EXPECT_TRUE(guard.IsQuiet(last + std::chrono::seconds(1)));
  // Replacing it by another does not.
  guard.Receive(Frame(kResetFrame, 1, "1234"), last);
  guard.Receive(Streams(1, kDataFrame, 3), last);
  EXPECT_TRUE(guard.IsQuiet(last + std::chrono::seconds(1)));
  // An answer does.
  guard.Receive(Streams(1, kDataFrame, 5), last);
  guard.Send(Answer(5), last);
  EXPECT_FALSE(guard.IsQuiet(last + std::chrono::seconds(1)));
  EXPECT_TRUE(guard.IsQuiet(last + 2 * Http2Guard::kQuiet));
}

TEST(Http2GuardTest, AllowanceRecoversWithTime) {
  Http2Guard guard(usage, kStart);
  guard.Send(kAnnounced, kStart);
  guard.Receive(Greeting() + Frame(kSettingsAck, 0), kStart);
  // Fifty cancelled calls a second, for a minute.
  for (std::uint32_t i = 0; i < 3000; ++i) {
    ASSERT_THAT(guard.Receive(Streams(1, kResetFrame, 1 + 2 * i),
                              kStart + i * std::chrono::milliseconds(20)),
                IsNull());
  }
}

}  // namespace
}  // namespace mulligan
