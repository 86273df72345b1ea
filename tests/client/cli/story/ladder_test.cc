// Texts about the ladder and the hours at stake.
#include <string>

#include "client/cli/story/wording.h"
#include "google/protobuf/text_format.h"
#include "gtest/gtest.h"

namespace mulligan::cli {
namespace {

template <typename Message>
Message Read(const char* text) {
  Message message;
  EXPECT_TRUE(google::protobuf::TextFormat::ParseFromString(text, &message));
  return message;
}

std::string Ladder(const char* text) {
  return LadderText(Read<v1::Escalation>(text));
}

std::string AtStake(const char* text) {
  return StakeText(Read<v1::Stake>(text));
}

TEST(LadderText, PrintsTheRungAndTheNext) {
  EXPECT_EQ(Ladder(""), "");
  EXPECT_EQ(Ladder("rung: PERSON"), "a person");
  EXPECT_EQ(Ladder("rung: IN_PLACE next: ANOTHER_NODE after: 1"),
            "the same again; after one more like it another node");
  EXPECT_EQ(Ladder("rung: ON_DEMAND next: PERSON after: 7"),
            "on-demand capacity; after 7 more like it a person");
  EXPECT_EQ(Ladder("rung: MORE_RESOURCES"), "more resources");
}

TEST(StakeText, PrintsWhatIsKnown) {
  EXPECT_EQ(AtStake(""), "");
  EXPECT_EQ(AtStake("alike: 1"), "");
  EXPECT_EQ(AtStake("ran { seconds: 9 } hours: 0.0025 alike: 2"),
            "0.0025 pod hours; 2 alike in a row");
  EXPECT_EQ(AtStake("ran { seconds: 9 } hours: 4096.4 accelerators: 64 "
                    "passes: 0.215"),
            "4096 accelerator hours; expected to pass 22 times in 100");
}

}  // namespace
}  // namespace mulligan::cli
