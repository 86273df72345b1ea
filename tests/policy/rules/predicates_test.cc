#include "policy/rules/predicates.h"

#include <optional>
#include <string>

#include "gmock/gmock.h"
#include "gtest/gtest.h"
#include "policy/rules/compile_when.h"
#include "re2/re2.h"
#include "tests/policy/failures.h"
#include "tests/policy/fixtures.h"

namespace mulligan {
namespace {

using ::testing::HasSubstr;
using testing::Parse;
using ::testing::StartsWith;

// A pod with a condition and two containers, the sidecar killed; an event.
constexpr char kReport[] = R"pb(
  pods {
    metadata { name: "p" }
    status {
      phase: "Failed"
      reason: "Evicted"
      message: "low on resource: memory"
      conditions { type: "DisruptionTarget" status: "True" reason: "Drain" }
      conditions {
        type: "PodScheduled"
        status: "False"
        reason: "Unschedulable"
      }
      init_container_statuses {
        name: "setup"
        state { terminated { exit_code: 0 reason: "Completed" } }
      }
      container_statuses {
        name: "main"
        state { waiting { reason: "CrashLoopBackOff" message: "back-off" } }
        last_state {
          terminated { exit_code: 42 reason: "Error" message: "NCCL error" }
        }
      }
      container_statuses {
        name: "sidecar"
        state { terminated { exit_code: 143 reason: "Error" } }
      }
    }
  }
  events { message: "Killing container with XID 79" }
  creation_error { http_code: 409 reason: "AlreadyExists" message: "exists" }
  ray_job { status { reason: "AppFailed" message: "ray says no" } }
)pb";

constexpr char kDiagnosis[] = R"pb(
  cause: APP_ERROR
  fault_domain: APPLICATION
  confidence: MEDIUM
  outlook: MAY_RECOVER
  culprit { pod: "p" container: "main" }
  exit_code: 42
)pb";

struct PredicatesRow {
  const char* name;
  const char* when;
  bool matches;
};

class MatchesTest : public ::testing::TestWithParam<PredicatesRow> {
 protected:
  MatchesTest() {
    workload_.set_kind("RayJob");
    workload_.set_interruptible(true);
    (*workload_.mutable_labels())["team"] = "ml";
  }

  Facts facts() {
    owners_.emplace(report_);
    failure_ = testing::FailureIn(diagnosis_);
    return {*owners_,       failure_, workload_, v1::APP_ERROR,
            v1::CRASH_LOOP, 3,        stake_,    patterns_};
  }

  Predicates Compile(const char* when) {
    Issues issues;
    const SourceMap positions("");
    IssueReporter reporter(positions, issues);
    Predicates compiled =
        CompileWhen(Parse<v1::When>(when), "when", patterns_, reporter);
    EXPECT_FALSE(HasErrors(issues));
    return compiled;
  }

  v1::FailureReport report_ = Parse<v1::FailureReport>(kReport);
  std::optional<Owners> owners_;
  Failure failure_;
  v1::Diagnosis diagnosis_ = Parse<v1::Diagnosis>(kDiagnosis);
  v1::WorkloadReference workload_;
  v1::Stake stake_ = Parse<v1::Stake>(R"pb(
    ran { seconds: 90 }
    accelerators: 8
    hours: 0.2
    alike: 2
    passed: 1
    others_failed_again: 3
  )pb");
  PatternAllowance patterns_;
};

TEST_P(MatchesTest, AndSaysWhyNot) {
  const Predicates predicates = Compile(GetParam().when);
  EXPECT_EQ(Matches(predicates, facts()), GetParam().matches);
  EXPECT_EQ(FailedPredicate(predicates, facts()).empty(), GetParam().matches);
}

const PredicatesRow kPredicatesRows[] = {
    {"Cause", "causes: APP_ERROR", true},
    {"OtherCause", "causes: HANG", false},
    {"Domain", "fault_domains: APPLICATION", true},
    {"OtherDomain", "fault_domains: DISRUPTION", false},
    {"CauseOutsideDomain", "causes: APP_ERROR fault_domains: DISRUPTION",
     false},
    {"Outlook", "outlooks: [MAY_RECOVER, CANNOT_RECOVER]", true},
    {"OtherOutlook", "outlooks: RECOVERS", false},
    {"Derived", "derived_causes: CRASH_LOOP", true},
    {"OtherDerived", "derived_causes: BAD_NODE", false},
    {"EnoughConfidence", "min_confidence: MEDIUM", true},
    {"TooLittleConfidence", "min_confidence: HIGH", false},
    {"AttemptInRange", "attempts { from: 3 to: 3 }", true},
    {"AttemptBefore", "attempts { from: 4 }", false},
    {"AttemptAfter", "attempts { to: 2 }", false},
    {"RanFor", "ran { from { seconds: 90 } to { seconds: 90 } }", true},
    {"RanLonger", "ran { to { seconds: 60 } }", false},
    {"RanShorter", "ran { from { seconds: 91 } }", false},
    {"Accelerators", "accelerators { from: 8 }", true},
    {"FewerAccelerators", "accelerators { from: 9 }", false},
    {"HoursAtStake", "hours_at_stake { from: 0.1 to: 0.2 }", true},
    {"MoreHoursAtStake", "hours_at_stake { to: 0.1 }", false},
    {"Alike", "alike { from: 2 }", true},
    {"LessAlike", "alike { from: 3 }", false},
    {"PassedOneInFour", "passed { from: 0.25 to: 0.25 }", true},
    {"PassedMoreOften", "passed { to: 0.2 }", false},
    {"Spot", "interruptible: true", true},
    {"NotSpot", "interruptible: false", false},
    {"Kind", "kinds: 'Job' kinds: 'RayJob'", true},
    {"OtherKind", "kinds: 'Job'", false},
    {"Culprit", "containers: 'main'", true},
    {"NotCulprit", "containers: 'sidecar'", false},
    {"Label", "match_labels { key: 'team' value: 'ml' }", true},
    {"LabelValue", "match_labels { key: 'team' value: 'x' }", false},
    {"LabelKey", "match_labels { key: 'x' value: 'ml' }", false},
    {"HttpCode", "http_codes: 409", true},
    {"OtherHttpCode", "http_codes: 429", false},
    {"ExitCodeOfCulprit", "exit_codes { operator: 'In' values: 42 }", true},
    {"ExitCodeOfOther", "exit_codes { operator: 'In' values: 143 }", false},
    {"ExitCodeOfNamed",
     "exit_codes { operator: 'In' values: 143 container_name: 'sidecar' }",
     true},
    {"ExitCodeOfLastState",
     "exit_codes { operator: 'In' values: 42 container_name: 'main' }", true},
    {"NotIn", "exit_codes { operator: 'NotIn' values: 1 }", true},
    {"NotInIsIn", "exit_codes { operator: 'NotIn' values: 42 }", false},
    {"NotInNeverMatchesZero",
     "exit_codes { operator: 'NotIn' values: 1 container_name: 'setup' }",
     false},
    {"NotInOfAbsentContainer",
     "exit_codes { operator: 'NotIn' values: 1 container_name: 'x' }", false},
    {"PodReason", "reasons: 'Evicted'", true},
    {"LastStateReason", "reasons: 'Error'", true},
    {"WaitingReason", "reasons: 'CrashLoopBackOff'", true},
    {"ConditionReason", "reasons: 'Unschedulable'", true},
    {"CreationReason", "reasons: 'AlreadyExists'", true},
    {"OperatorReason", "reasons: 'AppFailed'", true},
    {"OtherReason", "reasons: 'OOMKilled'", false},
    {"ReasonIsExact", "reasons: 'Evict'", false},
    {"TerminationMessage", "message_pattern: 'NCCL'", true},
    {"PodMessage", "message_pattern: 'low on resource'", true},
    {"StatusMessage", "status_pattern: 'low on resource'", true},
    {"StatusIsNoTermination", "status_pattern: 'NCCL'", false},
    {"StatusIsNoEvent", "status_pattern: 'XID (79|48)'", false},
    {"EventMessage", "message_pattern: 'XID (79|48)'", true},
    {"CreationMessage", "message_pattern: '^exists$'", true},
    {"OperatorMessage", "message_pattern: 'ray says'", true},
    {"WaitingMessage", "message_pattern: '^back-off$'", true},
    {"OtherMessage", "message_pattern: 'CUDA'", false},
    {"Condition", "conditions { type: 'DisruptionTarget' }", true},
    {"ConditionWithReason",
     "conditions { type: 'DisruptionTarget' reason: 'Drain' }", true},
    {"ConditionWithOtherReason",
     "conditions { type: 'DisruptionTarget' reason: 'x' }", false},
    {"ConditionStatus", "conditions { type: 'PodScheduled' }", false},
    {"ConditionFalse", "conditions { type: 'PodScheduled' status: 'False' }",
     true},
    {"AllMustHold", "causes: APP_ERROR reasons: 'Evicted' kinds: 'Job'", false},
};

INSTANTIATE_TEST_SUITE_P(Predicates, MatchesTest,
                         ::testing::ValuesIn(kPredicatesRows),
                         [](const auto& row) { return row.param.name; });

TEST_F(MatchesTest, ExitCodeWithoutCulpritIsAnyContainers) {
  diagnosis_.Clear();
  EXPECT_TRUE(
      Matches(Compile("exit_codes { operator: 'In' values: 143 }"), facts()));
}

TEST_F(MatchesTest, ExitCodeOfABareExit) {
  report_ = Parse<v1::FailureReport>("exit { exit_code: 7 }");
  diagnosis_.Clear();
  EXPECT_TRUE(
      Matches(Compile("exit_codes { operator: 'In' values: 7 }"), facts()));
  EXPECT_FALSE(Matches(
      Compile("exit_codes { operator: 'In' values: 7 container_name: 'm' }"),
      facts()));
}

TEST_F(MatchesTest, UnknownValuesAreInNoRange) {
  stake_.Clear();
  for (const char* when :
       {"ran { to { seconds: 60 } }", "hours_at_stake { from: 0 }",
        "passed { from: 0 }"}) {
    EXPECT_FALSE(Matches(Compile(when), facts())) << when;
    EXPECT_THAT(FailedPredicate(Compile(when), facts()),
                ::testing::HasSubstr("unknown is not "));
  }
  EXPECT_TRUE(Matches(Compile("accelerators { to: 0 }"), facts()));
}

TEST_F(MatchesTest, UnknownSpotStateMatchesNeither) {
  workload_.clear_interruptible();
  EXPECT_FALSE(Matches(Compile("interruptible: true"), facts()));
  EXPECT_FALSE(Matches(Compile("interruptible: false"), facts()));
}

// An object reports it, it was not the caller's call, and it is not final.
TEST_F(MatchesTest, OperatorsRepeatFailedCreations) {
  const Predicates repeated = Compile("repeated_by_operator: true");
  EXPECT_FALSE(Matches(repeated, facts()));
  EXPECT_TRUE(Matches(Compile("repeated_by_operator: false"), facts()));
  diagnosis_.mutable_culprit()->clear_pod();
  diagnosis_.mutable_culprit()->set_kind("RayJob");
  EXPECT_FALSE(Matches(repeated, facts()));
  report_.clear_creation_error();
  EXPECT_TRUE(Matches(repeated, facts()));
  EXPECT_FALSE(Matches(Compile("repeated_by_operator: false"), facts()));
  report_.mutable_ray_job()->mutable_status()->set_job_deployment_status(
      "Failed");
  EXPECT_FALSE(Matches(repeated, facts()));
}

TEST_F(MatchesTest, MessagesMayBeAnyBytes) {
  report_.mutable_pods(0)->mutable_status()->set_message("\xff\xfe oops");
  EXPECT_TRUE(Matches(Compile("message_pattern: 'oops'"), facts()));
}

TEST_F(MatchesTest, FailedPredicateNamesValueAndExpectation) {
  EXPECT_EQ(FailedPredicate(Compile("causes: [CONTAINER_OOM, HANG]"), facts()),
            "causes: APP_ERROR is not one of [CONTAINER_OOM, HANG]");
  EXPECT_EQ(
      FailedPredicate(Compile("exit_codes { operator: 'NotIn' values: 42 }"),
                      facts()),
      "exitCodes: 42 is not outside [42]");
  EXPECT_EQ(FailedPredicate(Compile("attempts { from: 5 }"), facts()),
            "attempts: 3 is not 5 or more");
}

}  // namespace
}  // namespace mulligan
