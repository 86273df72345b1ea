#include "policy/budget/ledger.h"

#include <algorithm>
#include <random>
#include <string>

#include "absl/strings/str_cat.h"
#include "google/protobuf/util/json_util.h"
#include "gtest/gtest.h"
#include "policy/limits.h"
#include "tests/policy/fixtures.h"
#include "tests/testing/proto_matchers.h"

namespace mulligan {
namespace {

using testing::Compiled;
using testing::EqualsProto;
using testing::Parse;

std::size_t JsonBytes(const google::protobuf::Message& message) {
  std::string json;
  EXPECT_TRUE(google::protobuf::util::MessageToJsonString(message, &json).ok());
  return json.size();
}

// The largest record that Decide may write.
void FillLargest(int index, v1::AttemptRecord& record) {
  record = Parse<v1::AttemptRecord>(R"pb(
    attempt: 2147483647
    cause: NODE_PRESSURE_EVICTED
    finished_at { seconds: 253402300799 nanos: 999999999 }
    progress: -1.2345678901234567e-308
    decision {
      action: WAIT_FOR_SPEC_UPDATE
      scope: CONTAINER
      queue: IN_PLACE
      retry_after { seconds: 315359999 nanos: 999999999 }
      requires_recreate: true
      last_attempt: true
      placement {
        on_demand: true
        avoid_nodes {
          hard: true
          expires_at { seconds: 253402300799 nanos: 999999999 }
        }
      }
    }
    ran_for { seconds: 315576000000 nanos: 999999999 }
    observed_at { seconds: 253402300799 nanos: 999999999 }
    refused_by: DERIVED_CAUSE
    derived_cause: DETERMINISTIC
    used: 1000000000
    bound: 2147483647
  )pb");
  record.set_failure_id(std::string(kMaxIdBytes - 8, '<') +
                        absl::StrCat(10000000 + index));
  record.set_charged_to(std::string(63, 'b'));
  record.set_refusing_budget(std::string(63, 'b'));
  record.set_node(std::string(kMaxLedgerNodeBytes, '"'));
  record.set_fingerprint(std::string(kMaxFingerprintBytes, 'f'));
  record.mutable_decision()
      ->mutable_placement()
      ->mutable_avoid_nodes(0)
      ->set_node(record.node());
  for (int i = 0; i < kMaxRecordAdvice; ++i) {
    auto& change = *record.mutable_decision()->add_resources();
    change.set_resource("ephemeral-storage");
    change.set_container(std::string(kMaxLedgerNodeBytes, '\x01'));
    change.set_factor(1.2345678901234567);
    change.set_request_only(true);
  }
}

v1::BudgetLedger LargestBudgets() {
  v1::BudgetLedger ledger;
  ledger.set_workload_uid(std::string(kMaxLedgerUidBytes, '<'));
  ledger.set_attempts_seen(2147483647);
  ledger.set_history_dropped(2147483647 - kMaxHistory);
  ledger.set_seeded_from("SparkApplication.status.submissionAttempts=9");
  for (int i = 0; i < kMaxLedgerBudgets; ++i) {
    auto& use =
        (*ledger.mutable_budgets())[absl::StrCat(std::string(61, 'b'), 10 + i)];
    use.set_used(kMaxLedgerCount);
    use.set_refunded(kMaxLedgerCount);
    use.mutable_window_start()->set_seconds(253402300799);
    use.mutable_window_start()->set_nanos(999999999);
  }
  return ledger;
}

class LedgerTest : public ::testing::Test {
 protected:
  std::unique_ptr<const Ruleset> rules_ = Compiled("default { action: FAIL }");
};

TEST_F(LedgerTest, TheLargestKeepsTheBoundAndTheSums) {
  v1::BudgetLedger ledger = LargestBudgets();
  for (int i = 0; i < kMaxHistory; ++i) FillLargest(i, *ledger.add_history());
  BoundLedger(rules_->compiled(), ledger);
  EXPECT_LE(JsonBytes(ledger), kMaxLedgerJsonBytes);
  EXPECT_EQ(ledger.budgets().size(), kMaxLedgerBudgets);
  EXPECT_EQ(ledger.attempts_seen(), 2147483647);
  EXPECT_EQ(ledger.history_size() + ledger.history_dropped(), 2147483647);
}

TEST_F(LedgerTest, TheLargestRecordFitsAnOrdinaryLedger) {
  v1::BudgetLedger ledger;
  FillLargest(0, *ledger.add_history());
  ledger.mutable_history(0)
      ->mutable_decision()
      ->mutable_resources()
      ->DeleteSubrange(2, kMaxRecordAdvice - 2);
  BoundLedger(rules_->compiled(), ledger);
  EXPECT_EQ(ledger.history_size(), 1);
}

TEST_F(LedgerTest, KeepsTheBoundAtEveryLength) {
  v1::BudgetLedger ledger;
  for (int i = 0; i < 40; ++i) {
    FillLargest(i, *ledger.add_history());
    auto& change = *ledger.mutable_history()->rbegin();
    if (i % 3 != 0) change.mutable_decision()->clear_resources();
    if (i % 2 != 0) change.set_node("n");
    BoundLedger(rules_->compiled(), ledger);
    EXPECT_LE(JsonBytes(ledger), kMaxLedgerJsonBytes);
  }
}

TEST_F(LedgerTest, DropsTheOldestFirst) {
  v1::BudgetLedger ledger;
  for (int i = 0; i <= kMaxHistory; ++i) {
    ledger.add_history()->set_failure_id(absl::StrCat("f", i));
  }
  BoundLedger(rules_->compiled(), ledger);
  EXPECT_EQ(ledger.history_size(), kMaxHistory);
  EXPECT_EQ(ledger.history(0).failure_id(), "f1");
  EXPECT_EQ(ledger.history_dropped(), 1);
}

// A long list of drains does not push out the program's failures.
TEST_F(LedgerTest, DropsDisruptionsBeforeTheProgramsFailures) {
  v1::BudgetLedger ledger;
  for (int i = 0; i < 3 * kMaxHistory; ++i) {
    v1::AttemptRecord& record = *ledger.add_history();
    record.set_failure_id(absl::StrCat("f", i));
    record.set_cause(i % 8 == 0 ? v1::APP_ERROR : v1::DRAINED);
    BoundLedger(rules_->compiled(), ledger);
  }
  EXPECT_EQ(ledger.history_size(), kMaxHistory);
  EXPECT_EQ(ledger.history_dropped(), 2 * kMaxHistory);
  EXPECT_EQ(std::ranges::count(ledger.history(), v1::APP_ERROR,
                               &v1::AttemptRecord::cause),
            3 * kMaxHistory / 8);
  for (int i = 0; i < kMaxHistory / 4; ++i) {
    EXPECT_EQ(ledger.history(kMaxHistory - 1 - i).failure_id(),
              absl::StrCat("f", 3 * kMaxHistory - 1 - i));
  }
}

TEST_F(LedgerTest, OrdinaryHistoriesAreNotDropped) {
  v1::BudgetLedger ledger;
  for (int i = 0; i < 36; ++i) {
    *ledger.add_history() = Parse<v1::AttemptRecord>(R"pb(
      failure_id: "0123456789abcdef"
      attempt: 12
      cause: CONTAINER_OOM
      charged_to: "memory"
      node: "ip-10-0-0-1.ec2.internal"
      finished_at { seconds: 1700000000 }
      fingerprint: "0123456789abcdef"
      decision {
        action: RETRY
        scope: POD
        retry_after { seconds: 12 }
        queue: IN_PLACE
      }
      ran_for { seconds: 100 }
      observed_at { seconds: 1700000000 }
      used: 1
      bound: 2
    )pb");
  }
  BoundLedger(rules_->compiled(), ledger);
  EXPECT_EQ(ledger.history_size(), 36);
}

TEST_F(LedgerTest, TheSizeIsAnUpperBound) {
  std::mt19937 random(5);
  for (int i = 0; i < 500; ++i) {
    v1::BudgetLedger ledger;
    std::string text;
    for (auto n = random() % 40; n > 0; --n) {
      text.push_back(static_cast<char>(random() % 128));
    }
    text += random() % 2 == 0 ? "\xf0\x9f\x98\x80\xe2\x80\xa8" : "\xc3\xa9";
    ledger.set_workload_uid(text);
    auto& record = *ledger.add_history();
    record.set_failure_id(text);
    record.set_node(text);
    if (random() % 2 == 0) record.set_progress(-1.0 / (1 + i));
    record.set_cause(static_cast<v1::Cause>(random() % 49));
    record.mutable_decision()->set_sentence(text);
    (*ledger.mutable_budgets())[text].set_used(i);
    EXPECT_GE(LedgerJsonBytes(ledger), JsonBytes(ledger))
        << ledger.DebugString();
  }
}

TEST_F(LedgerTest, ForgetsForeignBudgetsOnlyBeyondTheBound) {
  const auto rules = Compiled(
      "budgets { key: 'mine' value { limit: 1 } } default { action: RETRY "
      "budget: 'mine' }");
  v1::BudgetLedger ledger = LargestBudgets();
  (*ledger.mutable_budgets())["mine"].set_used(1);
  BoundLedger(rules->compiled(), ledger);
  EXPECT_EQ(ledger.budgets().size(), kMaxLedgerBudgets);
  EXPECT_TRUE(ledger.budgets().contains("mine"));
}

TEST_F(LedgerTest, RemovesAPendingRecordWithItsCharge) {
  const auto before = Parse<v1::BudgetLedger>(
      "attempts_seen: 3 budgets { key: 'a' value { used: 1 } } history { "
      "failure_id: 'f' }");
  v1::BudgetLedger ledger = before;
  auto record = Parse<v1::AttemptRecord>(
      "failure_id: 'g' charged_to: 'a' decision { action: WAIT }");
  AddRecord(4, record, ledger);
  (*ledger.mutable_budgets())["a"].set_used(2);
  ASSERT_EQ(FindFailure(ledger, "g"), 1);
  EXPECT_TRUE(IsPending(ledger.history(1)));
  EXPECT_FALSE(IsPastAttempt(ledger, 1));
  const v1::BudgetLedger recorded = ledger;
  TakeBack(1, ledger);
  EXPECT_THAT(ledger, EqualsProto(before));
  PutBack(recorded.history(1), 1, ledger);
  EXPECT_THAT(ledger, EqualsProto(recorded));
}

TEST_F(LedgerTest, PastAttemptsAreThoseWithAFinalRecord) {
  const auto ledger = Parse<v1::BudgetLedger>(
      "history { attempt: 3 decision { action: RETRY } } history { attempt: 4 "
      "decision { action: WAIT } }");
  EXPECT_TRUE(IsPastAttempt(ledger, 3));
  EXPECT_FALSE(IsPastAttempt(ledger, 4));
}

}  // namespace
}  // namespace mulligan
