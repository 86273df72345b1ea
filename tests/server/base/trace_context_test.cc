#include "server/observe/trace_context.h"

#include <string>

#include "gtest/gtest.h"
#include "tests/testing/param_name.h"

namespace mulligan {
namespace {

constexpr char kParent[] =
    "00-0af7651916cd43dd8448eb211c80319c-b7ad6b7169203331-01";

TEST(TraceContextTest, KeepsWellFormedContext) {
  const TraceContext context = ReadTraceContext(
      {kParent}, {"congo=t61rcWkgMzE", "rojo=00f067aa0ba902b7"});
  EXPECT_EQ(context.parent, kParent);
  EXPECT_EQ(context.state, "congo=t61rcWkgMzE,rojo=00f067aa0ba902b7");
  EXPECT_EQ(context.trace_id(), "0af7651916cd43dd8448eb211c80319c");
  EXPECT_FALSE(context.malformed);
}

TEST(TraceContextTest, AbsenceIsNotMalformed) {
  const TraceContext context = ReadTraceContext({}, {"congo=t61rcWkgMzE"});
  EXPECT_EQ(context.parent, "");
  EXPECT_EQ(context.state, "");
  EXPECT_EQ(context.trace_id(), "");
  EXPECT_FALSE(context.malformed);
}

TEST(TraceContextTest, LaterVersionsMayBeLonger) {
  const std::string later = "cc" + std::string(kParent).substr(2) + "-more";
  EXPECT_EQ(ReadTraceContext({later}, {}).parent, later);
}

TEST(TraceContextTest, DropsOnlyAMalformedState) {
  for (const std::string& state :
       {std::string(513, 'a'), std::string("a\x01")}) {
    const TraceContext context = ReadTraceContext({kParent}, {state});
    EXPECT_EQ(context.parent, kParent);
    EXPECT_EQ(context.state, "");
    EXPECT_TRUE(context.malformed);
  }
  EXPECT_EQ(ReadTraceContext({kParent}, {std::string(512, 'a')}).state.size(),
            512);
}

class MalformedParentTest : public ::testing::TestWithParam<std::string> {};

TEST_P(MalformedParentTest, IsDropped) {
  const TraceContext context = ReadTraceContext({GetParam()}, {"a=b"});
  EXPECT_EQ(context.parent, "");
  EXPECT_EQ(context.state, "");
  EXPECT_TRUE(context.malformed);
}

INSTANTIATE_TEST_SUITE_P(
    All, MalformedParentTest,
    ::testing::Values(
        "", "00", std::string(4096, '0'),
        // Version ff, upper case, no trace, no span, no flags, bad separators.
        "ff-0af7651916cd43dd8448eb211c80319c-b7ad6b7169203331-01",
        "00-0AF7651916CD43DD8448EB211C80319C-b7ad6b7169203331-01",
        "00-00000000000000000000000000000000-b7ad6b7169203331-01",
        "00-0af7651916cd43dd8448eb211c80319c-0000000000000000-01",
        "00-0af7651916cd43dd8448eb211c80319c-b7ad6b7169203331-0g",
        "00-0af7651916cd43dd8448eb211c80319c_b7ad6b7169203331-01",
        // Version 00 has no further parts.
        "00-0af7651916cd43dd8448eb211c80319c-b7ad6b7169203331-01-more",
        "01-0af7651916cd43dd8448eb211c80319c-b7ad6b7169203331-01more",
        "01-0af7651916cd43dd8448eb211c80319c-b7ad6b7169203331-01-a b"),
    [](const auto& row) { return ParamName(row.index, row.param); });

TEST(TraceContextTest, RejectsTwoParents) {
  const TraceContext context = ReadTraceContext({kParent, kParent}, {});
  EXPECT_EQ(context.parent, "");
  EXPECT_TRUE(context.malformed);
}

}  // namespace
}  // namespace mulligan
