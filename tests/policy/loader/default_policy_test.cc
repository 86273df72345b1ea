// Promises of the default policy: a chosen verdict for every cause, bounded
// budgets, no silent catch-all.
#include <map>
#include <memory>
#include <set>
#include <string>
#include <vector>

#include "gmock/gmock.h"
#include "gtest/gtest.h"
#include "mulligan/v1/cause.pb.h"
#include "mulligan/v1/policy.pb.h"
#include "policy/demystify/causes.h"
#include "policy/loader/load.h"
#include "policy/rules/predicates.h"
#include "tests/testing/files.h"
#include "tests/testing/status_matchers.h"

namespace mulligan {
namespace {

using ::testing::IsEmpty;
using ::testing::NotNull;
using ::testing::UnorderedElementsAreArray;

class DefaultPolicyTest : public ::testing::Test {
 protected:
  void SetUp() override {
    policies_ = LoadPolicies({}, issues_);
    ASSERT_THAT(policies_, NotNull());
    policy_ = &policies_->policies()[0]->source();
  }

  const v1::RetryPolicySpec& spec() const { return policy_->spec(); }

  // The first rule that matches the cause if nothing else is known.
  const v1::Rule* RuleFor(v1::Cause cause) const {
    for (const v1::Rule& rule : spec().rules()) {
      v1::When causes_only;
      *causes_only.mutable_causes() = rule.when().causes();
      const bool unconditional =
          causes_only.SerializeAsString() == rule.when().SerializeAsString();
      for (const int matched : rule.when().causes()) {
        if (unconditional && matched == cause) return &rule;
      }
    }
    return nullptr;
  }

  Issues issues_;
  std::unique_ptr<const PolicySet> policies_;
  const v1::RetryPolicy* policy_ = nullptr;
};

std::vector<v1::Cause> Causes() {
  std::vector<v1::Cause> causes;
  for (int number = 1; number <= v1::Cause_MAX; ++number) {
    causes.push_back(static_cast<v1::Cause>(number));
  }
  return causes;
}

TEST_F(DefaultPolicyTest, LoadsWithoutErrorsAndWarnings) {
  std::vector<std::string> lines;
  for (const Issue& issue : issues_) lines.push_back(FormatIssue(issue));
  EXPECT_THAT(lines, IsEmpty());
}

TEST_F(DefaultPolicyTest, IsTheFileOfTheRepository) {
  ASSERT_OK_AND_ASSIGN(
      const std::string file,
      testing::ReadFile(testing::SourcePath("policy/default_policy.yaml")));
  EXPECT_EQ(EmbeddedPolicy().yaml, file);
  EXPECT_EQ(EmbeddedPolicy().file, "<embedded>");
}

TEST_F(DefaultPolicyTest, HasARuleForEveryFailure) {
  for (const v1::Cause cause : Causes()) {
    // Work that has not failed is ignored before any rule is evaluated.
    EXPECT_EQ(RuleFor(cause) == nullptr, kNoFailures.Contains(cause))
        << v1::Cause_Name(cause);
  }
}

TEST_F(DefaultPolicyTest, HasARuleForEveryDerivedCause) {
  std::set<int> covered;
  for (const v1::Rule& rule : spec().rules()) {
    covered.insert(rule.when().derived_causes().begin(),
                   rule.when().derived_causes().end());
  }
  EXPECT_EQ(covered.size(), static_cast<std::size_t>(v1::DerivedCause_MAX));
}

// The agreed table of verdicts. A change here is a change for users.
TEST_F(DefaultPolicyTest, GivesTheAgreedVerdicts) {
  const std::map<v1::Decision::Action, std::vector<v1::Cause>> agreed = {
      {v1::Decision::WAIT,
       {v1::PREEMPTED_QUEUE, v1::CREATE_CONFLICT, v1::QUOTA_EXCEEDED,
        v1::UNSCHEDULABLE, v1::IMAGE_DENIED, v1::IMAGE_PULL_TRANSIENT,
        v1::CONFIG_MISSING, v1::SANDBOX_OR_MOUNT}},
      {v1::Decision::WAIT_FOR_SPEC_UPDATE, {v1::CREATE_REJECTED}},
      {v1::Decision::FAIL,
       {v1::IMAGE_INVALID, v1::GPU_OOM, v1::DEADLINE_POD, v1::DEADLINE_JOB,
        v1::CONFIG_USER_ERROR, v1::DECLARED_FATAL, v1::DATA_OR_NUMERIC}}};
  std::set<v1::Cause> listed;
  for (const auto& [action, causes] : agreed) {
    for (const v1::Cause cause : causes) {
      listed.insert(cause);
      ASSERT_THAT(RuleFor(cause), NotNull());
      EXPECT_EQ(RuleFor(cause)->then().action(), action)
          << v1::Cause_Name(cause);
    }
  }
  for (const v1::Cause cause : Causes()) {
    if (listed.count(cause) > 0 || kNoFailures.Contains(cause)) continue;
    ASSERT_THAT(RuleFor(cause), NotNull());
    EXPECT_EQ(RuleFor(cause)->then().action(), v1::Decision::RETRY)
        << v1::Cause_Name(cause);
  }
}

TEST_F(DefaultPolicyTest, ChargesEveryRetryToTheRightBudget) {
  const std::map<std::string, std::vector<v1::Cause>> agreed = {
      {"disruption",
       {v1::PREEMPTED_QUEUE, v1::PREEMPTED_SCHEDULER, v1::SPOT_RECLAIMED,
        v1::DRAINED, v1::TAINT_EVICTED, v1::NODE_SHUTDOWN}},
      {"infrastructure",
       {v1::NODE_LOST, v1::NODE_PRESSURE_EVICTED, v1::GPU_FAULT,
        v1::FABRIC_FAULT, v1::DEVICE_ADMISSION, v1::HOST_OOM,
        v1::RENDEZVOUS_FAILED}},
      {"control",
       {v1::API_TRANSIENT, v1::LAUNCHER_FAILED, v1::CONTROLLER_ERROR}},
      {"start", {v1::START_TIMEOUT}},
      {"memory", {v1::CONTAINER_OOM}},
      {"storage", {v1::STORAGE_EXHAUSTED}},
      {"time", {v1::HANG}},
      {"application",
       {v1::PROBE_KILLED, v1::DECLARED_RETRYABLE, v1::CRASH_SIGNAL,
        v1::DEPENDENCY_UNAVAILABLE, v1::APP_ERROR}},
      {"unexplained",
       {v1::SIGTERM_UNEXPLAINED, v1::SIGKILL_UNEXPLAINED, v1::UNKNOWN,
        v1::COLLECTIVE_CASCADE}}};
  for (const auto& [budget, causes] : agreed) {
    for (const v1::Cause cause : causes) {
      ASSERT_THAT(RuleFor(cause), NotNull());
      EXPECT_EQ(RuleFor(cause)->then().budget(), budget)
          << v1::Cause_Name(cause);
    }
  }
}

TEST_F(DefaultPolicyTest, BoundsEveryBudgetAndAllOfThem) {
  for (const auto& [name, budget] : spec().budgets()) {
    EXPECT_GE(budget.limit(), 1) << name;
    EXPECT_LE(budget.limit(), 50) << name;
    if (budget.has_refund_on_progress()) {
      EXPECT_GE(budget.refund_on_progress().ceiling(), 1) << name;
    }
  }
  EXPECT_GT(spec().max_attempts(), 0);
  EXPECT_LE(spec().max_attempts(), 1000);
}

TEST_F(DefaultPolicyTest, AvoidsBrokenDevicesStrictlyAndOtherNodesSoftly) {
  for (const v1::Rule& rule : spec().rules()) {
    if (!rule.then().placement().has_avoid_failed_node()) continue;
    const v1::AvoidFailedNode& avoid =
        rule.then().placement().avoid_failed_node();
    EXPECT_TRUE(avoid.has_expires_after()) << rule.name();
    EXPECT_EQ(avoid.hard(),
              rule.name() == "device-broken" || rule.name() == "bad-node")
        << rule.name();
  }
  EXPECT_EQ(RuleFor(v1::GPU_FAULT)->name(), "device-broken");
  EXPECT_EQ(RuleFor(v1::FABRIC_FAULT)->name(), "device-broken");
}

// avoided_nodes_test.cc checks this with every text.
TEST_F(DefaultPolicyTest, AvoidsANodeOnlyOnEvidenceAboutIt) {
  for (const v1::Rule& rule : spec().rules()) {
    if (!rule.then().placement().has_avoid_failed_node() ||
        rule.then().placement().avoid_failed_node().if_suspected() ||
        rule.when().derived_causes_size() > 0) {
      continue;
    }
    EXPECT_GT(rule.when().causes_size(), 0) << rule.name();
    for (const int cause : rule.when().causes()) {
      EXPECT_TRUE(
          HasHistory(static_cast<v1::Cause>(cause), kOfNode | kElsewhere))
          << rule.name();
    }
  }
}

TEST_F(DefaultPolicyTest, EndsEveryWaitThatMayBeInVain) {
  for (const v1::Rule& rule : spec().rules()) {
    if (rule.then().action() != v1::Decision::WAIT) continue;
    const bool ends = rule.then().has_after_grace();
    const bool comes_by_itself =
        rule.name() == "suspended" || rule.name() == "preempted-in-queue";
    EXPECT_TRUE(ends || comes_by_itself) << rule.name();
  }
}

}  // namespace
}  // namespace mulligan
