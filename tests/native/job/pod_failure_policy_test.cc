#include <ostream>
#include <string>

#include "gtest/gtest.h"
#include "policy/native/job/failures.h"
#include "tests/native/job/test_objects.h"

namespace mulligan::job {
namespace {

struct MatchCase {
  std::string name;
  std::string policy;
  std::string status;
  std::string action = "";
  bool counts = true;
};

void PrintTo(const MatchCase& test, std::ostream* out) { *out << test.name; }

JobSpec SpecWith(const std::string& policy) {
  return Parse<JobSpec>("pod_failure_policy { " + policy + " }");
}

// tests/oracle has what the controller does with valid policies.
class MatchTest : public ::testing::TestWithParam<MatchCase> {};

TEST_P(MatchTest, FirstMatchingRuleDecides) {
  const MatchCase& test = GetParam();
  const auto spec = SpecWith(test.policy);
  const Pod pod = Parse<Pod>("metadata { name: 'p' namespace: 'n' } status { " +
                             test.status + " }");
  const PodFailureMatch match = MatchPodFailurePolicy(pod, spec, Gates());
  EXPECT_EQ(match.action, test.action);
  EXPECT_EQ(match.counts, test.counts);
}

std::string Codes(const std::string& action, const std::string& requirement) {
  return "rules { action: '" + action + "' on_exit_codes { " + requirement +
         " } } ";
}

std::string Exited(const std::string& name, int code) {
  return "container_statuses { name: '" + name +
         "' state { terminated { exit_code: " + std::to_string(code) +
         " } } } ";
}

INSTANTIATE_TEST_SUITE_P(
    Rules, MatchTest,
    ::testing::Values(
        MatchCase{"AnEmptyListMatchesNothing", "", Exited("c", 1)},
        MatchCase{"AnUnknownOperatorMatchesNothing",
                  Codes("FailJob", "operator: 'Between' values: 1"),
                  Exited("c", 1)},
        MatchCase{"AnUnknownActionIsPassedOver",
                  Codes("Retry", "operator: 'In' values: 1") +
                      Codes("Ignore", "operator: 'In' values: 1"),
                  Exited("c", 1), "Ignore", false},
        MatchCase{"TheLastStateIsNotLookedAt",
                  Codes("FailJob", "operator: 'In' values: 1"),
                  "container_statuses { last_state { terminated { exit_code: "
                  "1 } } state { running {} } }"},
        MatchCase{"EphemeralContainersAreNotLookedAt",
                  Codes("FailJob", "operator: 'In' values: 1"),
                  "ephemeral_" + Exited("debug", 1)},
        MatchCase{"ConditionsOfARuleWithExitCodesAreNotLookedAt",
                  "rules { action: 'Ignore' on_exit_codes { operator: 'In' "
                  "values: 9 } on_pod_conditions { type: 'X' status: 'True' } "
                  "}",
                  Exited("c", 1) + "conditions { type: 'X' status: 'True' }"}),
    [](const auto& test) { return test.param.name; });

TEST(MatchPodFailurePolicyTest, WithoutPolicyTheFailureCounts) {
  const PodFailureMatch match =
      MatchPodFailurePolicy(Pod(), JobSpec(), Gates());
  EXPECT_EQ(match.action, "");
  EXPECT_TRUE(match.counts);
}

TEST(MatchPodFailurePolicyTest, FailIndexIsUnknownWithoutItsGate) {
  const JobSpec spec = SpecWith(Codes("FailIndex", "operator: 'In' values: 1") +
                                Codes("Count", "operator: 'In' values: 1"));
  const Pod pod = Parse<Pod>("status { " + Exited("c", 1) + " }");
  Gates gates;
  EXPECT_EQ(MatchPodFailurePolicy(pod, spec, gates).action, "FailIndex");
  gates.backoff_limit_per_index = false;
  EXPECT_EQ(MatchPodFailurePolicy(pod, spec, gates).action, "Count");
}

TEST(HasPodFailurePolicyTest, NeedsItsGate) {
  const JobSpec spec = SpecWith("");
  Gates gates;
  EXPECT_TRUE(HasPodFailurePolicy(spec, gates));
  gates.pod_failure_policy = false;
  EXPECT_FALSE(HasPodFailurePolicy(spec, gates));
  EXPECT_FALSE(HasPodFailurePolicy(JobSpec(), Gates()));
}

}  // namespace
}  // namespace mulligan::job
