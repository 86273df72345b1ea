#include "policy/words/sentence.h"

#include <string>

#include "gtest/gtest.h"
#include "tests/policy/fixtures.h"

namespace mulligan {
namespace {

using testing::Parse;

struct SentenceRow {
  const char* name;
  const char* decision;
  const char* record;
  const char* sentence;
};

class SentenceTest : public ::testing::TestWithParam<SentenceRow> {};

TEST_P(SentenceTest, SaysCauseVerdictAndPrice) {
  v1::Diagnosis diagnosis;
  diagnosis.set_summary("It broke.");
  EXPECT_EQ(SentenceOf(diagnosis, Parse<v1::Decision>(GetParam().decision),
                       Parse<v1::AttemptRecord>(GetParam().record)),
            std::string("It broke: ") + GetParam().sentence);
}

const SentenceRow kSentenceRows[] = {
    {"Retry",
     "action: RETRY scope: POD retry_after { seconds: 12 } resources { "
     "resource: 'memory' factor: 1.5 }",
     "charged_to: 'memory' used: 1 bound: 2",
     "retry the pod in 12s with memory x1.5; charged to memory (1 of 2 used)."},
    {"RetryAtOnceElsewhere",
     "action: RETRY scope: CLUSTER queue: REQUEUE placement { on_demand: true "
     "avoid_nodes { node: 'n' } }",
     "charged_to: 'x' used: 5 bound: 50",
     "retry the cluster at once on on-demand capacity away from n through the "
     "queue; charged to x (5 of 50 used)."},
    {"Milliseconds",
     "action: RETRY scope: INDEX retry_after { nanos: 250000000 }", "",
     "retry the index in less than a second."},
    {"Minutes", "action: RETRY scope: JOB retry_after { seconds: 90 }", "",
     "retry the Job in 1m30s."},
    {"Hours", "action: RETRY scope: JOB_SET retry_after { seconds: 7500 }", "",
     "retry the JobSet in 2h5m."},
    {"Fail", "action: FAIL scope: JOB", "", "fail the Job."},
    {"RuleAboutHistory", "action: FAIL scope: JOB",
     "derived_cause: DETERMINISTIC decision { action: FAIL }",
     "fail the Job; the same failure keeps coming back."},
    {"Exhausted", "action: FAIL scope: POD",
     "refused_by: BUDGET refusing_budget: 'memory' used: 2 bound: 2",
     "fail the pod; budget memory is used up (2 of 2)."},
    {"MaxAttempts", "action: FAIL scope: WORKLOAD",
     "refused_by: MAX_ATTEMPTS used: 60 bound: 60",
     "fail the workload; the attempts are used up (60 of 60)."},
    {"KillSwitch", "action: FAIL scope: POD", "refused_by: KILL_SWITCH",
     "fail the pod; retries are switched off."},
    {"Wait", "action: WAIT scope: POD retry_after { seconds: 60 }", "",
     "wait, and ask again in 1m."},
    {"Spec", "action: WAIT_FOR_SPEC_UPDATE scope: JOB", "",
     "wait for a changed spec of the Job."},
    {"Ignore", "action: IGNORE", "", "nothing to do."},
};

INSTANTIATE_TEST_SUITE_P(Sentence, SentenceTest,
                         ::testing::ValuesIn(kSentenceRows),
                         [](const auto& row) { return row.param.name; });

TEST(SentenceTest, NamesTheCauseWhenThereIsNoSummary) {
  EXPECT_EQ(SentenceOf({}, Parse<v1::Decision>("action: IGNORE"),
                       Parse<v1::AttemptRecord>("cause: HANG")),
            "HANG: nothing to do.");
}

}  // namespace
}  // namespace mulligan
