#include "policy/operators/trainjob/progress.h"

#include <functional>
#include <limits>
#include <optional>
#include <string>

#include "gmock/gmock.h"
#include "gtest/gtest.h"

namespace mulligan::trainjob {
namespace {

using ::testing::HasSubstr;

TrainerStatus At(int percent) {
  TrainerStatus status;
  status.set_progress_percentage(percent);
  return status;
}

struct RefusalCase {
  std::string name;
  std::function<void(ProgressRequest&)> change;
  int http_code;
  std::string reason;
};

class TrainJobRefusedProgressTest : public testing::TestWithParam<RefusalCase> {
};

TEST_P(TrainJobRefusedProgressTest, KeepsWhatWasStored) {
  ProgressRequest request;
  request.trainer_status = At(50);
  GetParam().change(request);
  const ProgressAnswer answer = PostProgress(request, At(30));
  EXPECT_EQ(answer.http_code, GetParam().http_code);
  EXPECT_EQ(answer.reason, GetParam().reason);
  ASSERT_TRUE(answer.trainer_status.has_value());
  EXPECT_EQ(answer.trainer_status->progress_percentage(), 30);
}

const RefusalCase kRefusals[] = {
    {"TooLarge", [](auto& r) { r.body_size = kMaxProgressBody + 1; }, 413,
     "RequestEntityTooLarge"},
    {"WrongToken", [](auto& r) { r.authorized = false; }, 403, "Forbidden"},
    {"NoJson", [](auto& r) { r.readable = false; }, 422, "Invalid"},
    {"NoJob", [](auto& r) { r.found = false; }, 404, "NotFound"},
    {"Above100", [](auto& r) { r.trainer_status = At(101); }, 422, "Invalid"},
    {"Negative", [](auto& r) { r.trainer_status = At(-1); }, 422, "Invalid"},
};

INSTANTIATE_TEST_SUITE_P(Table, TrainJobRefusedProgressTest,
                         testing::ValuesIn(kRefusals),
                         [](const auto& test) { return test.param.name; });

TEST(TrainJobProgressTest, ReplacesTheWholeStatus) {
  ProgressRequest request;
  request.body_size = kMaxProgressBody;
  request.trainer_status = TrainerStatus();
  const ProgressAnswer answer = PostProgress(request, At(30));
  EXPECT_EQ(answer.http_code, 200);
  ASSERT_TRUE(answer.trainer_status.has_value());
  EXPECT_FALSE(answer.trainer_status->has_progress_percentage());
}

TEST(TrainJobProgressTest, AnEmptyPostChangesNothing) {
  ProgressRequest request;
  request.found = false;
  const ProgressAnswer answer = PostProgress(request, At(30));
  EXPECT_EQ(answer.http_code, 200);
  EXPECT_EQ(answer.trainer_status->progress_percentage(), 30);
}

TEST(TrainJobProgressTest, TheMessageNamesJobAndField) {
  ProgressRequest request;
  request.name = "tune";
  request.trainer_status = At(std::numeric_limits<int>::max());
  const ProgressAnswer answer = PostProgress(request, std::nullopt);
  EXPECT_THAT(answer.message, HasSubstr("\"tune\""));
  EXPECT_THAT(answer.message, HasSubstr("progressPercentage"));
  EXPECT_FALSE(answer.trainer_status.has_value());
}

}  // namespace
}  // namespace mulligan::trainjob
