// Whose objects are they? Owners, chains of owners, labels, and what to do
// when the objects are of several workloads.
#include "policy/ownership.h"

#include <string>
#include <vector>

#include "gmock/gmock.h"
#include "gtest/gtest.h"
#include "tests/policy/fixtures.h"

namespace mulligan {
namespace {

using ::testing::ElementsAre;
using ::testing::ElementsAreArray;
using ::testing::IsEmpty;
using testing::Parse;

struct Row {
  const char* name;
  const char* report;
  // Of the workloads that are not the report's.
  std::vector<std::string> owners;
  bool unknown = false;
};

class OwnershipTest : public ::testing::TestWithParam<Row> {};

TEST_P(OwnershipTest, FindsWhatIsForeign) {
  const Foreign foreign =
      FindForeign(Parse<v1::FailureReport>(GetParam().report));
  EXPECT_THAT(foreign.owners, ElementsAreArray(GetParam().owners));
  EXPECT_EQ(foreign.unknown, GetParam().unknown);
}

#define OWNER(kind, name, uid)                                      \
  "owner_references { kind: '" kind "' name: '" name "' uid: '" uid \
  "' controller: true }"
#define POD(name, owner)                                             \
  "pods { metadata { namespace: 'ml' name: '" name "' uid: 'u-" name \
  "' " owner " } } "
#define JOB(name, more)                                                        \
  "jobs { metadata { namespace: 'ml' name: '" name "' uid: 'j-" name "' " more \
  " } } "
#define LABEL(key, value) "labels { key: '" key "' value: '" value "' }"

const Row kRows[] = {
    {"OnePod", POD("a", ""), {}},
    {"PodsOfOneJob",
     POD("a", OWNER("Job", "t", "j-t")) POD("b", OWNER("Job", "t", "j-t")),
     {}},
    {"PodsOfTwoJobs",
     POD("a", OWNER("Job", "t", "j-t")) POD("b", OWNER("Job", "x", "j-x")),
     {"Job ml/t", "Job ml/x"},
     true},
    {"PodsOfTwoReplicaSets",
     POD("a", OWNER("ReplicaSet", "r", "1"))
         POD("b", OWNER("ReplicaSet", "s", "2")),
     {"ReplicaSet ml/r", "ReplicaSet ml/s"},
     true},
    {"JobOfTheSameNameMadeAgain",
     POD("a", OWNER("Job", "t", "old")) POD("b", OWNER("Job", "t", "new")),
     {"Job ml/t", "Job ml/t"},
     true},
    {"PodsThatSayNothing", "pods { metadata { name: 'a' } } pods {}", {}},
    {"BarePodsAreTrusted", POD("a", "") POD("b", ""), {}},
    {"TwoJobs", JOB("a", "") JOB("b", ""), {"Job ml/a", "Job ml/b"}, true},
    {"TwoJobsCutDown",
     "jobs { metadata { name: 'a' } } jobs { metadata { name: 'b' } }",
     {"Job a", "Job b"},
     true},
    {"JobsOfOneJobSet",
     JOB("a", OWNER("JobSet", "s", "1")) JOB("b", OWNER("JobSet", "s", "1")),
     {}},
    {"JobsOfOneJobSetByLabel",
     JOB("a", LABEL("jobset.sigs.k8s.io/jobset-name", "s"))
         JOB("b", LABEL("jobset.sigs.k8s.io/jobset-name", "s")),
     {}},
    {"PodsOfOneJobSetByLabel",
     POD("a", OWNER("Job", "s-w-0", "1")
                  LABEL("jobset.sigs.k8s.io/jobset-name", "s"))
         POD("b", OWNER("Job", "s-w-1", "2")
                      LABEL("jobset.sigs.k8s.io/jobset-name", "s")),
     {}},
    {"JobWithItsOwnAndAnotherPod",
     JOB("t", "") POD("a", OWNER("Job", "t", "j-t"))
         POD("b", OWNER("Job", "x", "j-x")),
     {"Job ml/t", "Job ml/x"},
     true},
    {"ExecutorsOfADriver",
     "spark_application { metadata { namespace: 'ml' name: 'etl' uid: 's' } "
     "} " POD("driver", OWNER("SparkApplication", "etl", "s"))
         POD("exec-1", OWNER("Pod", "driver", "u-driver")),
     {}},
    {"RayJobWithClusterByItsStatus",
     "ray_job { metadata { namespace: 'ml' name: 'r' uid: '1' } status { "
     "ray_cluster_name: 'r-x1' } } " POD("head",
                                         OWNER("RayCluster", "r-x1", "2"))
         POD("worker", OWNER("RayCluster", "r-x1", "2")),
     {}},
    {"RayJobWithClusterAndSubmitterByName",
     "ray_job { metadata { namespace: 'ml' name: 'r' uid: '1' } } " POD(
         "head", OWNER("RayCluster", "r-x1", "2"))
         POD("submit", OWNER("Job", "r-9z", "3")),
     {}},
    {"TrainJobWithItsJobSet",
     "train_job { metadata { namespace: 'ml' name: 't' uid: '1' } } job_set { "
     "metadata { namespace: 'ml' name: 't' uid: '2' } } " POD(
         "a", LABEL("jobset.sigs.k8s.io/jobset-name", "t")),
     {}},
    {"WorkloadOfTheJob",
     "kueue_workload { metadata { name: 'w' uid: '9' " OWNER(
         "Job", "t", "j-t") " } } " JOB("t", ""),
     {}},
    {"WorkloadOfAnotherJob",
     "kueue_workload { metadata { namespace: 'ml' name: 'w' uid: '9' " OWNER(
         "Job", "x", "j-x") " } } " JOB("t", ""),
     {"Job ml/t", "Job ml/x"},
     true},
    {"JobSetBesideAnother",
     "job_set { metadata { namespace: 'ml' name: 's' uid: '1' } } " JOB(
         "z", OWNER("JobSet", "other", "2")),
     {"JobSet ml/other", "JobSet ml/s"},
     true},
    {"TrainingJobByLabel",
     "kubeflow_job { kind: 'PyTorchJob' metadata { namespace: 'ml' name: 'p' "
     "uid: '1' } } " POD("a", OWNER("PyTorchJob", "p", "1"))
         POD("b", LABEL("training.kubeflow.org/job-name", "p")),
     {}},
    {"NamedByUid",
     "workload { uid: 'j-x' } " POD("a", OWNER("Job", "t", "j-t"))
         POD("b", OWNER("Job", "x", "j-x")),
     {"Job ml/t"}},
    {"NamedByKindAndName",
     "workload { kind: 'Job' name: 't' } " JOB("t", "") JOB("x", ""),
     {"Job ml/x"}},
    {"NamedIsTheGrandparent",
     "workload { kind: 'JobSet' name: 's' } " POD(
         "a",
         OWNER("Job", "s-0", "1") LABEL("jobset.sigs.k8s.io/jobset-name", "s"))
         POD("b", OWNER("Job", "z", "2")),
     {"Job ml/z"}},
    {"NamedIsNone",
     "workload { kind: 'Job' name: 'nobody' } " JOB("t", "") JOB("x", ""),
     {"Job ml/t", "Job ml/x"},
     true},
    {"NamedIsAboveTheOnlyOne",
     "workload { kind: 'Pipeline' name: 'p' uid: '5' } " POD(
         "a", OWNER("Job", "t", "j-t")),
     {}},
    {"OwnersInACircle",
     POD("a", OWNER("Pod", "b", "u-b")) POD("b", OWNER("Pod", "a", "u-a")),
     {}},
};

INSTANTIATE_TEST_SUITE_P(Owners, OwnershipTest, ::testing::ValuesIn(kRows),
                         [](const auto& row) { return row.param.name; });

TEST(Foreign, IsLeftOutAndPathsStayThoseOfTheWholeReport) {
  auto report = Parse<v1::FailureReport>(
      "workload { kind: 'Job' name: 'x' } " POD(
          "a", OWNER("Job", "t", "j-t")) POD("b", OWNER("Job", "x", "j-x"))
          "events { involved_object { kind: 'Pod' name: 'a' } } events { "
          "involved_object { kind: 'Pod' name: 'b' } }");
  const Foreign foreign = FindForeign(report);
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

}  // namespace
}  // namespace mulligan
