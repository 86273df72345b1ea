// No log costs more than its size allows, and their total cost is bounded.
#include <ctime>
#include <string>

#include "absl/strings/str_cat.h"
#include "absl/time/time.h"
#include "gmock/gmock.h"
#include "gtest/gtest.h"
#include "policy/demystify/logs/log_lines.h"
#include "policy/demystify/signatures/tables.h"
#include "policy/demystify/signatures/xids.h"
#include "tests/policy/decide_fixture.h"
#include "tests/policy/demystify/diagnose.h"
#include "tests/testing/costly_text.h"

namespace mulligan {
namespace {

using testing::CostlyText;
using testing::MakeCostly;

// Of the longest request, and of one that shows what is counted.
constexpr int kManyLogs = 500;
constexpr int kSomeLogs = 50;
constexpr std::size_t kLogBytes = 8 << 10;

absl::Duration ProcessorTime() {
  timespec time = {};
  clock_gettime(CLOCK_THREAD_CPUTIME_ID, &time);
  return absl::DurationFromTimespec(time);
}

// As the server's: 200 ms of processor time.
class Patience final : public Watch {
 public:
  absl::Status Check() override {
    ++looks;
    return Spent() <= absl::Milliseconds(200)
               ? absl::OkStatus()
               : absl::ResourceExhaustedError("too expensive");
  }
  absl::Duration Spent() override { return ProcessorTime() - start_; }

  int looks = 0;

 private:
  const absl::Duration start_ = ProcessorTime();
};

// Never ends a call.
class Counter final : public Watch {
 public:
  absl::Status Check() override {
    ++looks;
    return absl::OkStatus();
  }
  absl::Duration Spent() override { return absl::ZeroDuration(); }

  int looks = 0;
};

// A report of pods that ended with an error and these messages.
template <typename MakeLog>
v1::DecideRequest Ended(int pods, const MakeLog& make_log) {
  v1::DecideRequest request = AppError();
  const kubernetes::core::v1::Pod pod = request.report().pods(0);
  request.mutable_report()->clear_pods();
  for (int i = 0; i < pods; ++i) {
    auto& one = *request.mutable_report()->add_pods();
    one = pod;
    one.mutable_metadata()->set_name(absl::StrCat("p-", i));
    one.mutable_metadata()->set_uid(absl::StrCat("u-", i));
    one.mutable_status()
        ->mutable_container_statuses(0)
        ->mutable_state()
        ->mutable_terminated()
        ->set_message(make_log(static_cast<std::size_t>(i)));
  }
  return request;
}

class LogCostTest : public DecideTest {
 protected:
  absl::Status TryUnder(Watch& watch, const v1::DecideRequest& request,
                        v1::DecideResponse& response) {
    google::protobuf::Timestamp now;
    now.set_seconds(200000);
    return Decide(request, *policies_, now, response, {&watch, nullptr});
  }
  absl::Duration TimeOf(const v1::DecideRequest& request) {
    v1::DecideResponse response;
    Patience watch;
    (void)TryUnder(watch, request, response);
    return watch.Spent();
  }
};

class CostlyLogTest : public LogCostTest,
                      public ::testing::WithParamInterface<CostlyText> {};

#ifndef MULLIGAN_INSTRUMENTED
TEST_P(CostlyLogTest, TakesNoLongerThanACallMay) {
  auto request = Ended(kManyLogs, [](std::size_t number) {
    return MakeCostly(GetParam(), number, kLogBytes);
  });
  EXPECT_LE(TimeOf(request), absl::Milliseconds(300));
  // The last pod is the root: its quoted text is searched for in no other log.
  auto& root = *request.mutable_report()
                    ->mutable_pods(kManyLogs - 1)
                    ->mutable_status()
                    ->mutable_container_statuses(0)
                    ->mutable_state()
                    ->mutable_terminated();
  root.mutable_finished_at()->set_seconds(root.finished_at().seconds() - 60);
  EXPECT_LE(TimeOf(request), absl::Milliseconds(300));
}
#endif

TEST_P(CostlyLogTest, IsTakenFromTheAllowance) {
  const auto request = Ended(kSomeLogs, [](std::size_t number) {
    return MakeCostly(GetParam(), number, kLogBytes);
  });
  // A step reads at most 8 bytes.
  PatternAllowance half(kSomeLogs * kLogBytes / 8 / 2);
  demystify::Diagnose(request.report(), {.patterns = &half});
  EXPECT_TRUE(half.used_up());
  PatternAllowance whole;
  demystify::Diagnose(request.report(), {.patterns = &whole});
  EXPECT_FALSE(whole.used_up());
}

TEST_P(CostlyLogTest, StopsWhenTheCallIsCancelled) {
  const auto request = Ended(kSomeLogs, [](std::size_t number) {
    return MakeCostly(GetParam(), number, kLogBytes);
  });
  Counter watch;
  v1::DecideResponse response;
  EXPECT_THAT(TryUnder(watch, request, response), testing::IsOk());
  // The watch is checked after at most two logs.
  EXPECT_GE(watch.looks, kSomeLogs / 2);
}

INSTANTIATE_TEST_SUITE_P(All, CostlyLogTest,
                         ::testing::ValuesIn(testing::kCostlyTexts),
                         [](const auto& text) { return text.param.name; });

// Keywords of as many patterns as fit in a log. No pattern matches the log.
std::string KeywordsOfPatterns() {
  const demystify::TextTable& table = demystify::ApplicationTexts();
  std::string text;
  for (const demystify::TextSignature& row : table.rows()) {
    const std::string longer = text + std::string(row.keyword) + "\n";
    if (row.pattern == nullptr || longer.size() > kLogBytes - 16 ||
        text.find(row.keyword) != text.npos || table.Find(longer) != nullptr) {
      continue;
    }
    text = longer;
  }
  return text;
}

#ifndef MULLIGAN_INSTRUMENTED
TEST_F(LogCostTest, KeywordsOfAllPatternsTakeNoLongerThanACallMay) {
  const std::string words = KeywordsOfPatterns();
  ASSERT_GT(words.size(), kLogBytes / 4);
  const auto request = Ended(kManyLogs, [&words](std::size_t number) {
    return absl::StrCat(words, number);
  });
  EXPECT_LE(TimeOf(request), absl::Milliseconds(300));
}

// Took 8 ms for 8 KiB while each phrase searched for the end of its line.
TEST(LogGrowthTest, ReadingIsLinearInTheText) {
  for (const CostlyText& text : testing::kCostlyTexts) {
    std::string log = MakeCostly(text, 1, 1 << 20);
    const absl::Duration before = ProcessorTime();
    demystify::BlankAdvice(log);
    demystify::WorstXid(log);
    EXPECT_LE(ProcessorTime() - before, absl::Seconds(1)) << text.name;
  }
}
#endif

TEST(LogAllowanceTest, NoLogIsReadAfterItIsUsedUp) {
  const v1::FailureReport report =
      demystify::FailedPod(1, "Error", "torch.cuda.OutOfMemoryError: CUDA");
  PatternAllowance none(0);
  EXPECT_EQ(demystify::Diagnose(report, {.patterns = &none}).cause(),
            v1::APP_ERROR);
  EXPECT_TRUE(none.used_up());
  PatternAllowance enough;
  EXPECT_NE(demystify::Diagnose(report, {.patterns = &enough}).cause(),
            v1::APP_ERROR);
}

}  // namespace
}  // namespace mulligan
