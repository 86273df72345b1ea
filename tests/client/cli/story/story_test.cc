#include "client/cli/story/story.h"

#include <string>
#include <vector>

#include "client/cli/input/report_builder.h"
#include "client/cli/story/wording.h"
#include "gmock/gmock.h"
#include "google/protobuf/text_format.h"
#include "gtest/gtest.h"
#include "policy/request/workload.h"
#include "policy/words/advice.h"
#include "tests/policy/failures.h"
#include "tests/testing/status_matchers.h"

namespace mulligan::cli {
namespace {

using ::mulligan::testing::IsOkAndHolds;
using ::mulligan::testing::StatusIs;
using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::IsEmpty;

template <typename Message>
Message Parse(const std::string& text) {
  Message message;
  EXPECT_TRUE(google::protobuf::TextFormat::ParseFromString(text, &message));
  return message;
}

struct StoryRow {
  const char* name;
  // Objects as JSON, and the answer about them.
  const char* objects;
  const char* response;
  const char* headline;
  const char* first_step;
};

class FirstStepTest : public ::testing::TestWithParam<StoryRow> {};

TEST_P(FirstStepTest, HasNamesAndNumbers) {
  ReportBuilder builder;
  ASSERT_OK(builder.Add("in", GetParam().objects));
  ASSERT_OK_AND_ASSIGN(const v1::DecideRequest request, builder.Build());
  auto response = Parse<v1::DecideResponse>(GetParam().response);
  response.mutable_diagnosis()->set_situation(v1::Diagnosis::BROKEN);
  words::Advice advice = words::Advise(
      {.owners = Owners(request.report()),
       .workload = WorkloadOf(request.report()),
       .failure = testing::FailureIn(response.diagnosis(), request.report()),
       .diagnosis = response.diagnosis(),
       .decision = response.decision(),
       .ledger = response.ledger(),
       .failure_id = response.failure_id()});
  response.mutable_diagnosis()->set_problem(advice.problem);
  *response.mutable_diagnosis()->mutable_first_step() = advice.first_step;
  const Story story = MakeStory(request, response, "");
  EXPECT_EQ(story.headline, GetParam().headline);
  EXPECT_EQ(story.first_step, GetParam().first_step);
}

constexpr char kOom[] = R"({"kind":"Pod","metadata":{"name":"a",
  "namespace":"ml"},"spec":{"containers":[{"name":"main","image":"i:1",
  "resources":{"limits":{"memory":"4Gi"}}}]},"status":{"phase":"Failed"}})";

constexpr char kTemplate[] = R"({"kind":"Pod","metadata":{"name":"a"},
  "spec":{"containers":[{"name":"main",
  "resources":{"limits":{"memory":"6Gi"}}}]},"status":{}}
  {"kind":"Job","metadata":{"name":"j"},"spec":{"template":{"spec":{
  "containers":[{"name":"main","resources":{"limits":{"memory":"4Gi"}}}]}}}})";

// A webhook tripled the limit of the template.
constexpr char kRaisedByOthers[] = R"({"kind":"Pod","metadata":{"name":"a"},
  "spec":{"containers":[{"name":"main",
  "resources":{"limits":{"memory":"12Gi"}}}]},"status":{}}
  {"kind":"Job","metadata":{"name":"j"},"spec":{"template":{"spec":{
  "containers":[{"name":"main","resources":{"limits":{"memory":"4Gi"}}}]}}}})";

constexpr char kWaiting[] = R"({"kind":"Pod","metadata":{"name":"a",
  "namespace":"ml"},"spec":{"containers":[{"name":"main",
  "image":"ghcr.io/acme/train:v2"}]},"status":{"phase":"Pending",
  "containerStatuses":[{"name":"main","state":{"waiting":{
  "reason":"CreateContainerConfigError",
  "message":"secret \"pg\" not found"}}}]}})";

constexpr char kSpark[] = R"({"kind":"Pod","metadata":{"name":"d"},
  "spec":{"containers":[{"name":"spark-kubernetes-driver",
  "resources":{"limits":{"memory":"3Gi"}}}]},"status":{}}
  {"kind":"Pod","metadata":{"name":"e"},
  "spec":{"containers":[{"name":"spark-kubernetes-executor",
  "resources":{"limits":{"memory":"9Gi"}}}]},"status":{}})";

constexpr char kIndexed[] = R"({"kind":"Job","metadata":{"name":"j"},
  "spec":{"completionMode":"Indexed"},"status":{"failedIndexes":"1,3-5"}})";

const StoryRow kStoryRows[] = {
    {"SparkDriver", kSpark,
     "diagnosis { cause: CONTAINER_OOM culprit { pod: 'd' container: "
     "'spark-kubernetes-driver' } summary: 'x' }",
     "x (memory limit 3Gi)",
     "raise spark.driver.memory, or spark.driver.memoryOverhead where it is "
     "not the heap: together they are 3Gi"},
    {"SparkExecutor", kSpark,
     "diagnosis { cause: CONTAINER_OOM culprit { pod: 'e' container: "
     "'spark-kubernetes-executor' } summary: 'x' }",
     "x (memory limit 9Gi)",
     "raise spark.executor.memory, or spark.executor.memoryOverhead where it "
     "is not the heap: together they are 9Gi"},
    // The limit is not that of the pod that reports it.
    {"SparkExecutorsReportedByTheDriver", kSpark,
     "diagnosis { cause: CONTAINER_OOM culprit { pod: 'd' container: "
     "'spark-kubernetes-driver' } summary: 'x' evidence { weight: MESSAGE "
     "value: 'The executor with id 4 exited with exit code 137' } }",
     "x",
     "raise spark.executor.memory, or spark.executor.memoryOverhead where it "
     "is not the heap"},
    {"FailedIndexes", kIndexed,
     "diagnosis { cause: DECLARED_FATAL summary: 'Job j: too many indexes "
     "failed.' }",
     "Job j: too many indexes failed; failed indexes: 1,3-5",
     "read why the program gave up; kubectl logs of the failed pod"},
    {"Grown", kOom,
     "decision { resources { resource: 'memory' factor: 1.5 } } diagnosis { "
     "cause: CONTAINER_OOM culprit { pod: 'a' container: 'main' } summary: "
     "'Pod a, container main: killed at its memory limit (exit code 137).' }",
     "Pod a, container main: killed at its memory limit of 4Gi (exit code "
     "137)",
     "raise the memory limit of container main from 4Gi to 6Gi"},
    {"GrownBefore", kTemplate,
     "decision { resources { resource: 'memory' factor: 2.25 } } diagnosis { "
     "cause: CONTAINER_OOM culprit { pod: 'a' container: 'main' } summary: "
     "'Out of memory.' } failure_id: 'b' ledger { history { failure_id: 'a' "
     "decision { resources { resource: 'memory' factor: 1.5 } } } }",
     "Out of memory (memory limit 6Gi)",
     "raise the memory limit of container main from 6Gi to 9Gi"},
    {"GrownFromUnknown", kOom,
     "decision { resources { resource: 'memory' factor: 2.25 } } diagnosis { "
     "cause: CONTAINER_OOM culprit { pod: 'a' container: 'main' } summary: "
     "'x' } failure_id: 'b' ledger { history { failure_id: 'a' decision { "
     "resources { resource: 'memory' factor: 1.5 } } } }",
     "x (memory limit 4Gi)",
     "raise the memory limit of container main to 2.25 times that of the "
     "first attempt"},
    {"NeverLowered", kRaisedByOthers,
     "decision { resources { resource: 'memory' factor: 1.5 } } diagnosis { "
     "cause: CONTAINER_OOM culprit { pod: 'a' container: 'main' } summary: "
     "'x' }",
     "x (memory limit 12Gi)",
     "raise the memory limit of container main from 12Gi to 18Gi"},
    {"LessThanItHas", kRaisedByOthers,
     "decision { resources { resource: 'memory' factor: 2.25 } } diagnosis { "
     "cause: CONTAINER_OOM culprit { pod: 'a' container: 'main' } summary: "
     "'x' } failure_id: 'b' ledger { history { failure_id: 'a' decision { "
     "resources { resource: 'memory' factor: 1.5 } } } }",
     "x (memory limit 12Gi)",
     "raise the memory limit of container main above 12Gi"},
    {"NoMoreGrowth", kOom,
     "decision { action: FAIL } diagnosis { cause: CONTAINER_OOM culprit { "
     "pod: 'a' container: 'main' } summary: 'x' }",
     "x (memory limit 4Gi)",
     "raise the memory limit of container main above 4Gi"},
    {"MissingSecret", kWaiting,
     "diagnosis { cause: CONFIG_MISSING culprit { pod: 'a' container: 'main' "
     "} summary: 'Pod a, container main: something is missing.' }",
     "Pod a, container main: secret pg does not exist",
     "create secret pg in namespace ml, or correct its name in the pod's "
     "spec"},
    {"ImageTag", kWaiting,
     "diagnosis { cause: IMAGE_INVALID culprit { pod: 'a' container: 'main' } "
     "summary: 'Pod a, container main: bad image.' evidence { value: "
     "'manifest unknown' } }",
     "Pod a, container main: image ghcr.io/acme/train:v2: no such tag",
     "push image ghcr.io/acme/train:v2, or correct its tag"},
    {"Log", kOom,
     "diagnosis { cause: APP_ERROR culprit { pod: 'a' container: 'main' } "
     "summary: 'Pod a: it failed.' }",
     "Pod a: it failed",
     "read the end of the log: kubectl logs -n ml a -c main"},
    {"BadNode", kOom,
     "diagnosis { cause: GPU_FAULT derived_cause: BAD_NODE derived_reason: "
     "'3 of 4 on n1' culprit { pod: 'a' node: 'n1' } summary: 'x' }",
     "x", "take node n1 out until it is repaired: 3 of 4 on n1"},
    {"Incident", kOom,
     "diagnosis { cause: IMAGE_PULL_TRANSIENT derived_cause: INCIDENT "
     "derived_reason: '9 workloads in 5m' culprit { pod: 'a' } summary: 'x' }",
     "x", "look at what the failing workloads share: 9 workloads in 5m"},
};

INSTANTIATE_TEST_SUITE_P(Rows, FirstStepTest, ::testing::ValuesIn(kStoryRows),
                         [](const auto& row) { return row.param.name; });

constexpr char kTwoAttempts[] = R"pb(
  diagnosis { situation: BROKEN }
  decision { action: FAIL scope: JOB }
  accounting { exhaustion { limit: BUDGET budget: "memory" used: 3 bound: 3 } }
  failure_id: "b"
  ledger {
    history_dropped: 2
    history {
      failure_id: "a"
      attempt: 3
      cause: CONTAINER_OOM
      charged_to: "memory"
      used: 3
      bound: 3
      finished_at { seconds: 1000 }
      ran_for { seconds: 60 }
      decision { action: RETRY scope: POD }
    }
    history {
      failure_id: "b"
      attempt: 4
      cause: CONTAINER_OOM
      refused_by: BUDGET
      refusing_budget: "memory"
      used: 3
      bound: 3
      observed_at { seconds: 2000 }
      decision { action: FAIL scope: JOB }
    }
  })pb";

TEST(StoryTest, ListsAttemptsAndWhoPaid) {
  v1::DecideRequest request;
  request.mutable_ledger()->add_history()->set_failure_id("a");
  const Story story =
      MakeStory(request, Parse<v1::DecideResponse>(kTwoAttempts), "");
  ASSERT_EQ(story.attempts.size(), 2U);
  EXPECT_EQ(story.attempts[0].paid_by, "memory 3/3");
  EXPECT_EQ(story.attempts[0].done, "retry the pod at once");
  EXPECT_FALSE(story.attempts[0].is_current);
  EXPECT_EQ(story.attempts[1].paid_by, "nothing");
  EXPECT_EQ(story.attempts[1].done, "fail the Job: memory is used up (3 of 3)");
  EXPECT_TRUE(story.attempts[1].is_current);
  EXPECT_TRUE(story.attempts[1].observed);
  EXPECT_EQ(story.dropped, 2);
  ASSERT_EQ(story.sides.size(), 1U);
  EXPECT_EQ(story.sides[0].Price(), "memory 3 of 3 used");
}

TEST(StoryTest, MarksAttemptsWithoutADecision) {
  const Story story =
      MakeStory({}, Parse<v1::DecideResponse>(kTwoAttempts), "");
  ASSERT_EQ(story.attempts.size(), 2U);
  EXPECT_EQ(story.attempts[0].paid_by, "memory 3/3");
  EXPECT_EQ(story.attempts[0].done, "no decision requested");
  EXPECT_EQ(story.attempts[1].done, "fail the Job: memory is used up (3 of 3)");
}

TEST(StoryTest, MarksRepeatedReports) {
  const Story story = MakeStory({}, Parse<v1::DecideResponse>(R"pb(
                                  diagnosis {
                                    situation: BROKEN
                                    finished_at { seconds: 1000 }
                                  }
                                  decision { action: RETRY scope: POD }
                                  accounting {
                                    duplicate: true
                                    budgets { name: "memory" used: 1 limit: 3 }
                                  }
                                  failure_id: "told otherwise"
                                  ledger {
                                    history {
                                      failure_id: "a"
                                      charged_to: "memory"
                                      finished_at { seconds: 1000 }
                                    }
                                  })pb"),
                                "");
  EXPECT_TRUE(story.attempts[0].is_current);
  EXPECT_EQ(story.sides[0].verdict, "RETRY the pod, as decided before");
  EXPECT_EQ(story.sides[0].Price(), "memory 1 of 3 used");
}

TEST(StoryTest, ShowsTheOperatorsVerdict) {
  const Story story = MakeStory({}, Parse<v1::DecideResponse>(R"pb(
                                  native {
                                    operator: "Job"
                                    action: FAIL
                                    scope: JOB
                                    charged_to: "backoffLimit"
                                    used: 3
                                    limit: 2
                                    verdict: "Failed"
                                    reason: "BackoffLimitExceeded"
                                  })pb"),
                                "");
  ASSERT_EQ(story.sides.size(), 2U);
  EXPECT_EQ(story.sides[1].who, "Job");
  EXPECT_EQ(story.sides[1].verdict, "FAIL the Job");
  EXPECT_EQ(story.sides[1].Price(), "backoffLimit of 2 exceeded (3)");
  EXPECT_EQ(story.sides[1].message, "Failed, BackoffLimitExceeded");
}

TEST(StoryTest, DeadlineHasNoCount) {
  const Story story = MakeStory({}, Parse<v1::DecideResponse>(R"pb(
                                  native {
                                    operator: "TrainJob"
                                    action: FAIL
                                    charged_to: "activeDeadlineSeconds"
                                  })pb"),
                                "");
  ASSERT_EQ(story.sides.size(), 2U);
  EXPECT_EQ(story.sides[1].Price(), "activeDeadlineSeconds exceeded");
}

constexpr char kLedger[] = R"({"attemptsSeen":2})";

v1::DecideRequest Request(const std::string& pod, const std::string& job) {
  v1::DecideRequest request;
  v1::FailureReport& report = *request.mutable_report();
  auto& pod_meta = *report.add_pods()->mutable_metadata();
  pod_meta.set_name("p");
  if (!pod.empty()) {
    (*pod_meta.mutable_annotations())[kLedgerAnnotation] = pod;
  }
  auto& job_meta = *report.add_jobs()->mutable_metadata();
  job_meta.set_name("j");
  job_meta.set_namespace_("ml");
  job_meta.set_uid("u");
  if (!job.empty()) {
    (*job_meta.mutable_annotations())[kLedgerAnnotation] = job;
  }
  return request;
}

TEST(TakeAnnotatedLedgerTest, PrefersOwners) {
  std::vector<std::string> warnings;
  v1::DecideRequest both = Request(R"({"attemptsSeen":9})", kLedger);
  EXPECT_EQ(TakeAnnotatedLedger(both, warnings), "Job ml/j");
  EXPECT_EQ(both.ledger().attempts_seen(), 2);
  v1::DecideRequest pod = Request(kLedger, "");
  EXPECT_EQ(TakeAnnotatedLedger(pod, warnings), "Pod p");
  EXPECT_EQ(pod.ledger().attempts_seen(), 2);
  v1::DecideRequest none = Request("", "");
  EXPECT_EQ(TakeAnnotatedLedger(none, warnings), "");
  EXPECT_FALSE(none.has_ledger());
  EXPECT_THAT(warnings, IsEmpty());
}

TEST(TakeAnnotatedLedgerTest, KeepsAGivenLedger) {
  std::vector<std::string> warnings;
  v1::DecideRequest request = Request("", "broken");
  request.mutable_ledger();
  EXPECT_EQ(TakeAnnotatedLedger(request, warnings), "");
}

TEST(TakeAnnotatedLedgerTest, IgnoresACopiedAnnotation) {
  std::vector<std::string> warnings;
  v1::DecideRequest request =
      Request("", R"({"workloadUid":"other","attemptsSeen":2})");
  EXPECT_EQ(TakeAnnotatedLedger(request, warnings), "");
  EXPECT_FALSE(request.has_ledger());
  EXPECT_THAT(warnings, ElementsAre(HasSubstr("UID other")));
}

TEST(TakeAnnotatedLedgerTest, WarnsAboutInvalidLedgers) {
  for (const char* value :
       {"{", "[]", "{} {}", R"({"nosuch":1})", R"({"attemptsSeen":"x"})"}) {
    std::vector<std::string> warnings;
    v1::DecideRequest request = Request("", value);
    EXPECT_EQ(TakeAnnotatedLedger(request, warnings), "") << value;
    EXPECT_FALSE(request.has_ledger()) << value;
    EXPECT_THAT(warnings, ElementsAre(AllOf(HasSubstr("Job ml/j: annotation "
                                                      "mulligan.dev/ledger: "),
                                            HasSubstr("continued without it"))))
        << value;
  }
}

TEST(NoteLedgerTest, PrintsTheCommandThatStoresIt) {
  v1::WorkloadReference workload;
  workload.set_kind("Job");
  workload.set_namespace_("ml");
  workload.set_name("j");
  v1::BudgetLedger ledger;
  EXPECT_THAT(NoteLedger(workload, ledger, "").json, IsEmpty());
  ledger.add_history()->set_failure_id("it's");
  const LedgerNote note = NoteLedger(workload, ledger, "Job ml/j");
  EXPECT_EQ(note.json, R"({"history":[{"failureId":"it's"}]})");
  EXPECT_EQ(note.command,
            "kubectl annotate --overwrite -n ml job/j mulligan.dev/ledger="
            R"('{"history":[{"failureId":"it'\''s"}]}')");
}

std::string Ladder(const char* text) {
  return LadderText(Parse<v1::Escalation>(text));
}

std::string AtStake(const char* text) {
  return StakeText(Parse<v1::Stake>(text));
}

TEST(LadderText, PrintsTheRungAndTheNext) {
  EXPECT_EQ(Ladder(""), "");
  EXPECT_EQ(Ladder("rung: PERSON"), "a person");
  EXPECT_EQ(Ladder("rung: IN_PLACE next: ANOTHER_NODE after: 1"),
            "the same again; after one more like it another node");
  EXPECT_EQ(Ladder("rung: ON_DEMAND next: PERSON after: 7"),
            "on-demand capacity; after 7 more like it a person");
  EXPECT_EQ(Ladder("rung: MORE_RESOURCES"), "more resources");
}

TEST(StakeText, PrintsWhatIsKnown) {
  EXPECT_EQ(AtStake(""), "");
  EXPECT_EQ(AtStake("alike: 1"), "");
  EXPECT_EQ(AtStake("ran { seconds: 9 } hours: 0.0025 alike: 2"),
            "0.0025 pod hours; 2 alike in a row");
  EXPECT_EQ(AtStake("ran { seconds: 9 } hours: 4096.4 accelerators: 64 "
                    "passes: 0.215"),
            "4096 accelerator hours; expected to pass 22 times in 100");
}

}  // namespace
}  // namespace mulligan::cli
