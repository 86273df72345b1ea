#include "client/ledger.h"

#include <string>

#include "gmock/gmock.h"
#include "gtest/gtest.h"
#include "tests/testing/proto_matchers.h"
#include "tests/testing/status_matchers.h"

namespace mulligan {
namespace {

using ::mulligan::testing::EqualsProto;
using ::mulligan::testing::StatusIs;
using ::testing::HasSubstr;

constexpr char kText[] =
    R"({"workloadUid":"u-1","attemptsSeen":3,"budgets":{"memory":{"used":1}}})";

v1::BudgetLedger Ledger() {
  v1::BudgetLedger ledger;
  ledger.set_workload_uid("u-1");
  ledger.set_attempts_seen(3);
  (*ledger.mutable_budgets())["memory"].set_used(1);
  return ledger;
}

TEST(LedgerTest, RoundTripsAsCompactJson) {
  const auto text = LedgerToAnnotation(Ledger());
  ASSERT_TRUE(text.ok()) << text.status();
  EXPECT_EQ(*text, kText);
  const auto read = LedgerFromAnnotation(*text, "u-1");
  ASSERT_TRUE(read.ok()) << read.status();
  ASSERT_TRUE(read->has_value());
  EXPECT_THAT(**read, EqualsProto(Ledger()));
}

TEST(LedgerTest, IsAbsentOrOfAnotherObject) {
  struct Row {
    const char* name;
    std::string text;
    const char* uid;
    bool has;
  };
  const Row rows[] = {
      {"none yet", "", "u-1", false},
      {"blank", " \n", "u-1", false},
      {"of another object", kText, "u-2", false},
      {"without a UID to compare", kText, "", true},
      {"of a later version", R"({"attemptsSeen":1,"mood":"good"})", "u-1",
       true},
  };
  for (const Row& row : rows) {
    const auto read = LedgerFromAnnotation(row.text, row.uid);
    ASSERT_TRUE(read.ok()) << row.name << ": " << read.status();
    EXPECT_EQ(read->has_value(), row.has) << row.name;
  }
}

TEST(LedgerTest, RejectsInvalidLedgers) {
  for (const char* text : {"three", "[]", R"({"attemptsSeen":"many"})"}) {
    EXPECT_THAT(LedgerFromAnnotation(text, "").status(),
                StatusIs(absl::StatusCode::kInvalidArgument,
                         HasSubstr("mulligan.dev/ledger")))
        << text;
  }
}

TEST(LedgerTest, RejectsLargeLedgers) {
  v1::BudgetLedger ledger = Ledger();
  ledger.add_history()->set_failure_id(
      std::string(kMaxLedgerAnnotationBytes, 'x'));
  EXPECT_THAT(LedgerToAnnotation(ledger).status(),
              StatusIs(absl::StatusCode::kInvalidArgument,
                       HasSubstr("expected at most 16384")));
  const auto empty = LedgerToAnnotation(v1::BudgetLedger());
  ASSERT_TRUE(empty.ok());
  EXPECT_EQ(*empty, "");
}

TEST(LedgerTest, SuccessorKeepsUsage) {
  v1::BudgetLedger ledger = Ledger();
  ledger.set_native_count(2);
  v1::BudgetLedger want = Ledger();
  want.clear_workload_uid();
  EXPECT_THAT(HandOnLedger(ledger), EqualsProto(want));
}

}  // namespace
}  // namespace mulligan
