// Properties that hold for every sequence of failures, tried on random ones
// from fixed seeds.
#include <algorithm>
#include <limits>
#include <map>
#include <string>

#include "absl/strings/str_cat.h"
#include "google/protobuf/util/json_util.h"
#include "gtest/gtest.h"
#include "policy/decide.h"
#include "policy/limits.h"
#include "policy/request/validate.h"
#include "tests/policy/fixtures.h"
#include "tests/testing/random.h"
#include "tests/testing/status_matchers.h"

namespace mulligan {
namespace {

using testing::Bytes;
using testing::SetOf;

std::string BudgetText(testing::Random& random, const char* name,
                       const char* escalation) {
  std::string text = absl::StrCat("budgets { key: '", name,
                                  "' value { limit: ", random.Below(5));
  if (random.OneIn(3)) {
    absl::StrAppend(&text, " window { seconds: ", 1 + random.Below(500), " }");
  }
  if (random.OneIn(3)) {
    absl::StrAppend(&text, " refund_on_progress { min_growth: 5 ceiling: ",
                    1 + random.Below(4), " }");
  }
  if (*escalation != '\0' && random.OneIn(2)) {
    absl::StrAppend(&text, " on_exhausted { action: RETRY budget: '",
                    escalation, "' }");
  }
  return text + " } } ";
}

std::string RandomSpec(testing::Random& random) {
  std::string text = BudgetText(random, "app", "infra") +
                     BudgetText(random, "infra", "memory") +
                     BudgetText(random, "memory", "") + R"pb(
    rules {
      name: "oom"
      when { causes: CONTAINER_OOM }
      then {
        action: RETRY
        budget: "memory"
        resources { memory_factor: 1.5 }
        placement {
          avoid_failed_node {}
          on_demand_after: 2
        }
      }
    }
    rules {
      name: "disruption"
      when { fault_domains: DISRUPTION }
      then { action: RETRY budget: "infra" queue: REQUEUE }
    }
    rules {
      name: "wait"
      when { causes: [ IMAGE_PULL_TRANSIENT ] }
      then { action: WAIT budget: "infra" }
    }
    rules {
      name: "fatal"
      when { exit_codes { operator: "In" values: 42 } }
      then { action: FAIL }
    }
    default {
      action: RETRY
      budget: "app"
      backoff { initial { seconds: 5 } }
    })pb";
  if (random.OneIn(3)) {
    absl::StrAppend(&text, "max_attempts: ", 1 + random.Below(8));
  }
  return text;
}

v1::FailureReport RandomFailure(testing::Random& random, int number,
                                int seconds) {
  v1::FailureReport report;
  report.mutable_observed_at()->set_seconds(seconds);
  report.mutable_workload()->set_kind(random.OneIn(2) ? "Job" : "Pod");
  report.mutable_workload()->set_uid("w");
  if (random.OneIn(2)) report.mutable_progress()->set_value(random.Below(60));
  auto& pod = *report.add_pods();
  pod.mutable_metadata()->set_name("p");
  pod.mutable_metadata()->set_uid(absl::StrCat("p", number));
  pod.mutable_spec()->set_node_name(absl::StrCat("n", random.Below(3)));
  pod.mutable_spec()->add_containers()->set_name("main");
  auto& status = *pod.mutable_status();
  auto& container = *status.add_container_statuses();
  container.set_name("main");
  if (random.OneIn(6)) {
    status.set_phase("Pending");
    auto& waiting = *container.mutable_state()->mutable_waiting();
    waiting.set_reason("ErrImagePull");
    waiting.set_message("i/o timeout");
    return report;
  }
  status.set_phase("Failed");
  auto& ended = *container.mutable_state()->mutable_terminated();
  ended.mutable_finished_at()->set_seconds(seconds - 5);
  const int codes[] = {1, 42, 137, 139, 143, 2, -1};
  ended.set_exit_code(codes[random.Below(7)]);
  ended.set_reason("Error");
  if (random.OneIn(4)) {
    ended.set_exit_code(137);
    ended.set_reason("OOMKilled");
  }
  if (random.OneIn(4)) {
    auto& condition = *status.add_conditions();
    condition.set_type("DisruptionTarget");
    condition.set_status("True");
    condition.set_reason("PreemptionByScheduler");
    condition.mutable_last_transition_time()->set_seconds(seconds - 60);
  }
  return report;
}

class DecidePropertyTest : public ::testing::TestWithParam<unsigned> {
 protected:
  v1::DecideResponse Ask(const v1::FailureReport& report,
                         const v1::BudgetLedger& ledger) {
    v1::DecideRequest request;
    *request.mutable_report() = report;
    *request.mutable_ledger() = ledger;
    v1::DecideResponse response;
    EXPECT_THAT(Decide(request, *policies_, {}, response), testing::IsOk());
    return response;
  }

  void CheckInvariants(const v1::DecideResponse& response) {
    for (const v1::BudgetState& budget : response.accounting().budgets()) {
      EXPECT_GE(budget.remaining(), 0);
      EXPECT_GE(budget.used(), 0);
      EXPECT_LE(budget.used(), budget.limit());
    }
    const auto& budgets = policies_->policies()[0]->source().spec().budgets();
    for (const auto& [name, use] : response.ledger().budgets()) {
      EXPECT_LE(use.refunded(),
                budgets.at(name).refund_on_progress().ceiling());
    }
    EXPECT_LE(response.accounting().units(), 1);
    v1::DecideRequest next;
    next.mutable_report()->mutable_exit();
    *next.mutable_ledger() = response.ledger();
    EXPECT_TRUE(Validate(next, Owners(next.report())).empty())
        << "our own ledger must be valid";
    std::string json;
    ASSERT_TRUE(
        google::protobuf::util::MessageToJsonString(response.ledger(), &json)
            .ok());
    EXPECT_LE(json.size(), kMaxLedgerJsonBytes);
  }

  std::unique_ptr<const PolicySet> policies_;
};

TEST_P(DecidePropertyTest, AnySequenceKeepsItsBounds) {
  testing::Random random(GetParam());
  policies_ = SetOf(RandomSpec(random));
  const std::int32_t cap = policies_->policies()[0]->compiled().max_attempts;
  v1::BudgetLedger ledger;
  int seconds = 1000;
  int retries = 0;
  for (int i = 0; i < 80; ++i) {
    seconds += random.Below(200);
    const v1::FailureReport report = RandomFailure(random, i, seconds);
    const v1::DecideResponse first = Ask(report, ledger);
    CheckInvariants(first);
    // Idempotent: f(f(L,e),e) = f(L,e), the decision included.
    const v1::DecideResponse again = Ask(report, first.ledger());
    EXPECT_EQ(Bytes(again.ledger()), Bytes(first.ledger()))
        << first.ledger().DebugString() << again.ledger().DebugString();
    EXPECT_EQ(Bytes(again.decision()), Bytes(first.decision()))
        << first.decision().DebugString() << again.decision().DebugString();
    // The same request gets the same bytes.
    EXPECT_EQ(Bytes(Ask(report, ledger)), Bytes(first));
    if (first.decision().action() == v1::Decision::RETRY) ++retries;
    ledger = first.ledger();
  }
  EXPECT_LT(retries, cap) << "attempts never exceed the sum of the caps";
}

TEST_P(DecidePropertyTest, DuplicatesInAnyOrderAreChargedOnce) {
  testing::Random random(GetParam() + 1000);
  policies_ = SetOf(
      "budgets { key: 'app' value { limit: 40 } } default { action: RETRY "
      "budget: 'app' } derivation { same_fingerprint: 0 poison_nodes: 0 }");
  std::vector<v1::FailureReport> reports;
  constexpr int kFailures = 8;
  for (int i = 0; i < kFailures; ++i) {
    v1::FailureReport report = RandomFailure(random, i, 1000 + i);
    for (int copies = 1 + random.Below(4); copies > 0; --copies) {
      reports.push_back(report);
    }
  }
  random.Shuffle(reports);
  v1::BudgetLedger ledger;
  std::map<std::string, std::string> decisions;
  for (const v1::FailureReport& report : reports) {
    const v1::DecideResponse response = Ask(report, ledger);
    ledger = response.ledger();
    const std::string& uid = report.pods(0).metadata().uid();
    const auto [first, is_new] =
        decisions.emplace(uid, Bytes(response.decision()));
    EXPECT_EQ(first->second, Bytes(response.decision())) << uid;
    EXPECT_EQ(response.accounting().duplicate(), !is_new);
  }
  EXPECT_EQ(ledger.budgets().at("app").used(), kFailures);
  EXPECT_EQ(ledger.attempts_seen(), kFailures);
}

// Every number at its limit: no overflow (run under UBSan), no negative rest.
TEST_P(DecidePropertyTest, NumbersAtTheirLimits) {
  testing::Random random(GetParam() + 2000);
  policies_ = SetOf(RandomSpec(random));
  const std::int32_t edges[] = {0, 1, kMaxLedgerCount - 1, kMaxLedgerCount};
  const std::int64_t times[] = {-62135596800, 0, 253402300799};
  constexpr std::int32_t kMax = std::numeric_limits<std::int32_t>::max();
  for (int i = 0; i < 60; ++i) {
    v1::FailureReport report = RandomFailure(random, i, 1000);
    report.mutable_observed_at()->set_seconds(times[random.Below(3)]);
    if (random.OneIn(2)) report.set_attempt(random.OneIn(2) ? 1 : kMax);
    report.mutable_progress()->set_value(
        random.OneIn(2) ? std::numeric_limits<double>::max()
                        : std::numeric_limits<double>::lowest());
    report.mutable_pods(0)
        ->mutable_status()
        ->mutable_container_statuses(0)
        ->set_restart_count(random.OneIn(2) ? kMax : -kMax - 1);
    v1::BudgetLedger ledger;
    ledger.set_attempts_seen(random.OneIn(2) ? kMax : 0);
    ledger.set_history_dropped(std::numeric_limits<std::int32_t>::max() -
                               kMaxHistory);
    for (const char* name : {"app", "infra", "memory", "other"}) {
      auto& use = (*ledger.mutable_budgets())[name];
      use.set_used(edges[random.Below(4)]);
      use.set_refunded(edges[random.Below(4)]);
      if (random.OneIn(2)) {
        use.mutable_window_start()->set_seconds(times[random.Below(3)]);
      }
    }
    const v1::DecideResponse response = Ask(report, ledger);
    for (const v1::BudgetState& budget : response.accounting().budgets()) {
      EXPECT_GE(budget.remaining(), 0);
      EXPECT_GE(budget.used(), 0);
    }
    EXPECT_GE(response.ledger().attempts_seen(), ledger.attempts_seen());
  }
}

INSTANTIATE_TEST_SUITE_P(Seeds, DecidePropertyTest, ::testing::Range(0u, 40u));

}  // namespace
}  // namespace mulligan
