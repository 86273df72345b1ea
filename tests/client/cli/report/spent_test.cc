#include "client/cli/report/spent.h"

#include <limits>
#include <string>
#include <vector>

#include "gmock/gmock.h"
#include "gtest/gtest.h"

namespace mulligan::cli {
namespace {

constexpr std::int64_t kHour = 3'600'000;

// Times are hours of a day; -1 if not set.
struct PodTimes {
  std::string name;
  std::string phase = "Failed";
  int start = 0;
  int finished = -1;
  bool runs = false;
};

void SetHour(int hour, google::protobuf::Timestamp& time) {
  time.set_seconds(1'700'000'000 + hour * 3600);
}

void AddPod(const PodTimes& times, v1::FailureReport& report) {
  auto& pod = *report.add_pods();
  pod.mutable_metadata()->set_name(times.name);
  pod.mutable_status()->set_phase(times.phase);
  auto& container = *pod.mutable_spec()->add_containers();
  auto& requests = *container.mutable_resources()->mutable_requests();
  requests["cpu"].set_string_value("500m");
  auto& limits = *container.mutable_resources()->mutable_limits();
  limits["cpu"].set_string_value("4");
  limits["nvidia.com/gpu"].set_number_value(8);
  limits["memory"].set_string_value("64Gi");
  if (times.start >= 0) {
    SetHour(times.start, *pod.mutable_status()->mutable_start_time());
  }
  auto& status = *pod.mutable_status()->add_container_statuses();
  if (times.runs) {
    SetHour(times.start,
            *status.mutable_state()->mutable_running()->mutable_started_at());
  } else if (times.finished >= 0) {
    auto& ended = *status.mutable_state()->mutable_terminated();
    SetHour(times.finished, *ended.mutable_finished_at());
  }
}

struct SpentCase {
  const char* name;
  std::vector<PodTimes> pods;
  double pod_hours;
  v1::Decision::Scope scope = v1::Decision::JOB_SET;
  // Failed pods that the sender omitted.
  int omitted = 0;
};

class LostTest : public ::testing::TestWithParam<SpentCase> {};

TEST_P(LostTest, PodHours) {
  const SpentCase& with = GetParam();
  v1::FailureReport report;
  SetHour(10, *report.mutable_observed_at());
  for (const PodTimes& pod : with.pods) AddPod(pod, report);
  if (with.omitted > 0) report.mutable_omitted_pods()->set_failed(with.omitted);
  v1::Diagnosis diagnosis;
  diagnosis.mutable_culprit()->set_pod("root");
  SetHour(4, *diagnosis.mutable_finished_at());
  v1::Decision decision;
  decision.set_scope(with.scope);
  const Spent lost = LostIn(report, diagnosis, decision);
  EXPECT_DOUBLE_EQ(static_cast<double>(lost.pod) / kHour, with.pod_hours);
  EXPECT_EQ(lost.core, lost.pod / 2) << "the request, not the limit";
  EXPECT_EQ(lost.accelerator, lost.pod * 8) << "the limit without a request";
}

INSTANTIATE_TEST_SUITE_P(
    All, LostTest,
    ::testing::Values(
        SpentCase{"OnePod", {{"root", "Failed", 1, 4}}, 3, {}},
        SpentCase{"WholeGang",
                  {{"root", "Failed", 1, 4}, {"peer", "Failed", 1, 5}},
                  7},
        SpentCase{"RunningPodUntilObserved",
                  {{"root", "Failed", 1, 4}, {"peer", "Running", 2, -1, true}},
                  11},
        SpentCase{"IndexFailsAlone",
                  {{"root", "Failed", 1, 4}, {"other", "Running", 1, -1, true}},
                  3,
                  v1::Decision::INDEX},
        SpentCase{"SucceededPodIsNotLost",
                  {{"root", "Failed", 1, 4}, {"done", "Succeeded", 1, 5}},
                  3},
        SpentCase{"EarlierAttemptIsNotCounted",
                  {{"old", "Failed", 0, 2}, {"root", "Failed", 3, 4}},
                  1},
        SpentCase{"OmittedPodsCountTheSame",
                  {{"root", "Failed", 1, 4}, {"peer", "Failed", 1, 4}},
                  24,
                  v1::Decision::JOB_SET,
                  6},
        SpentCase{"NeverScheduled", {{"root", "Pending", -1, -1}}, 0, {}},
        SpentCase{"UnknownEnd",
                  {{"root", "Failed", 1, -1}, {"peer", "Failed", 1, -1}},
                  3,
                  {}},
        SpentCase{"EndBeforeStart", {{"root", "Failed", 6, 4}}, 0, {}}),
    [](const auto& param) { return param.param.name; });

TEST(CompletedTest, CountsSucceededPods) {
  v1::FailureReport report;
  SetHour(10, *report.mutable_observed_at());
  AddPod({"a", "Succeeded", 1, 9}, report);
  AddPod({"b", "Failed", 1, 3}, report);
  EXPECT_EQ(CompletedIn(report).pod, 8 * kHour);
}

// Readers recognize the result as impossible.
TEST(LostTest, InvalidAmountsBecomeImplausible) {
  v1::FailureReport report;
  SetHour(10, *report.mutable_observed_at());
  AddPod({"root", "Failed", 1, 4}, report);
  auto& resources = *report.mutable_pods(0)
                         ->mutable_spec()
                         ->mutable_containers(0)
                         ->mutable_resources();
  resources.clear_limits();
  (*resources.mutable_requests())["cpu"].set_string_value("many");
  (*resources.mutable_request_quantities())["nvidia.com/gpu"].set_string("2");
  v1::Diagnosis diagnosis;
  SetHour(4, *diagnosis.mutable_finished_at());
  const Spent lost = LostIn(report, diagnosis, {});
  EXPECT_EQ(lost.accelerator, 6 * kHour);
  EXPECT_GT(lost.core / 1'000'000, lost.pod);
}

// A pod holds what the scheduler reserved for it.
TEST(LostTest, CountsInitContainersLikeTheScheduler) {
  const auto cores = [](std::vector<std::pair<const char*, double>> inits) {
    v1::FailureReport report;
    SetHour(10, *report.mutable_observed_at());
    AddPod({"root", "Failed", 1, 4}, report);
    auto& spec = *report.mutable_pods(0)->mutable_spec();
    for (const auto& [policy, cpu] : inits) {
      auto& init = *spec.add_init_containers();
      init.set_restart_policy(policy);
      (*init.mutable_resources()->mutable_requests())["cpu"].set_number_value(
          cpu);
    }
    v1::Diagnosis diagnosis;
    SetHour(4, *diagnosis.mutable_finished_at());
    return static_cast<double>(LostIn(report, diagnosis, {}).core) /
           (3 * kHour);
  };
  EXPECT_DOUBLE_EQ(cores({}), 0.5);
  EXPECT_DOUBLE_EQ(cores({{"", 0.25}, {"", 0.5}}), 0.5) << "sequential";
  EXPECT_DOUBLE_EQ(cores({{"", 64}}), 64) << "it needs more than all";
  EXPECT_DOUBLE_EQ(cores({{"Always", 2}}), 2.5)
      << "in addition to the containers";
  EXPECT_DOUBLE_EQ(cores({{"Always", 2}, {"", 1}, {"Always", 8}}), 10.5);
  EXPECT_DOUBLE_EQ(cores({{"", 16}, {"Always", 2}, {"", 15}}), 17)
      << "in addition to the sidecars before it";
}

// Evicted before any container had a status.
TEST(LostTest, UsesThePodsLastConditionWithoutContainerEnd) {
  v1::FailureReport report;
  SetHour(10, *report.mutable_observed_at());
  AddPod({"root", "Failed", 1, -1}, report);
  auto& status = *report.mutable_pods(0)->mutable_status();
  status.clear_container_statuses();
  for (const int hour : {1, 9}) {
    auto& condition = *status.add_conditions();
    condition.set_type(hour == 1 ? "PodScheduled" : "DisruptionTarget");
    SetHour(hour, *condition.mutable_last_transition_time());
  }
  v1::Diagnosis diagnosis;
  SetHour(9, *diagnosis.mutable_finished_at());
  EXPECT_EQ(LostIn(report, diagnosis, {}).pod, 8 * kHour);
}

TEST(SpentTest, SumsSaturate) {
  const std::int64_t most = std::numeric_limits<std::int64_t>::max();
  Spent sum = {most - 1, 1, 0};
  sum += {5, 2, 3};
  EXPECT_EQ(sum, (Spent{most, 3, 3}));
}

TEST(LostTest, LimitsAbsurdAmounts) {
  for (const char* amount : {"nan", "inf", "1e300", "-5", "99999999999E"}) {
    v1::FailureReport report;
    SetHour(10, *report.mutable_observed_at());
    AddPod({"root", "Failed", 1, 4}, report);
    auto& resources = *report.mutable_pods(0)
                           ->mutable_spec()
                           ->mutable_containers(0)
                           ->mutable_resources();
    (*resources.mutable_requests())["nvidia.com/gpu"].set_string_value(amount);
    resources.clear_limits();
    v1::Diagnosis diagnosis;
    SetHour(4, *diagnosis.mutable_finished_at());
    const Spent lost = LostIn(report, diagnosis, {});
    EXPECT_GE(lost.accelerator, 0) << amount;
    EXPECT_LE(lost.accelerator, 1'000'000'000'000'000'000) << amount;
  }
}

}  // namespace
}  // namespace mulligan::cli
