#include <cstdint>
#include <ostream>
#include <string>

#include "absl/time/time.h"
#include "gtest/gtest.h"
#include "policy/base/times.h"
#include "policy/native/job/objects.h"
#include "tests/native/job/test_objects.h"

namespace mulligan::job {
namespace {

constexpr char kFallback[] =
    "metadata { deletion_timestamp { seconds: 500 } "
    "deletion_grace_period_seconds: 30 creation_timestamp { seconds: 100 } } ";

struct FinishCase {
  std::string name;
  std::string pod;
  std::int64_t seconds;
};

void PrintTo(const FinishCase& test, std::ostream* out) { *out << test.name; }

class FinishTimeTest : public ::testing::TestWithParam<FinishCase> {};

TEST_P(FinishTimeTest, IsTheFirstAvailableTime) {
  EXPECT_EQ(FinishTime(Parse<Pod>(GetParam().pod), Gates()),
            absl::FromUnixSeconds(GetParam().seconds));
}

std::string Ended(const std::string& prefix, const std::string& name, int at) {
  return prefix + "container_statuses { name: '" + name +
         "' state { terminated { finished_at { seconds: " + std::to_string(at) +
         " } } } } ";
}

std::string InStatus(const std::string& text) {
  return kFallback + ("status { " + text + " }");
}

constexpr char kSidecar[] =
    "spec { init_containers { name: 's' restart_policy: 'Always' } "
    "init_containers { name: 'i' } } ";

INSTANTIATE_TEST_SUITE_P(
    Sources, FinishTimeTest,
    ::testing::Values(
        FinishCase{"LatestContainer",
                   InStatus(Ended("", "a", 200) + Ended("", "b", 300)), 300},
        FinishCase{"OneContainerStillRuns",
                   InStatus(Ended("", "a", 200) +
                            "container_statuses { state { running {} } }"),
                   470},
        FinishCase{"AZeroFinishIsUnset", InStatus(Ended("", "a", 0)), 470},
        FinishCase{
            "SidecarsCountOrdinaryInitContainersDoNot",
            kSidecar + InStatus(Ended("", "a", 200) + Ended("init_", "s", 250) +
                                Ended("init_", "i", 400)),
            250},
        FinishCase{"ASidecarStillRuns",
                   kSidecar + InStatus(Ended("", "a", 200) +
                                       "init_container_statuses { name: 's' "
                                       "state { running {} } }"),
                   470},
        FinishCase{"ReadyFalse",
                   InStatus("conditions { type: 'Ready' status: 'False' "
                            "last_transition_time { seconds: 450 } }"),
                   450},
        FinishCase{"ReadyFalseWithoutATime",
                   InStatus("conditions { type: 'Ready' status: 'False' }"),
                   470},
        FinishCase{"ReadyTrue",
                   InStatus("conditions { type: 'Ready' status: 'True' "
                            "last_transition_time { seconds: 450 } }"),
                   470},
        FinishCase{"DeletionLessItsGracePeriod", kFallback, 470},
        FinishCase{"Creation", "metadata { creation_timestamp { seconds: 9 } }",
                   9}),
    [](const auto& test) { return test.param.name; });

TEST(FinishTimeTest, WithoutAnyTimeItIsTheDistantPast) {
  EXPECT_EQ(FinishTime(Pod(), Gates()), ZeroTime());
}

TEST(FinishTimeTest, WithoutTheGateSidecarsAreIgnored) {
  const Pod pod = Parse<Pod>(
      kSidecar + InStatus(Ended("", "a", 200) + Ended("init_", "s", 250)));
  Gates gates;
  gates.sidecar_containers = false;
  EXPECT_EQ(FinishTime(pod, gates), absl::FromUnixSeconds(200));
}

}  // namespace
}  // namespace mulligan::job
