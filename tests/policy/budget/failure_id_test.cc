#include "policy/budget/failure_id.h"

#include <string>

#include "absl/strings/str_cat.h"
#include "gtest/gtest.h"
#include "tests/policy/fixtures.h"

namespace mulligan {
namespace {

using testing::Parse;

// Takes the first pod whose container ended as the root.
Incident IncidentOf(const v1::FailureReport& report) {
  Incident incident;
  for (int i = 0; i < report.pods_size(); ++i) {
    const auto& statuses = report.pods(i).status().container_statuses();
    if (statuses.empty()) continue;
    incident.pods = {i};
    break;
  }
  if (incident.pods.empty() && report.pods_size() > 0) incident.pods = {0};
  return incident;
}

FailureId FullIdOf(const v1::FailureReport& report, int seconds) {
  return FailureIdOf(Owners(report), report.workload(), IncidentOf(report),
                     absl::FromUnixSeconds(seconds));
}

std::string IdOf(const v1::FailureReport& report, int seconds = 1) {
  return FullIdOf(report, seconds).id;
}

std::string IdOf(const char* report, int seconds = 1) {
  return IdOf(Parse<v1::FailureReport>(report), seconds);
}

constexpr char kPod[] = R"pb(
  workload { uid: "w" }
  pods {
    metadata { uid: "1" }
    status {
      container_statuses {
        name: "main"
        restart_count: 1
        state {
          terminated {
            exit_code: 1
            finished_at { seconds: 9 }
          }
        }
      }
      container_statuses { name: "side" }
    }
  }
  pods { metadata { uid: "2" } }
)pb";

TEST(FailureIdTest, GivenIdsAreKept) {
  const FailureId id =
      FullIdOf(Parse<v1::FailureReport>("failure_id: 'mine' pods {}"), 1);
  EXPECT_EQ(id.id, "mine");
  EXPECT_TRUE(id.named);
}

TEST(FailureIdTest, DoesNotDependOnWhatElseIsInTheReport) {
  v1::FailureReport report = Parse<v1::FailureReport>(kPod);
  const std::string id = IdOf(report);
  report.mutable_pods()->RemoveLast();
  EXPECT_EQ(IdOf(report), id);
  report.add_jobs()->mutable_status()->set_failed(3);
  report.mutable_job_set()->mutable_status()->set_restarts(2);
  EXPECT_EQ(IdOf(report), id);
}

TEST(FailureIdTest, DoesNotDependOnHowMuchOfTheEndIsReported) {
  EXPECT_EQ(IdOf("pods { metadata { uid: 'p' } status { phase: 'Failed' } }"),
            IdOf("pods { metadata { uid: 'p' } status { phase: 'Failed' "
                 "container_statuses { name: 'main' state { terminated { "
                 "exit_code: 1 finished_at { seconds: 9 } } } } } }"));
}

TEST(FailureIdTest, DistinguishesPodsOfOneNameByTheirEnds) {
  EXPECT_NE(IdOf("pods { metadata { name: 'p' } status { container_statuses { "
                 "state { terminated { finished_at { seconds: 9 } } } } } }"),
            IdOf("pods { metadata { name: 'p' } status { container_statuses { "
                 "state { terminated { finished_at { seconds: 8 } } } } } }"));
}

TEST(FailureIdTest, DoesNotDependOnTheOrderOfAnything) {
  v1::FailureReport report = Parse<v1::FailureReport>(kPod);
  const std::string id = IdOf(report);
  report.mutable_pods()->SwapElements(0, 1);
  EXPECT_EQ(IdOf(report), id);
  report.mutable_pods(1)
      ->mutable_status()
      ->mutable_container_statuses()
      ->SwapElements(0, 1);
  EXPECT_EQ(IdOf(report), id);
}

TEST(FailureIdTest, SurvivesTheKubeletsRestart) {
  v1::FailureReport report = Parse<v1::FailureReport>(kPod);
  const std::string id = IdOf(report);
  auto& status =
      *report.mutable_pods(0)->mutable_status()->mutable_container_statuses(0);
  *status.mutable_last_state() = status.state();
  status.mutable_state()->Clear();
  status.mutable_state()->mutable_running();
  status.set_restart_count(2);
  EXPECT_EQ(IdOf(report), id);
}

TEST(FailureIdTest, DoesNotDependOnTheTimeOfTheReport) {
  EXPECT_EQ(IdOf(kPod, 1), IdOf(kPod, 2));
}

struct Change {
  const char* name;
  void (*apply)(v1::FailureReport&);
};

class DistinctTest : public ::testing::TestWithParam<Change> {};

TEST_P(DistinctTest, AnotherFailureHasAnotherId) {
  v1::FailureReport report = Parse<v1::FailureReport>(kPod);
  const std::string id = IdOf(report);
  GetParam().apply(report);
  EXPECT_NE(IdOf(report), id);
}

const Change kChanges[] = {
    {"Attempt", [](auto& r) { r.set_attempt(2); }},
    {"PodUid",
     [](auto& r) { r.mutable_pods(0)->mutable_metadata()->set_uid("3"); }},
    {"Restarts",
     [](auto& r) {
       r.mutable_pods(0)
           ->mutable_status()
           ->mutable_container_statuses(0)
           ->set_restart_count(2);
     }},
};

INSTANTIATE_TEST_SUITE_P(FailureId, DistinctTest, ::testing::ValuesIn(kChanges),
                         [](const auto& row) { return row.param.name; });

struct Source {
  const char* name;
  const char* one;
  const char* other;
};

class SourceTest : public ::testing::TestWithParam<Source> {};

TEST_P(SourceTest, DistinguishesFailuresWithoutATime) {
  EXPECT_NE(IdOf(GetParam().one), IdOf(GetParam().other));
  EXPECT_EQ(IdOf(GetParam().one, 1), IdOf(GetParam().one, 2));
}

const Source kSources[] = {
    {"Job", "jobs { metadata { uid: 'j' } status { failed: 1 } }",
     "jobs { metadata { uid: 'j' } status { failed: 2 } }"},
    {"RayJob", "ray_job { status { job_id: 'a' } }",
     "ray_job { status { job_id: 'b' } }"},
    {"JobSet", "job_set { status { restarts: 1 } }",
     "job_set { status { restarts: 2 } }"},
    {"Spark", "spark_application { status { submission_id: 'a' } }",
     "spark_application { status { submission_id: 'b' } }"},
    {"TrainJob",
     "train_job { status { conditions { type: 'Failed' status: 'True' "
     "last_transition_time { seconds: 5 } } } }",
     "train_job { status { conditions { type: 'Failed' status: 'True' "
     "last_transition_time { seconds: 6 } } } }"},
    {"Attempt", "attempt: 1 exit { exit_code: 1 }",
     "attempt: 2 exit { exit_code: 1 }"},
};

INSTANTIATE_TEST_SUITE_P(FailureId, SourceTest, ::testing::ValuesIn(kSources),
                         [](const auto& row) { return row.param.name; });

// The kubelet and controllers count a repeated event in the same object.
TEST(FailureIdTest, AnEventAloneIsIdentifiedByItsFirstTime) {
  auto report = Parse<v1::FailureReport>(
      "events { reason: 'FailedCreate' first_timestamp { seconds: 5 } "
      "last_timestamp { seconds: 9 } }");
  Incident incident;
  incident.event = 0;
  const auto id_of = [&](int seconds) {
    return FailureIdOf(Owners(report), report.workload(), incident,
                       absl::FromUnixSeconds(seconds));
  };
  const FailureId first = id_of(10);
  EXPECT_FALSE(first.from_time_only);
  report.mutable_events(0)->mutable_last_timestamp()->set_seconds(20);
  EXPECT_EQ(id_of(21).id, first.id);
  report.mutable_events(0)->mutable_first_timestamp()->set_seconds(6);
  EXPECT_NE(id_of(21).id, first.id);
}

TEST(FailureIdTest, WithoutOtherEvidenceUsesTheTimeAndWarns) {
  const auto report = Parse<v1::FailureReport>("exit { exit_code: 1 }");
  const FailureId id = FullIdOf(report, 1);
  EXPECT_TRUE(id.from_time_only);
  EXPECT_NE(IdOf(report, 1), IdOf(report, 2));
}

// Ledgers outlive versions: a changed hash would charge a failure twice.
TEST(FailureIdTest, IsTheSameInEveryVersion) {
  EXPECT_EQ(IdOf("workload { uid: 'w' } attempt: 1 pods { metadata { uid: 'p' "
                 "} }"),
            "fe1d695c89018144");
}

// A pod's UID is unique: the failure is the same whether the pod is reported
// alone or with an object that owns its owner.
TEST(FailureIdTest, APodHasOneIdWithAnyWorkload) {
  EXPECT_EQ(IdOf("workload { uid: 'job' } pods { metadata { uid: 'p' } }"),
            IdOf("workload { uid: 'jobset' } pods { metadata { uid: 'p' } }"));
  EXPECT_NE(IdOf("workload { uid: 'job' } pods { metadata { name: 'p' } }"),
            IdOf("workload { uid: 'other' } pods { metadata { name: 'p' } }"))
      << "a name is anybody's";
}

// The mark, the stop, the end and the restart are one failure.
TEST(FailureIdTest, APodThatIsStoppedHasOneIdUntilItIsGone) {
  const auto id = [](const char* deleted, const char* phase, const char* mark,
                     const char* state) {
    return IdOf(Parse<v1::FailureReport>(absl::StrCat(
        "pods { metadata { uid: 'p' ", deleted, "} status { phase: '", phase,
        "' ", mark, " container_statuses { restart_count: 1 state { ", state,
        " } } } }")));
  };
  constexpr char kMark[] =
      "conditions { type: 'DisruptionTarget' status: 'True' }";
  constexpr char kDeleted[] = "deletion_timestamp { seconds: 9 }";
  constexpr char kEnd[] = "terminated { exit_code: 143 }";
  const std::string marked = id("", "Running", kMark, "running { }");
  EXPECT_EQ(id(kDeleted, "Running", kMark, "running { }"), marked);
  EXPECT_EQ(id(kDeleted, "Running", kMark, kEnd), marked);
  EXPECT_EQ(id(kDeleted, "Failed", kMark, kEnd), marked);
  EXPECT_EQ(id("", "Failed", kMark, kEnd), marked);
  EXPECT_NE(id("", "Running", "", "running { }"), marked)
      << "nothing stops it yet";
}

}  // namespace
}  // namespace mulligan
