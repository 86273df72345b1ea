// Is anything broken? Every kind in every state its API knows, at plausible
// ages (tests/testdata/situations.jsonl), under the embedded default policy.
//
// A line is {"name", "report", "expect", "note"}, with "expect" one of
//   quiet   nothing came to a bad end: IGNORE or WAIT, nothing charged, the
//           ledger as it was sent
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

// A workload that has failed before and spent something.
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

TEST_F(SituationsTest, TheMatrixIsWhole) {
  std::map<std::string, int> expected;
  for (const Situation& situation : *situations_) ++expected[situation.expect];
  EXPECT_GE(expected["quiet"], 300);
  EXPECT_GE(expected["broken"], 100);
  EXPECT_EQ(expected["quiet"] + expected["broken"] + expected["any"],
            static_cast<int>(situations_->size()));
}

TEST_F(SituationsTest, NothingIsDoneOrChargedWithoutEvidenceOfAnEnd) {
  for (const Situation& situation : *situations_) {
    if (situation.expect != "quiet") continue;
    v1::DecideRequest request;
    *request.mutable_report() = situation.report;
    v1::DecideResponse answer = Ask(request);
    EXPECT_THAT(answer.decision().action(),
                AnyOf(v1::Decision::IGNORE, v1::Decision::WAIT))
        << situation.name << ": " << answer.decision().sentence();
    EXPECT_EQ(answer.accounting().units(), 0) << situation.name;
    EXPECT_EQ(answer.ledger().attempts_seen(), 0) << situation.name;
    if (answer.decision().action() == v1::Decision::WAIT) {
      EXPECT_TRUE(answer.decision().has_retry_after()) << situation.name;
    }

    *request.mutable_ledger() = SomeLedger();
    answer = Ask(request);
    answer.mutable_ledger()->clear_workload_uid();
    EXPECT_THAT(answer.ledger(), EqualsProto(SomeLedger())) << situation.name;
  }
}

// What no rule of a user may change either.
TEST_F(SituationsTest, NoPolicyRetriesWhatLives) {
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

TEST_F(SituationsTest, WhatCameToABadEndHasACause) {
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

}  // namespace
}  // namespace mulligan
