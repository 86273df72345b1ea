// Progress that the objects of a report state.
#include "policy/request/reported_progress.h"

#include <optional>

#include "absl/strings/str_format.h"
#include "gtest/gtest.h"
#include "tests/policy/decide_fixture.h"
#include "tests/policy/fixtures.h"

namespace mulligan {
namespace {

using testing::Parse;

constexpr char kAt40Percent[] = R"pb(
  train_job {
    metadata { name: "p" uid: "w" }
    status {
      trainer_status {
        progress_percentage: 40
        last_updated_time { seconds: 99900 }
      }
    }
  }
)pb";

// A pod whose container ran between these seconds.
constexpr char kRun[] = R"pb(
  pods {
    status {
      container_statuses {
        state {
          terminated {
            started_at { seconds: %d }
            finished_at { seconds: %d }
          }
        }
      }
    }
  }
)pb";

struct ProgressRow {
  const char* name;
  // Start and end of the runs; 0 and 0 if there is none.
  int runs[2][2];
  std::optional<double> progress;
};

constexpr ProgressRow kProgressRows[] = {
    {"no run has ended", {}, std::nullopt},
    {"reported during the run", {{99000, 99950}}, 40},
    {"reported by a clock that is ahead", {{99000, 99890}}, 40},
    {"reported by the attempt before", {{99000, 99950}, {99960, 99990}}, {}},
    {"reported by the attempt after", {{99000, 99100}}, {}},
    {"the kubelet did not see when it began", {{0, 99950}}, {}},
};

TEST(ReportedProgress, IsThatOfTheRunThatEndedLast) {
  for (const ProgressRow& row : kProgressRows) {
    auto report = Parse<v1::FailureReport>(kAt40Percent);
    for (const auto& [began, ended] : row.runs) {
      if (ended == 0) continue;
      report.MergeFrom(
          Parse<v1::FailureReport>(absl::StrFormat(kRun, began, ended)));
    }
    EXPECT_EQ(ReportedProgress(report), row.progress) << row.name;
    report.mutable_train_job()->clear_status();
    EXPECT_EQ(ReportedProgress(report), std::nullopt) << row.name;
  }
}

TEST_F(DecideTest, ProgressOfATrainJobIsRecordedUnlessTheCallerStatesIt) {
  v1::DecideRequest request = AppError();
  request.mutable_report()->mutable_workload()->set_kind("TrainJob");
  request.mutable_report()->MergeFrom(Parse<v1::FailureReport>(kAt40Percent));
  EXPECT_EQ(Ask(request).ledger().history(0).progress(), 40);
  request.mutable_report()->mutable_progress()->set_value(1200);
  EXPECT_EQ(Ask(request).ledger().history(0).progress(), 1200);
}

}  // namespace
}  // namespace mulligan
