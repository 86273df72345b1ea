// Whether anything is broken: every kind in every state of its API, at
// plausible ages (tests/testdata/situations.jsonl), under the embedded default
// policy.
//
// A line is {"name", "report", "expect", "note"}, with "expect" one of
//   quiet   no failure: IGNORE or WAIT, nothing charged, the ledger unchanged
//   broken  a cause is named, whatever the verdict
//   any     arguable ("note" says why): there is an answer
#include <fstream>
#include <map>
#include <memory>
#include <string>
#include <vector>

#include "client/cli/base/json_text.h"
#include "client/cli/base/proto_json.h"
#include "gmock/gmock.h"
#include "gtest/gtest.h"
#include "policy/decide.h"
#include "policy/loader/load.h"
#include "tests/testing/files.h"
#include "tests/testing/proto_matchers.h"
#include "tests/testing/status_matchers.h"

namespace mulligan {
namespace {

using ::testing::AnyOf;
using testing::EqualsProto;

struct Situation {
  std::string name;
  std::string expect;
  v1::FailureReport report;
};

std::vector<Situation> ReadSituations() {
  std::vector<Situation> situations;
  std::ifstream file(testing::SourcePath("tests/testdata/situations.jsonl"));
  for (std::string line; std::getline(file, line);) {
    Situation& situation = situations.emplace_back();
    for (const cli::JsonMember& member : cli::JsonMembers(line)) {
      if (member.key == "name") {
        situation.name = cli::JsonStringValue(member.value);
      } else if (member.key == "expect") {
        situation.expect = cli::JsonStringValue(member.value);
      } else if (member.key == "report") {
        EXPECT_THAT(cli::ParseProtoJson(member.value, situation.report),
                    testing::IsOk())
            << line;
      }
    }
  }
  return situations;
}

class SituationsTest : public ::testing::Test {
 protected:
  static void SetUpTestSuite() {
    situations_ = new std::vector<Situation>(ReadSituations());
    Issues issues;
    policies_ = LoadPolicies({EmbeddedPolicy()}, issues).release();
  }

  static v1::DecideResponse Ask(const v1::DecideRequest& request) {
    v1::DecideResponse response;
    EXPECT_THAT(Decide(request, *policies_, {}, response), testing::IsOk());
    return response;
  }

  static const std::vector<Situation>* situations_;
  static const PolicySet* policies_;
};

const std::vector<Situation>* SituationsTest::situations_ = nullptr;
const PolicySet* SituationsTest::policies_ = nullptr;

// The ledger of a workload that has failed before and was charged.
v1::BudgetLedger SomeLedger() {
  v1::BudgetLedger ledger;
  ledger.set_attempts_seen(1);
  (*ledger.mutable_budgets())["application"].set_used(1);
  v1::AttemptRecord& record = *ledger.add_history();
  record.set_failure_id("before");
  record.set_attempt(1);
  record.set_cause(v1::APP_ERROR);
  record.set_charged_to("application");
  record.mutable_decision()->set_action(v1::Decision::RETRY);
  record.mutable_observed_at()->set_seconds(1'500'000'000);
  return ledger;
}

TEST_F(SituationsTest, TheMatrixIsComplete) {
  std::map<std::string, int> expected;
  for (const Situation& situation : *situations_) ++expected[situation.expect];
  EXPECT_GE(expected["quiet"], 300);
  EXPECT_GE(expected["broken"], 100);
  EXPECT_EQ(expected["quiet"] + expected["broken"] + expected["any"],
            static_cast<int>(situations_->size()));
}

// Removes the records from index `first` on, with their charges.
void TakeBackFrom(int first, v1::BudgetLedger& ledger) {
  auto& budgets = *ledger.mutable_budgets();
  for (int i = first; i < ledger.history_size(); ++i) {
    const std::string& budget = ledger.history(i).charged_to();
    if (budget.empty()) continue;
    v1::BudgetUse& use = budgets[budget];
    use.set_used(use.used() - 1);
    if (use.used() == 0) budgets.erase(budget);
  }
  ledger.mutable_history()->DeleteSubrange(first,
                                           ledger.history_size() - first);
}

TEST_F(SituationsTest, NoActionOrChargeWithoutEvidenceOfAnEnd) {
  for (const Situation& situation : *situations_) {
    if (situation.expect != "quiet") continue;
    v1::DecideRequest request;
    *request.mutable_report() = situation.report;
    v1::DecideResponse answer = Ask(request);
    EXPECT_THAT(answer.decision().action(),
                AnyOf(v1::Decision::IGNORE, v1::Decision::WAIT))
        << situation.name << ": " << answer.decision().sentence();
    EXPECT_EQ(answer.accounting().units(), 0) << situation.name;
    v1::BudgetLedger charged = answer.ledger();
    TakeBackFrom(0, charged);
    EXPECT_TRUE(charged.budgets().empty()) << situation.name;
    if (answer.decision().action() == v1::Decision::WAIT) {
      EXPECT_TRUE(answer.decision().has_retry_after()) << situation.name;
    }

    // Failures that operators retry are recorded after the existing history.
    *request.mutable_ledger() = SomeLedger();
    answer = Ask(request);
    v1::BudgetLedger ledger = answer.ledger();
    ledger.clear_workload_uid();
    ledger.clear_workload_kind();
    const int remembered = ledger.history_size() - 1;
    EXPECT_EQ(ledger.attempts_seen(), 1 + remembered) << situation.name;
    ledger.set_attempts_seen(1);
    TakeBackFrom(1, ledger);
    EXPECT_THAT(ledger, EqualsProto(SomeLedger())) << situation.name;
  }
}

// Nor can a user's rule change this.
TEST_F(SituationsTest, NoPolicyRetriesLiveWork) {
  for (const Situation& situation : *situations_) {
    if (situation.expect != "quiet") continue;
    v1::DecideRequest request;
    *request.mutable_report() = situation.report;
    if (Ask(request).diagnosis().situation() == v1::Diagnosis::BROKEN) continue;
    v1::RetryPolicy& policy = *request.mutable_inline_policy();
    policy.set_api_version("mulligan.dev/v1");
    policy.set_kind("RetryPolicy");
    policy.mutable_metadata()->set_name("eager");
    (*policy.mutable_spec()->mutable_budgets())["b"].set_limit(9);
    policy.mutable_spec()->mutable_default_()->set_action(v1::Decision::RETRY);
    policy.mutable_spec()->mutable_default_()->set_budget("b");
    EXPECT_THAT(Ask(request).decision().action(),
                AnyOf(v1::Decision::IGNORE, v1::Decision::WAIT))
        << situation.name;
  }
}

TEST_F(SituationsTest, FailedWorkHasACause) {
  for (const Situation& situation : *situations_) {
    if (situation.expect != "broken") continue;
    v1::DecideRequest request;
    *request.mutable_report() = situation.report;
    const v1::DecideResponse answer = Ask(request);
    EXPECT_NE(answer.diagnosis().cause(), v1::NOT_FAILED) << situation.name;
    EXPECT_NE(answer.diagnosis().cause(), v1::SUCCEEDED) << situation.name;
  }
}

TEST_F(SituationsTest, TheRestIsAnswered) {
  for (const Situation& situation : *situations_) {
    if (situation.expect != "any") continue;
    v1::DecideRequest request;
    *request.mutable_report() = situation.report;
    EXPECT_NE(Ask(request).decision().action(),
              v1::Decision::ACTION_UNSPECIFIED)
        << situation.name;
  }
}

// Hints about the cause are considered only after it is decided whether
// anything is broken; held and ended work has its own reason.
TEST_F(SituationsTest, NoHintChangesWhetherAnythingIsBroken) {
  for (const Situation& situation : *situations_) {
    v1::DecideRequest request;
    *request.mutable_report() = situation.report;
    if (!request.report().hints().empty()) continue;
    const v1::DecideResponse before = Ask(request);
    v1::Hint& hint = *request.mutable_report()->add_hints();
    hint.set_source("node-health");
    hint.set_confidence(v1::Diagnosis::HIGH);
    for (const v1::Cause cause :
         {v1::GPU_FAULT, v1::NODE_LOST, v1::PREEMPTED_QUEUE, v1::CONTAINER_OOM,
          v1::CONFIG_USER_ERROR, v1::SPOT_RECLAIMED, v1::UNSCHEDULABLE}) {
      hint.set_cause(cause);
      const v1::DecideResponse after = Ask(request);
      const v1::Diagnosis::Situation is = before.diagnosis().situation();
      EXPECT_EQ(after.diagnosis().situation(), is)
          << situation.name << ", hint " << v1::Cause_Name(cause);
      // With a hint the cause may be one whose loop is not stopped.
      if (is == v1::Diagnosis::BROKEN ||
          before.explanation().decided_by() == v1::Explanation::BRAKE) {
        continue;
      }
      EXPECT_EQ(after.decision().action(), before.decision().action())
          << situation.name << ", hint " << v1::Cause_Name(cause);
      if (is == v1::Diagnosis::ALIVE) continue;
      EXPECT_EQ(after.diagnosis().cause(), before.diagnosis().cause())
          << situation.name << ", hint " << v1::Cause_Name(cause);
    }
  }
}

// Adds objects that a list of everything in a cluster contains.
void AddBrokenNode(v1::FailureReport& report) {
  auto& node = *report.add_nodes();
  node.mutable_metadata()->set_name("elsewhere");
  auto& ready = *node.mutable_status()->add_conditions();
  ready.set_type("Ready");
  ready.set_status("Unknown");
  ready.set_reason("NodeStatusUnknown");
  ready.mutable_last_transition_time()->set_seconds(
      report.observed_at().seconds() - 600);
}

void AddEvent(const char* kind, const std::string& name, const char* reason,
              const char* message, v1::FailureReport& report) {
  auto& event = *report.add_events();
  event.mutable_involved_object()->set_kind(kind);
  event.mutable_involved_object()->set_name(name);
  event.set_reason(reason);
  event.set_message(message);
  event.set_type("Warning");
  *event.mutable_last_timestamp() = report.observed_at();
}

bool HasAnyOwner(const v1::FailureReport& report) {
  return !report.jobs().empty() || report.has_job_set() ||
         report.has_ray_job() || report.has_train_job() ||
         report.has_spark_application() || report.has_kubeflow_job() ||
         report.has_kueue_workload();
}

// The report has one pod, which does not say where it ran.
bool MayBeOnAnyNode(const v1::FailureReport& report) {
  return report.pods_size() == 1 && report.pods(0).spec().node_name().empty() &&
         report.pods(0).status().phase() != "Pending";
}

TEST_F(SituationsTest, ObjectsOfOthersChangeNothing) {
  struct {
    const char* what;
    void (*add)(v1::FailureReport&);
  } const strangers[] = {
      {"a broken node", AddBrokenNode},
      {"an event about a node",
       [](v1::FailureReport& report) {
         AddEvent("Node", "elsewhere", "NodeNotReady", "NodeNotReady", report);
       }},
      {"an event about another Job's pod",
       [](v1::FailureReport& report) {
         AddEvent("Pod",
                  report.jobs().empty()
                      ? "zz-other"
                      : report.jobs(0).metadata().name() + "-eval-x7k2p",
                  "Evicted", "The node was low on resource: memory.", report);
       }},
  };
  int asked = 0;
  for (const Situation& situation : *situations_) {
    if (!HasAnyOwner(situation.report) && situation.report.pods().empty()) {
      continue;
    }
    if (MayBeOnAnyNode(situation.report)) continue;
    v1::DecideRequest request;
    *request.mutable_report() = situation.report;
    const v1::DecideResponse before = Ask(request);
    for (const auto& [what, add] : strangers) {
      // Children of higher objects have names of any form.
      if (situation.report.has_job_set() && !situation.report.jobs().empty()) {
        continue;
      }
      *request.mutable_report() = situation.report;
      add(*request.mutable_report());
      const v1::DecideResponse after = Ask(request);
      ++asked;
      EXPECT_EQ(after.diagnosis().cause(), before.diagnosis().cause())
          << situation.name << " and " << what;
      EXPECT_EQ(after.decision().action(), before.decision().action())
          << situation.name << " and " << what;
      EXPECT_THAT(after.ledger(), EqualsProto(before.ledger()))
          << situation.name << " and " << what;
    }
  }
  EXPECT_GT(asked, 1200);
}

}  // namespace
}  // namespace mulligan
