// Decide with a digest of what failed elsewhere (DecideRequest.recent).
#include <string>

#include "absl/strings/str_cat.h"
#include "gmock/gmock.h"
#include "gtest/gtest.h"
#include "tests/policy/decide_fixture.h"

namespace mulligan {
namespace {

using ::testing::EndsWith;
using ::testing::HasSubstr;

constexpr char kIncidentSpec[] = R"pb(
  budgets {
    key: "application"
    value { limit: 2 }
  }
  budgets {
    key: "control"
    value { limit: 9 }
  }
  rules {
    name: "incident"
    when { derived_causes: INCIDENT }
    then {
      action: WAIT
      backoff {
        initial { seconds: 300 }
        kind: CONSTANT
        jitter: 0
      }
      after_grace {
        grace { seconds: 1800 }
        action: RETRY
        budget: "control"
      }
    }
  }
  default { action: RETRY budget: "application" }
)pb";

// A failure at second 99901 that many workloads have met recently.
v1::DecideRequest Victim(int attempt) {
  v1::DecideRequest request = FailureOfAttempt(attempt, 1, "Error");
  EndOfMain(request).set_message(
      "dial tcp 10.0.0.7:5432: connect: connection refused");
  *request.add_recent() = testing::Parse<v1::RecentFailures>(R"pb(
    window { seconds: 600 }
    failed: 40
    running: 200
    groups { cause: DEPENDENCY_UNAVAILABLE workloads: 31 }
    groups { cause: APP_ERROR workloads: 9 }
  )pb");
  return request;
}

v1::DecideRequest NotCanary(int attempt) {
  v1::DecideRequest request = Victim(attempt);
  request.mutable_recent(0)->set_canaries(1);
  return request;
}

class DecideFleetTest : public DecideTest {
 protected:
  void SetUp() override { Use(kIncidentSpec); }
};

TEST_F(DecideFleetTest, VictimsWaitAndPayNothing) {
  const v1::DecideResponse response = AskNext(NotCanary(1));
  EXPECT_EQ(response.diagnosis().cause(), v1::DEPENDENCY_UNAVAILABLE);
  EXPECT_EQ(response.diagnosis().derived_cause(), v1::INCIDENT);
  EXPECT_EQ(response.decision().action(), v1::Decision::WAIT);
  EXPECT_EQ(response.decision().retry_after().seconds(), 300);
  EXPECT_THAT(response.decision().sentence(),
              EndsWith("; 31 of the 40 workloads that failed in the last 10m "
                       "met DEPENDENCY_UNAVAILABLE."));
  EXPECT_EQ(response.accounting().units(), 0);
  EXPECT_EQ(response.ledger().attempts_seen(), 0);
}

TEST_F(DecideFleetTest, AfterTheWaitThePlatformPays) {
  v1::DecideRequest request = NotCanary(1);
  request.mutable_report()->mutable_observed_at()->set_seconds(99901 + 1800);
  const v1::DecideResponse response = AskNext(request);
  EXPECT_EQ(response.decision().action(), v1::Decision::RETRY);
  EXPECT_EQ(response.explanation().decided_by(), v1::Explanation::GRACE);
  EXPECT_EQ(response.accounting().charged_to(), "control");
  EXPECT_FALSE(response.decision().canary());
  EXPECT_EQ(ledger_.history(0).derived_cause(), v1::INCIDENT);
}

TEST_F(DecideFleetTest, AfterTheIncidentTheUsualRuleApplies) {
  v1::DecideRequest request = Victim(1);
  request.clear_recent();
  const v1::DecideResponse response = AskNext(request);
  EXPECT_EQ(response.decision().action(), v1::Decision::RETRY);
  EXPECT_EQ(response.accounting().charged_to(), "application");
}

// One of many workloads goes first, at once, and its answer says so.
TEST_F(DecideFleetTest, OneGoesFirst) {
  int canaries = 0;
  for (int i = 0; i < 5 * 31; ++i) {
    v1::DecideRequest request = Victim(1);
    auto& report = *request.mutable_report();
    report.mutable_workload()->set_uid(absl::StrCat("w", i % 31));
    // Every five minutes, until the wait ends.
    report.mutable_observed_at()->set_seconds(100000 + 300 * (i / 31));
    const v1::DecideResponse response = Ask(request);
    const bool canary = response.decision().canary();
    EXPECT_EQ(response.decision().action(),
              canary ? v1::Decision::RETRY : v1::Decision::WAIT);
    if (!canary) continue;
    ++canaries;
    EXPECT_EQ(response.explanation().decided_by(), v1::Explanation::CANARY);
    EXPECT_EQ(response.decision().retry_after().seconds(), 0);
    EXPECT_EQ(response.accounting().charged_to(), "control");
    EXPECT_THAT(response.decision().sentence(),
                HasSubstr("to see whether the incident is over"));
    // Reported again, it is the same canary.
    *request.mutable_ledger() = response.ledger();
    EXPECT_TRUE(Ask(request).decision().canary());
    EXPECT_EQ(Ask(request).decision().sentence(),
              response.decision().sentence());
  }
  EXPECT_GE(canaries, 1);
  EXPECT_LE(canaries, 12);
}

TEST_F(DecideFleetTest, ASuccessfulCanaryReleasesTheRest) {
  v1::DecideRequest request = Victim(1);
  request.mutable_recent(0)->set_recovered(1);
  const v1::DecideResponse response = Ask(request);
  EXPECT_EQ(response.decision().action(), v1::Decision::RETRY);
  EXPECT_EQ(response.decision().retry_after().seconds(), 0);
  EXPECT_EQ(response.explanation().decided_by(), v1::Explanation::GRACE);
  EXPECT_FALSE(response.decision().canary());
  EXPECT_EQ(response.accounting().charged_to(), "control");
}

TEST_F(DecideFleetTest, AfterThreeIncidentsTheFailureIsTheWorkloadsOwn) {
  for (int attempt = 1; attempt <= 3; ++attempt) {
    v1::DecideRequest request = NotCanary(attempt);
    request.mutable_report()->mutable_observed_at()->set_seconds(110000);
    EXPECT_EQ(AskNext(request).accounting().charged_to(), "control");
  }
  const v1::DecideResponse fourth = AskNext(NotCanary(4));
  EXPECT_EQ(fourth.diagnosis().derived_cause(), v1::DERIVED_CAUSE_UNSPECIFIED);
  EXPECT_EQ(fourth.accounting().charged_to(), "application");
}

TEST_F(DecideFleetTest, AFailureWithoutATimeDoesNotWait) {
  auto request = testing::Parse<v1::DecideRequest>(R"pb(
    report {
      observed_at { seconds: 100000 }
      creation_error { phase: CREATE http_code: 503 }
    }
    recent {
      window { seconds: 600 }
      failed: 40
      canaries: 1
      groups { cause: API_TRANSIENT workloads: 40 }
    }
  )pb");
  EXPECT_EQ(Ask(request).diagnosis().derived_cause(),
            v1::DERIVED_CAUSE_UNSPECIFIED);
}

TEST_F(DecideFleetTest, ANodeThatFailsManyIsAvoidedStrictly) {
  v1::DecideRequest request = NotCanary(1);
  *request.mutable_recent(0) = testing::Parse<v1::RecentFailures>(R"pb(
    window { seconds: 86400 }
    failed: 9
    nodes: 40
    groups { cause: NODE_LOST node: "n1" workloads: 5 }
  )pb");
  const v1::DecideResponse response = Ask(request);
  EXPECT_EQ(response.diagnosis().derived_cause(), v1::BAD_NODE);
  ASSERT_EQ(response.decision().placement().avoid_nodes_size(), 1);
  EXPECT_TRUE(response.decision().placement().avoid_nodes(0).hard());
  EXPECT_EQ(response.decision().placement().avoid_nodes(0).node(), "n1");
}

TEST_F(DecideFleetTest, WarnsWhenAnOperatorsCounterDecreases) {
  const auto failed = [](int restarts, int second) {
    auto request = testing::Parse<v1::DecideRequest>(R"pb(
      report {
        workload { kind: "TrainJob" uid: "t" name: "t" }
        job_set {
          metadata { name: "s" }
          status {
            conditions { type: "Failed" status: "True" reason: "FailedJobs" }
          }
        }
      }
    )pb");
    auto& report = *request.mutable_report();
    report.mutable_observed_at()->set_seconds(second);
    auto& status = *report.mutable_job_set()->mutable_status();
    status.set_restarts(restarts);
    status.mutable_conditions(0)->mutable_last_transition_time()->set_seconds(
        second);
    return request;
  };
  EXPECT_EQ(AskNext(failed(2, 10000)).ledger().native_count(), 3);
  const v1::DecideResponse decreased = AskNext(failed(0, 90000));
  EXPECT_EQ(ledger_.native_count(), 1);
  EXPECT_THAT(decreased.warnings(),
              ::testing::Contains(HasSubstr(
                  "the operator counted 3 failed attempts before and 1 now")));
}

}  // namespace
}  // namespace mulligan
