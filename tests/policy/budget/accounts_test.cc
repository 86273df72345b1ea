#include "policy/budget/accounts.h"

#include "gtest/gtest.h"
#include "policy/rules/ruleset.h"
#include "tests/policy/fixtures.h"
#include "tests/testing/proto_matchers.h"

namespace mulligan {
namespace {

using testing::Compiled;
using testing::EqualsProto;
using testing::Parse;

const absl::Time kAskedAt = absl::FromUnixSeconds(1000);

class AccountsTest : public ::testing::Test {
 protected:
  void Policy(const char* budgets) {
    rules_ = Compiled(std::string(budgets) + " default { action: FAIL }");
  }
  void Ledger(const char* text) { ledger_ = Parse<v1::BudgetLedger>(text); }
  Accounts Open(absl::Time now = kAskedAt) {
    return Accounts(rules_->compiled().budgets, ledger_, now);
  }
  v1::BudgetLedger Written(const Accounts& accounts) {
    v1::BudgetLedger ledger = ledger_;
    WriteAccounts(accounts, ledger);
    return ledger;
  }

  std::unique_ptr<const Ruleset> rules_;
  v1::BudgetLedger ledger_;
};

TEST_F(AccountsTest, ToleratesFailuresUpToTheLimit) {
  Policy("budgets { key: 'a' value { limit: 2 } }");
  Accounts accounts = Open();
  for (int i = 0; i < 2; ++i) {
    ASSERT_EQ(accounts.FindPayer(0).budget, 0);
    accounts.Charge(0, kAskedAt);
  }
  EXPECT_EQ(accounts.FindPayer(0).budget, kNoBudget);
  EXPECT_EQ(accounts.FindPayer(0).exhausted, 0);
  EXPECT_THAT(Written(accounts),
              EqualsProto("budgets { key: 'a' value { used: 2 } }"));
}

TEST_F(AccountsTest, EscalatesAlongTheChain) {
  Policy(
      "budgets { key: 'a' value { limit: 0 on_exhausted { action: RETRY "
      "budget: 'b' } } } budgets { key: 'b' value { limit: 0 on_exhausted { "
      "action: RETRY budget: 'c' } } } budgets { key: 'c' value { limit: 1 } "
      "}");
  Accounts accounts = Open();
  EXPECT_EQ(accounts.FindPayer(0).budget, 2);
  accounts.Charge(2, kAskedAt);
  EXPECT_EQ(accounts.FindPayer(0).exhausted, 2);
}

TEST_F(AccountsTest, AWindowOpensWithItsFirstChargeAndForgetsAtItsEnd) {
  Policy("budgets { key: 'a' value { limit: 1 window { seconds: 60 } } }");
  Accounts first = Open();
  first.Charge(0, kAskedAt);
  ledger_ = Written(first);
  EXPECT_THAT(ledger_, EqualsProto("budgets { key: 'a' value { used: 1 "
                                   "window_start { seconds: 1000 } } }"));
  EXPECT_EQ(Open(kAskedAt + absl::Seconds(59)).FindPayer(0).budget, kNoBudget);
  EXPECT_EQ(Open(kAskedAt + absl::Seconds(60)).FindPayer(0).budget, 0);
  EXPECT_EQ(Open(kAskedAt + absl::Seconds(60)).at(0).used_before, 0);
  v1::Accounting accounting;
  ReportAccounts(Open(kAskedAt), accounting);
  EXPECT_EQ(accounting.budgets(0).window_ends_at().seconds(), 1060);
}

TEST_F(AccountsTest, ClocksThatRunBackwardsKeepTheWindow) {
  Policy("budgets { key: 'a' value { limit: 1 window { seconds: 60 } } }");
  Ledger(
      "budgets { key: 'a' value { used: 1 window_start { seconds: 5000 } } }");
  EXPECT_EQ(Open().at(0).used, 1);
}

TEST_F(AccountsTest, AWindowAtTheEndOfTimeDoesNotOverflow) {
  Policy(
      "budgets { key: 'a' value { limit: 9 window { seconds: 315360000 } } }");
  Ledger(
      "budgets { key: 'a' value { used: 1 window_start { seconds: "
      "253402300799 nanos: 999999999 } } }");
  v1::Accounting accounting;
  ReportAccounts(Open(), accounting);
  EXPECT_EQ(accounting.budgets(0).window_ends_at().seconds(), 253402300799);
}

TEST_F(AccountsTest, UseBeyondALoweredLimitLeavesNothing) {
  Policy("budgets { key: 'a' value { limit: 1 } }");
  Ledger("budgets { key: 'a' value { used: 1000000000 } }");
  v1::Accounting accounting;
  ReportAccounts(Open(), accounting);
  EXPECT_THAT(accounting.budgets(0),
              EqualsProto("name: 'a' used: 1000000000 limit: 1 used_before: "
                          "1000000000"));
}

TEST_F(AccountsTest, KeepsUseOfBudgetsThePolicyLacks) {
  Policy("budgets { key: 'a' value { limit: 1 } }");
  Ledger("budgets { key: 'other' value { used: 7 } }");
  EXPECT_THAT(Written(Open()), EqualsProto(ledger_));
}

constexpr char kRefund[] =
    "budgets { key: 'a' value { limit: 9 refund_on_progress { min_growth: 10 "
    "ceiling: 2 } } }";

struct RefundRow {
  const char* name;
  const char* ledger;
  const char* progress;
  std::int64_t used;
};

class RefundTest : public AccountsTest,
                   public ::testing::WithParamInterface<RefundRow> {};

TEST_P(RefundTest, GivesBackOneUnitForGrowth) {
  Policy(kRefund);
  Ledger(GetParam().ledger);
  Accounts accounts = Open();
  accounts.Refund(Parse<v1::Progress>(GetParam().progress), ledger_);
  EXPECT_EQ(accounts.at(0).used, GetParam().used);
}

const RefundRow kRefundRows[] = {
    {"Enough", "budgets { key: 'a' value { used: 3 } } history { progress: 5 }",
     "value: 15", 2},
    {"TooLittle",
     "budgets { key: 'a' value { used: 3 } } history { progress: 5 }",
     "value: 14.9", 3},
    {"OverTheBestNotTheLast",
     "budgets { key: 'a' value { used: 3 } } history { progress: 50 } history "
     "{ progress: 5 }",
     "value: 20", 3},
    {"NothingKnownBefore", "budgets { key: 'a' value { used: 3 } } history {}",
     "value: 100", 3},
    {"NothingKnownNow",
     "budgets { key: 'a' value { used: 3 } } history { progress: 5 }", "", 3},
    {"NothingUsed", "history { progress: 5 }", "value: 100", 0},
    {"CeilingReached",
     "budgets { key: 'a' value { used: 3 refunded: 2 } } history { progress: 5 "
     "}",
     "value: 100", 3},
    {"Overflow",
     "budgets { key: 'a' value { used: 3 } } history { progress: -1.7e308 }",
     "value: 1.7e308", 2},
};

INSTANTIATE_TEST_SUITE_P(Accounts, RefundTest, ::testing::ValuesIn(kRefundRows),
                         [](const auto& row) { return row.param.name; });

TEST_F(AccountsTest, HealthyTimeRefundsToo) {
  Policy(
      "budgets { key: 'a' value { limit: 9 refund_on_progress { min_healthy { "
      "seconds: 600 } ceiling: 5 } } }");
  Ledger("budgets { key: 'a' value { used: 1 } }");
  Accounts accounts = Open();
  accounts.Refund(Parse<v1::Progress>("healthy_for { seconds: 599 }"), ledger_);
  EXPECT_EQ(accounts.at(0).refunded_now, 0);
  accounts.Refund(Parse<v1::Progress>("healthy_for { seconds: 600 }"), ledger_);
  EXPECT_EQ(accounts.at(0).refunded_now, 1);
  EXPECT_EQ(accounts.at(0).used, 0);
}

}  // namespace
}  // namespace mulligan
