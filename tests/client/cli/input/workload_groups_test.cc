// Objects of a namespace, split into one report per workload.
#include "client/cli/input/workload_groups.h"

#include <string>
#include <vector>

#include "absl/strings/str_join.h"
#include "client/cli/input/report_builder.h"
#include "client/cli/print/workloads.h"
#include "gmock/gmock.h"
#include "gtest/gtest.h"
#include "tests/testing/status_matchers.h"

namespace mulligan::cli {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::IsEmpty;
using ::testing::SizeIs;

// Returns texts such as "Job ml/train: 1 jobs, 2 pods, 1 events, 1 nodes".
std::vector<std::string> Describe(
    const std::vector<WorkloadReport>& workloads) {
  std::vector<std::string> texts;
  for (const WorkloadReport& workload : workloads) {
    const v1::FailureReport& report = workload.report;
    texts.push_back(absl::StrCat(
        workload.group.Label(), ": ", report.jobs_size(), " jobs, ",
        report.pods_size(), " pods, ", report.events_size(), " events, ",
        report.nodes_size(), " nodes"));
  }
  return texts;
}

constexpr char kNamespace[] = R"({"kind":"List","items":[
  {"kind":"Pod","metadata":{"name":"web-1","namespace":"ml","uid":"p1",
   "ownerReferences":[{"kind":"ReplicaSet","name":"web","uid":"rs",
   "controller":true}]},"spec":{"nodeName":"n1"}},
  {"apiVersion":"batch/v1","kind":"Job","metadata":{"name":"train",
   "namespace":"ml","uid":"j1"}},
  {"kind":"Pod","metadata":{"name":"train-a","namespace":"ml","uid":"p2",
   "ownerReferences":[{"kind":"Job","name":"train","uid":"j1",
   "controller":true}]},"spec":{"nodeName":"n2"}},
  {"kind":"Pod","metadata":{"name":"train-b","namespace":"ml","uid":"p3",
   "ownerReferences":[{"kind":"Job","name":"train","uid":"j1",
   "controller":true}]},"spec":{"nodeName":"n2"}},
  {"kind":"Pod","metadata":{"name":"alone","namespace":"ml","uid":"p4"}},
  {"kind":"Node","metadata":{"name":"n1"}},
  {"kind":"Node","metadata":{"name":"n2"}},
  {"kind":"Node","metadata":{"name":"n3"}},
  {"kind":"Event","involvedObject":{"kind":"Pod","name":"train-a"}},
  {"kind":"Event","involvedObject":{"kind":"Pod","name":"train-gone"}},
  {"kind":"Event","involvedObject":{"kind":"Node","name":"n1"}},
  {"kind":"Event","involvedObject":{"kind":"Pod","name":"elsewhere"}}
]})";

TEST(WorkloadGroups, SplitsANamespace) {
  ReportBuilder builder;
  ASSERT_OK(builder.Add("in", kNamespace));
  EXPECT_THAT(
      Describe(builder.Workloads()),
      ElementsAre("Job ml/train: 1 jobs, 2 pods, 2 events, 1 nodes",
                  "Pod ml/alone: 0 jobs, 1 pods, 0 events, 0 nodes",
                  "ReplicaSet ml/web: 0 jobs, 1 pods, 1 events, 1 nodes"));
  EXPECT_THAT(builder.warnings(),
              ElementsAre(HasSubstr("left out 1 events about objects that")));
}

TEST(WorkloadGroups, ObjectsOfOneWorkloadAreOneReport) {
  ReportBuilder builder;
  ASSERT_OK(builder.Add("in", R"({"kind":"List","items":[
      {"kind":"Pod","metadata":{"name":"a"}},
      {"kind":"Pod","metadata":{"name":"b"}},
      {"kind":"Event","involvedObject":{"kind":"Pod","name":"x"}}]})"));
  EXPECT_THAT(builder.Workloads(), IsEmpty());
}

TEST(WorkloadGroups, SplitsFilesOfSeveralWorkloads) {
  ReportBuilder builder;
  ASSERT_OK(builder.Add(
      "a", R"({"kind":"Pod","metadata":{"name":"a-x","uid":"1"}})"));
  ASSERT_OK(builder.Add("b", R"({"apiVersion":"batch/v1","kind":"Job",
                                 "metadata":{"name":"b","uid":"2"}})"));
  EXPECT_THAT(Describe(builder.Workloads()),
              ElementsAre("Job b: 1 jobs, 0 pods, 0 events, 0 nodes",
                          "Pod a-x: 0 jobs, 1 pods, 0 events, 0 nodes"));
}

TEST(WorkloadGroups, FilesOfOneWorkloadAreOneReport) {
  ReportBuilder builder;
  ASSERT_OK(
      builder.Add("a", R"({"kind":"Pod","metadata":{"name":"b-x","uid":"1",
      "ownerReferences":[{"kind":"Job","name":"b","uid":"2",
                          "controller":true}]}})"));
  ASSERT_OK(builder.Add("b", R"({"apiVersion":"batch/v1","kind":"Job",
                                 "metadata":{"name":"b","uid":"2"}})"));
  EXPECT_THAT(builder.Workloads(), IsEmpty());
}

TEST(WorkloadGroups, GroupsCustomResourcesWithTheirPods) {
  ReportBuilder builder;
  ASSERT_OK(builder.Add("in", R"({"kind":"List","items":[
      {"apiVersion":"ray.io/v1","kind":"RayJob","metadata":{"name":"r",
       "namespace":"ml","uid":"1"},"status":{"rayClusterName":"r-x"}},
      {"apiVersion":"ray.io/v1","kind":"RayJob","metadata":{"name":"s",
       "namespace":"ml","uid":"2"}},
      {"kind":"Pod","metadata":{"name":"r-x-head","namespace":"ml","uid":"3",
       "ownerReferences":[{"kind":"RayCluster","name":"r-x","uid":"4",
       "controller":true}]}}]})"));
  EXPECT_THAT(Describe(builder.Workloads()),
              ElementsAre("RayJob ml/r: 0 jobs, 1 pods, 0 events, 0 nodes",
                          "RayJob ml/s: 0 jobs, 0 pods, 0 events, 0 nodes"));
}

TEST(WorkloadGroups, MatchNamesLikeKubectl) {
  const WorkloadGroup group{"RayJob", "ml", "r", {}};
  EXPECT_TRUE(IsNamed(group, "r"));
  EXPECT_TRUE(IsNamed(group, "rayjob/r"));
  EXPECT_TRUE(IsNamed(group, "RayJob/r"));
  EXPECT_TRUE(IsNamed(group, "rayjobs/r"));
  EXPECT_TRUE(IsNamed(group, "rayjobs.ray.io/r"));
  EXPECT_FALSE(IsNamed(group, "job/r"));
  EXPECT_FALSE(IsNamed(group, "rayjob/s"));
  WorkloadGroup spaced = group;
  spaced.space = "ml";
  EXPECT_TRUE(IsNamed(spaced, "rayjob/r"));
  EXPECT_TRUE(IsNamed(spaced, "rayjob/ml/r"));
  EXPECT_TRUE(IsNamed(spaced, "RayJob ml/r"));
  EXPECT_FALSE(IsNamed(spaced, "rayjob/web/r"));
}

v1::DecideResponse GroupAnswer(v1::Decision::Action action, v1::Cause cause,
                               v1::Diagnosis::Situation situation) {
  v1::DecideResponse response;
  response.mutable_decision()->set_action(action);
  response.mutable_diagnosis()->set_cause(cause);
  response.mutable_diagnosis()->set_situation(situation);
  response.mutable_diagnosis()->set_summary("why");
  return response;
}

TEST(WorkloadTable, ShowsTheWorstFirst) {
  std::vector<WorkloadAnswer> answers;
  answers.push_back({"Job b", GroupAnswer(v1::Decision::IGNORE, v1::NOT_FAILED,
                                          v1::Diagnosis::ALIVE)});
  answers.push_back({"Job a", GroupAnswer(v1::Decision::IGNORE, v1::SUCCEEDED,
                                          v1::Diagnosis::FINISHED)});
  answers.push_back(
      {"Job e", GroupAnswer(v1::Decision::RETRY, v1::CONTAINER_OOM,
                            v1::Diagnosis::BROKEN)});
  answers.push_back({"Job c", absl::InvalidArgumentError("b\x1b[31m\nad")});
  answers.push_back({"Job d", GroupAnswer(v1::Decision::FAIL, v1::IMAGE_INVALID,
                                          v1::Diagnosis::BROKEN)});
  const WorkloadList list = ListWorkloads(answers);
  EXPECT_EQ(
      FormatWorkloads(list, /*color=*/false, "why KIND/NAME"),
      "5 workloads, 3 broken: 1 CONTAINER_OOM, 1 IMAGE_INVALID, 1 without "
      "an answer\n"
      "\n"
      "WORKLOAD  VERDICT        CAUSE          WHY\n"
      "Job c     no answer                     b\\u001b[31m ad\n"
      "Job d     FAIL           IMAGE_INVALID  why\n"
      "Job e     RETRY at once  CONTAINER_OOM  why\n"
      "Job b     nothing to do  NOT_FAILED     why\n"
      "Job a     nothing to do  SUCCEEDED      why\n"
      "\n"
      "One of them in full: why KIND/NAME\n");
  ASSERT_OK_AND_ASSIGN(const std::string json,
                       FormatWorkloadsAs(OutputFormat::kJson, list));
  EXPECT_THAT(
      json,
      HasSubstr(R"({"workload":"Job c","error":{"code":)"
                R"("INVALID_ARGUMENT","message":"b\u001b[31m\u000aad"}})"));
  EXPECT_THAT(json, HasSubstr(R"({"workload":"Job d","response":{"decision":)"
                              R"({"action":"FAIL"})"));
}

TEST(WorkloadTable, FiltersWorkloads) {
  const std::vector<WorkloadAnswer> answers = {
      {"Job a",
       GroupAnswer(v1::Decision::IGNORE, v1::NOT_FAILED, v1::Diagnosis::ALIVE)},
      {"Job b", GroupAnswer(v1::Decision::RETRY, v1::CONTAINER_OOM,
                            v1::Diagnosis::BROKEN)},
      // Its operator retries in vain.
      {"Job c", GroupAnswer(v1::Decision::FAIL, v1::CONTAINER_OOM,
                            v1::Diagnosis::ALIVE)},
      {"Job d", GroupAnswer(v1::Decision::FAIL, v1::IMAGE_INVALID,
                            v1::Diagnosis::BROKEN)},
      {"Job e", absl::InvalidArgumentError("bad")}};
  const auto listed = [&answers](const WorkloadFilter& filter) {
    const WorkloadList list = ListWorkloads(answers, filter);
    // The counts include workloads that the filter drops.
    EXPECT_EQ(list.counts,
              "5 workloads, 4 broken: 2 CONTAINER_OOM, 1 IMAGE_INVALID, 1 "
              "without an answer");
    std::vector<std::string> names;
    for (const WorkloadAnswer& answer : list.answers) {
      names.push_back(answer.workload);
    }
    return names;
  };
  EXPECT_THAT(listed({.causes = {"CONTAINER_OOM"}, .broken = false}),
              ElementsAre("Job c", "Job b"));
  EXPECT_THAT(listed({.causes = {}, .broken = true}),
              ElementsAre("Job e", "Job c", "Job d", "Job b"));
  EXPECT_THAT(listed({.causes = {"NOT_FAILED"}, .broken = true}), IsEmpty());
}

}  // namespace
}  // namespace mulligan::cli
