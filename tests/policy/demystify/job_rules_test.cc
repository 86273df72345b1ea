// What a Job's podFailurePolicy decides about exit code 7 of its pod before its
// controller has written anything.
#include <string>

#include "absl/strings/str_cat.h"
#include "gtest/gtest.h"
#include "tests/policy/demystify/diagnose.h"

namespace mulligan::demystify {
namespace {

struct OwnersRuleCase {
  const char* name;
  const char* rules;
  v1::Cause cause;
  // Of the pod, in addition to its phase.
  const char* status = "";
};

constexpr char kFailJob[] =
    "rules { action: 'FailJob' on_exit_codes { operator: 'In' values: 7 } }";

constexpr OwnersRuleCase kRules[] = {
    {"GivesUpTheJob", kFailJob, v1::DECLARED_FATAL},
    {"GivesUpTheIndex",
     "rules { action: 'FailIndex' on_exit_codes { operator: 'NotIn' values: 8 "
     "} }",
     v1::DECLARED_FATAL},
    {"DoesNotCount",
     "rules { action: 'Ignore' on_exit_codes { operator: 'In' values: 7 } }",
     v1::DECLARED_RETRYABLE},
    {"Counts",
     "rules { action: 'Count' on_exit_codes { operator: 'In' values: 7 } }",
     v1::APP_ERROR},
    {"TheFirstThatMatchesDecides",
     "rules { action: 'Count' on_exit_codes { operator: 'In' values: 7 } } "
     "rules { action: 'FailJob' on_exit_codes { operator: 'In' values: 7 } }",
     v1::APP_ERROR},
    {"OfAnotherCode",
     "rules { action: 'FailJob' on_exit_codes { operator: 'In' values: 8 } }",
     v1::APP_ERROR},
    {"OfAnotherContainer",
     "rules { action: 'FailJob' on_exit_codes { container_name: 'log' "
     "operator: 'In' values: 7 } }",
     v1::APP_ERROR},
    {"OfAnUnknownAction",
     "rules { action: 'Pause' on_exit_codes { operator: 'In' values: 7 } }",
     v1::APP_ERROR},
    // No API server admits 21 rules, and reading them costs time for each pod.
    {"OfMoreRulesThanAreAdmitted",
     "rules {} rules {} rules {} rules {} rules {} rules {} rules {} rules {} "
     "rules {} rules {} rules {} rules {} rules {} rules {} rules {} rules {} "
     "rules {} rules {} rules {} rules {} "
     "rules { action: 'FailJob' on_exit_codes { operator: 'In' values: 7 } }",
     v1::APP_ERROR},
    {"TheReasonOfTheRemovalSaysMore", kFailJob, v1::PREEMPTED_SCHEDULER,
     "conditions { type: 'DisruptionTarget' status: 'True' reason: "
     "'PreemptionByScheduler' }"},
};

class JobRule : public ::testing::TestWithParam<OwnersRuleCase> {};

TEST_P(JobRule, IsReadInTheSpec) {
  const v1::FailureReport report = Report(absl::StrCat(
      "jobs { metadata { name: 'j' uid: 'j-1' } spec { pod_failure_policy { ",
      GetParam().rules,
      " } } } pods { metadata { name: 'p' owner_references { kind: 'Job' name: "
      "'j' uid: 'j-1' controller: true } } status { phase: 'Failed' ",
      GetParam().status,
      " container_statuses { name: 'main' state { terminated { exit_code: 7 "
      "reason: 'Error' } } } } }"));
  EXPECT_EQ(v1::Cause_Name(Diagnose(report).cause()),
            v1::Cause_Name(GetParam().cause));

  v1::FailureReport of_another = report;
  of_another.mutable_jobs(0)->mutable_metadata()->set_uid("j-2");
  EXPECT_NE(Diagnose(of_another).cause(), v1::DECLARED_FATAL);
  v1::FailureReport running = report;
  running.mutable_pods(0)->mutable_status()->set_phase("Running");
  EXPECT_NE(Diagnose(running).cause(), v1::DECLARED_FATAL);
}

INSTANTIATE_TEST_SUITE_P(, JobRule, ::testing::ValuesIn(kRules),
                         [](const auto& test) { return test.param.name; });

}  // namespace
}  // namespace mulligan::demystify
