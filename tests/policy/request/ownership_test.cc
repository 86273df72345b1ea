// To which workload each object belongs: owners, chains of owners and labels,
// and what to do if a report has objects of several workloads.
#include "policy/request/ownership.h"

#include <string>
#include <vector>

#include "absl/strings/str_cat.h"
#include "gmock/gmock.h"
#include "gtest/gtest.h"
#include "policy/answer/paths.h"
#include "tests/policy/fixtures.h"

namespace mulligan {
namespace {

using ::testing::ElementsAre;
using ::testing::ElementsAreArray;
using ::testing::IsEmpty;
using testing::Parse;

struct OwnershipRow {
  const char* name;
  std::string report;
  // Of the workloads that are not the report's.
  std::vector<std::string> owners;
  bool unknown = false;
};

class OwnershipTest : public ::testing::TestWithParam<OwnershipRow> {};

TEST_P(OwnershipTest, FindsWhatIsForeign) {
  const Unread foreign =
      FindForeign(Owners(Parse<v1::FailureReport>(GetParam().report)));
  EXPECT_THAT(foreign.owners, ElementsAreArray(GetParam().owners));
  EXPECT_EQ(foreign.unknown, GetParam().unknown);
}

std::string Owner(const char* kind, const char* name, const char* uid) {
  return absl::StrCat("owner_references { kind: '", kind, "' name: '", name,
                      "' uid: '", uid, "' controller: true } ");
}
std::string Label(const char* key, const char* value) {
  return absl::StrCat("labels { key: '", key, "' value: '", value, "' } ");
}
std::string JobSetLabel(const char* name) {
  return Label("jobset.sigs.k8s.io/jobset-name", name);
}
std::string Pod(const char* name, const std::string& more = "") {
  return absl::StrCat("pods { metadata { namespace: 'ml' name: '", name,
                      "' uid: 'u-", name, "' ", more, "} } ");
}
std::string Job(const char* name, const std::string& more = "") {
  return absl::StrCat("jobs { metadata { namespace: 'ml' name: '", name,
                      "' uid: 'j-", name, "' ", more, "} } ");
}
// A Job's pod.
std::string PodOf(const char* job, const char* name) {
  return Pod(name, Owner("Job", job, absl::StrCat("j-", job).c_str()));
}

const OwnershipRow kOwnershipRows[] = {
    {"OnePod", Pod("a"), {}},
    {"PodsOfOneJob", PodOf("t", "a") + PodOf("t", "b"), {}},
    {"PodsOfTwoJobs",
     PodOf("t", "a") + PodOf("x", "b"),
     {"Job ml/t", "Job ml/x"},
     true},
    {"PodsOfTwoReplicaSets",
     Pod("a", Owner("ReplicaSet", "r", "1")) +
         Pod("b", Owner("ReplicaSet", "s", "2")),
     {"ReplicaSet ml/r", "ReplicaSet ml/s"},
     true},
    {"JobOfTheSameNameMadeAgain",
     Pod("a", Owner("Job", "t", "old")) + Pod("b", Owner("Job", "t", "new")),
     {"Job ml/t", "Job ml/t"},
     true},
    {"PodsThatSayNothing", "pods { metadata { name: 'a' } } pods {}", {}},
    {"BarePodsAreTrusted", Pod("a") + Pod("b"), {}},
    {"TwoJobs", Job("a") + Job("b"), {"Job ml/a", "Job ml/b"}, true},
    {"TwoJobsCutDown",
     "jobs { metadata { name: 'a' } } jobs { metadata { name: 'b' } }",
     {"Job a", "Job b"},
     true},
    {"JobsOfOneJobSet",
     Job("a", Owner("JobSet", "s", "1")) + Job("b", Owner("JobSet", "s", "1")),
     {}},
    {"JobsOfOneJobSetByLabel",
     Job("a", JobSetLabel("s")) + Job("b", JobSetLabel("s")),
     {}},
    {"PodsOfOneJobSetByLabel",
     Pod("a", Owner("Job", "s-w-0", "1") + JobSetLabel("s")) +
         Pod("b", Owner("Job", "s-w-1", "2") + JobSetLabel("s")),
     {}},
    {"JobWithItsOwnAndAnotherPod",
     Job("t") + PodOf("t", "a") + PodOf("x", "b"),
     {"Job ml/t", "Job ml/x"},
     true},
    {"ExecutorsOfADriver",
     "spark_application { metadata { namespace: 'ml' name: 'etl' uid: 's' } "
     "} " +
         Pod("driver", Owner("SparkApplication", "etl", "s")) +
         Pod("exec-1", Owner("Pod", "driver", "u-driver")),
     {}},
    {"RayJobWithClusterByItsStatus",
     "ray_job { metadata { namespace: 'ml' name: 'r' uid: '1' } status { "
     "ray_cluster_name: 'x1' } } " +
         Pod("head", Owner("RayCluster", "x1", "2")) +
         Pod("worker", Owner("RayCluster", "x1", "2")),
     {}},
    {"RayJobWithClusterAndSubmitterByName",
     "ray_job { metadata { namespace: 'ml' name: 'r' uid: '1' } } " +
         Pod("head", Owner("RayCluster", "r-x1", "2")) +
         Pod("submit", Owner("Job", "r-9z", "3")),
     {}},
    {"TrainJobWithItsJobSet",
     "train_job { metadata { namespace: 'ml' name: 't' uid: '1' } } job_set { "
     "metadata { namespace: 'ml' name: 't' uid: '2' } } " +
         Pod("a", JobSetLabel("t")),
     {}},
    {"WorkloadOfTheJob",
     "kueue_workload { metadata { name: 'w' uid: '9' " +
         Owner("Job", "t", "j-t") + "} } " + Job("t"),
     {}},
    {"WorkloadOfAnotherJob",
     "kueue_workload { metadata { namespace: 'ml' name: 'w' uid: '9' " +
         Owner("Job", "x", "j-x") + "} } " + Job("t"),
     {"Job ml/t", "Job ml/x"},
     true},
    {"JobSetNextToAnother",
     "job_set { metadata { namespace: 'ml' name: 's' uid: '1' } } " +
         Job("z", Owner("JobSet", "other", "2")),
     {"JobSet ml/other", "JobSet ml/s"},
     true},
    {"TrainingJobByLabel",
     "kubeflow_job { kind: 'PyTorchJob' metadata { namespace: 'ml' name: 'p' "
     "uid: '1' } } " +
         Pod("a", Owner("PyTorchJob", "p", "1")) +
         Pod("b", Label("training.kubeflow.org/job-name", "p")),
     {}},
    {"LauncherOfAnMpiJobWhoseJobIsNotThere",
     "kubeflow_job { kind: 'MPIJob' metadata { namespace: 'ml' name: 'p' uid: "
     "'1' } } " +
         Pod("worker", Owner("MPIJob", "p", "1") +
                           Label("training.kubeflow.org/job-name", "p")) +
         Pod("launcher", Owner("Job", "p-launcher", "2") +
                             Label("training.kubeflow.org/job-name", "p")),
     {}},
    {"NamedByUid",
     "workload { uid: 'j-x' } " + PodOf("t", "a") + PodOf("x", "b"),
     {"Job ml/t"}},
    {"NamedByKindAndName",
     "workload { kind: 'Job' name: 't' } " + Job("t") + Job("x"),
     {"Job ml/x"}},
    {"NamedIsTheGrandparent",
     "workload { kind: 'JobSet' name: 's' } " +
         Pod("a", Owner("Job", "s-0", "1") + JobSetLabel("s")) +
         Pod("b", Owner("Job", "z", "2")),
     {"Job ml/z"}},
    {"NamedIsNotReported",
     "workload { kind: 'Job' name: 'nobody' } " + Job("t") + Job("x"),
     {"Job ml/t", "Job ml/x"},
     true},
    {"NamedIsAboveTheOnlyOne",
     "workload { kind: 'Pipeline' name: 'p' uid: '5' } " + PodOf("t", "a"),
     {}},
    {"NamedIsAnotherOfTheSameKind",
     "workload { kind: 'Job' name: 'mine' uid: 'm' } " + PodOf("other", "a"),
     {"Job ml/other"},
     true},
    {"NamedInLowerCase",
     "workload { kind: 'job' name: 't' } " + Job("t") + Job("x"),
     {"Job ml/x"}},
    {"JobsOfOneSchedule",
     Job("a", Owner("CronJob", "c", "1")) +
         Job("b", Owner("CronJob", "c", "1")),
     {"Job ml/a", "Job ml/b"},
     true},
    {"OwnersInACircle",
     Pod("a", Owner("Pod", "b", "u-b")) + Pod("b", Owner("Pod", "a", "u-a")),
     {}},
};

INSTANTIATE_TEST_SUITE_P(Owners, OwnershipTest,
                         ::testing::ValuesIn(kOwnershipRows),
                         [](const auto& row) { return row.param.name; });

TEST(Unread, IsLeftOutAndPathsReferToTheWholeReport) {
  auto report = Parse<v1::FailureReport>(
      "workload { kind: 'Job' name: 'x' } " + PodOf("t", "a") +
      PodOf("x", "b") +
      "events { involved_object { kind: 'Pod' name: 'a' } } events { "
      "involved_object { kind: 'Pod' name: 'b' } }");
  const Unread foreign = FindForeign(Owners(report));
  EXPECT_THAT(foreign.pods, ElementsAre(0));
  EXPECT_THAT(foreign.jobs, IsEmpty());
  EXPECT_THAT(foreign.events, ElementsAre(0));
  LeaveOut(foreign, report);
  ASSERT_EQ(report.pods_size(), 1);
  EXPECT_EQ(report.pods(0).metadata().name(), "b");
  ASSERT_EQ(report.events_size(), 1);

  auto diagnosis = Parse<v1::Diagnosis>(
      "evidence { path: 'pods[0].status.phase' } evidence { path: "
      "'events[0].reason' } evidence { path: 'jobs[0].status' }");
  RestorePaths(foreign, diagnosis);
  EXPECT_EQ(diagnosis.evidence(0).path(), "pods[1].status.phase");
  EXPECT_EQ(diagnosis.evidence(1).path(), "events[1].reason");
  EXPECT_EQ(diagnosis.evidence(2).path(), "jobs[0].status");
}

// An event of Mulligan quotes the failure before and gives advice about it.
TEST(Unread, HasMulligansOwnEvents) {
  const auto report = Parse<v1::FailureReport>(R"pb(
    events {
      reason: 'GivenUp'
      source { component: 'mulligan-controller' }
    }
    events {
      reason: 'Failed'
      source { component: 'kubelet' }
    }
    events {
      reason: 'LeftToItsOperator'
      reporting_component: 'mulligan-controller'
    }
    events {
      reason: 'MulliganRetries'
      source { component: 'jobset' }
    }
  )pb");
  Unread unread;
  unread.events = {1, 2};
  AddOwnEvents(report, unread);
  EXPECT_THAT(unread.events, ElementsAre(0, 1, 2, 3));
  Unread alone;
  AddOwnEvents(report, alone);
  EXPECT_THAT(alone.events, ElementsAre(0, 2, 3));
}

}  // namespace
}  // namespace mulligan
