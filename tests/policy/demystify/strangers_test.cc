// Objects of other workloads, and objects that nothing connects with this one.
#include <string>

#include "gmock/gmock.h"
#include "gtest/gtest.h"
#include "tests/policy/demystify/diagnose.h"
#include "tests/policy/demystify/report_text.h"

namespace mulligan::demystify {
namespace {

using ::testing::Contains;
using ::testing::HasSubstr;
using ::testing::Not;

const std::string kFailedJob =
    ObservedAt(1000) + Job("metadata { name: 'train' } status { failed: 1 }",
                           Condition("Failed", "BackoffLimitExceeded"));

v1::FailureReport With(const char* kind, const std::string& name,
                       const char* reason) {
  v1::FailureReport report = Report(kFailedJob);
  auto& event = *report.add_events();
  event.mutable_involved_object()->set_kind(kind);
  event.mutable_involved_object()->set_name(name);
  event.set_reason(reason);
  event.set_message("The node was low on resource: memory.");
  event.mutable_last_timestamp()->set_seconds(990);
  return report;
}

TEST(Strangers, AreInAnotherNamespace) {
  struct {
    const char* space;
    v1::Cause cause;
  } const kCases[] = {
      {"", v1::NODE_PRESSURE_EVICTED},
      {"team-a", v1::NODE_PRESSURE_EVICTED},
      {"team-b", v1::APP_ERROR},
  };
  for (const auto& [space, cause] : kCases) {
    v1::FailureReport report = With("Pod", "train-x7k2p", "Evicted");
    report.mutable_jobs(0)->mutable_metadata()->set_namespace_("team-a");
    report.mutable_events(0)->mutable_involved_object()->set_namespace_(space);
    EXPECT_EQ(Diagnose(report).cause(), cause) << space;
  }
}

TEST(Strangers, APodOfAJobIsKnownByItsName) {
  struct {
    const char* name;
    v1::Cause cause;
  } const kCases[] = {
      {"train-x7k2p", v1::NODE_PRESSURE_EVICTED},
      {"train-3-x7k2p", v1::NODE_PRESSURE_EVICTED},
      {"train-eval-x7k2p", v1::APP_ERROR},
      {"train-eval-3-x7k2p", v1::APP_ERROR},
      {"train-3-eval-x7k2p", v1::APP_ERROR},
      {"pretrain-x7k2p", v1::APP_ERROR},
      {"trainer-x7k2p", v1::APP_ERROR},
      {"other", v1::APP_ERROR},
  };
  for (const auto& [name, cause] : kCases) {
    EXPECT_EQ(Diagnose(With("Pod", name, "Evicted")).cause(), cause) << name;
  }
}

// An owner of the Job may give its pods names of any form.
TEST(Strangers, PodsOfHigherObjectsHaveAnyNameWithTheirPrefix) {
  v1::FailureReport report = With("Pod", "train-eval-0-0-x7k2p", "Evicted");
  report.mutable_job_set()->mutable_metadata()->set_name("train");
  EXPECT_EQ(Diagnose(report).cause(), v1::NODE_PRESSURE_EVICTED);
}

TEST(Strangers, ANodeExplainsOnlyPodsThatRanOnIt) {
  const std::string kNode = Node(
      "status { conditions { type: 'Ready' status: 'Unknown' reason: "
      "'NodeStatusUnknown' last_transition_time { seconds: 100 } } }");
  struct {
    const char* report;
    v1::Cause cause;
  } const kCases[] = {
      // No other evidence.
      {"", v1::NODE_LOST},
      {"pods { metadata { name: 'p' } spec { node_name: 'n' }"
       " status { phase: 'Failed' } }",
       v1::NODE_LOST},
      // The report does not say where its only pod ran.
      {"pods { metadata { name: 'p' } status { phase: 'Failed' } }",
       v1::NODE_LOST},
      {"pods { metadata { name: 'p' } spec { node_name: 'm' }"
       " status { phase: 'Running' } }",
       v1::NOT_FAILED},
      {"pods { metadata { name: 'p' } status { phase: 'Pending' } }",
       v1::NOT_FAILED},
      {"pods { metadata { name: 'p' } }", v1::NOT_FAILED},
      {"jobs { metadata { name: 'j' } status { active: 1 ready: 1 } }",
       v1::NOT_FAILED},
      {"jobs { metadata { name: 'j' } status { failed: 1 conditions {"
       " type: 'Failed' status: 'True' reason: 'BackoffLimitExceeded' } } }",
       v1::APP_ERROR},
  };
  for (const auto& [report, cause] : kCases) {
    EXPECT_EQ(
        Diagnose(std::string("observed_at { seconds: 1000 } ") + kNode + report)
            .cause(),
        cause)
        << report;
  }
}

TEST(Strangers, ClaimsOfOthersBreakNoJob) {
  EXPECT_EQ(
      Diagnose(With("PersistentVolumeClaim", "data", "ProvisioningFailed"))
          .cause(),
      v1::APP_ERROR);
}

TEST(Strangers, WarnsOfObjectsThatAreNotRead) {
  const auto warnings = [](const v1::FailureReport& report) {
    Findings findings;
    Diagnose(report, {}, &findings);
    return findings.warnings;
  };
  v1::FailureReport report = With("Node", "n", "NodeNotReady");
  EXPECT_THAT(warnings(report), Contains(HasSubstr("are not read: no pod")));
  report.add_pods()->mutable_metadata()->set_name("train-x7k2p");
  EXPECT_THAT(warnings(report), Not(Contains(HasSubstr("are not read"))));
}

// A workload that could not be created has no pods, so no pod events either.
TEST(Strangers, AWorkloadThatWasNotCreatedHasNoPods) {
  v1::FailureReport report = With("Pod", "x-x7k2p", "Evicted");
  report.clear_jobs();
  report.mutable_creation_error()->set_http_code(422);
  report.mutable_creation_error()->set_reason("Invalid");
  EXPECT_EQ(Diagnose(report).cause(), v1::CREATE_REJECTED);
}

}  // namespace
}  // namespace mulligan::demystify
