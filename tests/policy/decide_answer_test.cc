// Everything in an answer except its verdict: explanations, warnings, ids.
#include <string>

#include "absl/strings/str_replace.h"
#include "gmock/gmock.h"
#include "gtest/gtest.h"
#include "tests/policy/decide_fixture.h"
#include "tests/testing/proto_matchers.h"
#include "tests/testing/status_matchers.h"

namespace mulligan {
namespace {

using testing::Bytes;
using ::testing::Contains;
using ::testing::HasSubstr;
using ::testing::IsEmpty;
using ::testing::Not;
using testing::Parse;
using testing::StatusIs;

TEST_F(DecideTest, FullExplanationsListTheRulesTried) {
  v1::DecideRequest request = AppError();
  request.set_explain(v1::DecideRequest::FULL);
  const v1::Explanation explanation = Ask(request).explanation();
  ASSERT_EQ(explanation.rules_tried_size(), 2);
  EXPECT_EQ(explanation.rules_tried(0).failed_predicate(),
            "causes: APP_ERROR is not one of [CONTAINER_OOM]");
  EXPECT_EQ(explanation.decided_by(), v1::Explanation::DEFAULT);
  EXPECT_THAT(explanation.counterfactuals(), Not(IsEmpty()));
}

TEST_F(DecideTest, NoExplanationWhenNoneIsWanted) {
  v1::DecideRequest request = AppError();
  request.set_explain(v1::DecideRequest::EXPLAIN_NONE);
  EXPECT_FALSE(Ask(request).has_explanation());
}

// Adds an inline policy whose rule has a large pattern.
v1::DecideRequest WithABigPattern(v1::DecideRequest request) {
  v1::RetryPolicy& policy = *request.mutable_inline_policy();
  policy.set_api_version("mulligan.dev/v1");
  policy.set_kind("RetryPolicy");
  policy.mutable_metadata()->set_name("patterns");
  v1::RetryPolicySpec& spec = *policy.mutable_spec();
  spec.mutable_default_()->set_action(v1::Decision::FAIL);
  v1::Rule& rule = *spec.add_rules();
  rule.set_name("big");
  rule.mutable_when()->set_message_pattern("(?:ab){900}");
  rule.mutable_then()->set_action(v1::Decision::IGNORE);
  return request;
}

TEST_F(DecideTest, WarnsOfPatternsThatWereNotTried) {
  v1::DecideRequest request = WithABigPattern(AppError());
  EXPECT_THAT(Ask(request).warnings(), Not(Contains(kPatternsUsedUp)));
  for (const char last : {'1', '2', '3', '4', '5'}) {
    request.mutable_report()->add_events()->set_message(
        std::string(kMaxTextBytes - 1, 'x') + last);
  }
  const v1::DecideResponse response = Ask(request);
  EXPECT_EQ(response.decision().action(), v1::Decision::FAIL);
  EXPECT_THAT(response.warnings(), Contains(kPatternsUsedUp));
}

TEST_F(DecideTest, SearchesARepeatedMessageOnce) {
  v1::DecideRequest request = WithABigPattern(AppError());
  for (int i = 0; i < 5; ++i) {
    request.mutable_report()->add_events()->set_message(
        std::string(kMaxTextBytes, 'x'));
  }
  EXPECT_THAT(Ask(request).warnings(), Not(Contains(kPatternsUsedUp)));
}

TEST_F(DecideTest, UnknownEnumsAreAnsweredWithAWarning) {
  v1::DecideRequest request = AppError();
  request.set_explain(static_cast<v1::DecideRequest::Explain>(77));
  request.set_purpose(static_cast<v1::DecideRequest::Purpose>(78));
  const v1::DecideResponse response = Ask(request);
  EXPECT_THAT(response.warnings(), Contains(HasSubstr("explain 77")));
  EXPECT_THAT(response.warnings(), Contains(HasSubstr("purpose 78")));
  EXPECT_TRUE(response.has_explanation());
}

TEST_F(DecideTest, PreviewsAreAnsweredTheSame) {
  v1::DecideRequest request = AppError();
  const std::string enforced = Bytes(Ask(request));
  request.set_purpose(v1::DecideRequest::PREVIEW);
  EXPECT_EQ(Bytes(Ask(request)), enforced);
}

TEST_F(DecideTest, SameRequestSameBytesAndId) {
  AskNext(AppError(1));
  v1::DecideRequest request = OutOfMemory(2);
  *request.mutable_ledger() = ledger_;
  request.set_explain(v1::DecideRequest::FULL);
  const v1::DecideResponse one = Ask(request);
  EXPECT_EQ(Bytes(Ask(request)), Bytes(one));
  EXPECT_THAT(one.decision_id(), Not(IsEmpty()));
  EXPECT_NE(Ask(OutOfMemory(3)).decision_id(), one.decision_id());
}

TEST_F(DecideTest, EchoesIds) {
  v1::DecideRequest request = AppError();
  request.set_request_id("trace-1");
  request.mutable_report()->set_failure_id("mine");
  const v1::DecideResponse response = Ask(request);
  EXPECT_EQ(response.request_id(), "trace-1");
  EXPECT_EQ(response.failure_id(), "mine");
}

TEST_F(DecideTest, AnExitAloneIsChargedEachTimeItIsReported) {
  auto request = Parse<v1::DecideRequest>(
      "report { observed_at { seconds: 1000 } exit { exit_code: 1 } }");
  EXPECT_THAT(AskNext(request).warnings(),
              Contains(HasSubstr("send failureId or attempt")));
  request.mutable_report()->mutable_observed_at()->set_seconds(2000);
  AskNext(request);
  EXPECT_EQ(ledger_.budgets().at("application").used(), 2);
}

TEST_F(DecideTest, DerivedCausesAreShownAndChangeTheVerdict) {
  Use(R"pb(budgets {
             key: "a"
             value { limit: 9 }
           }
           default { action: RETRY budget: "a" })pb");
  // Each runs for a second.
  const auto crash = [](int attempt) {
    v1::DecideRequest request = FailureOfAttempt(attempt, 139, "Error");
    EndOfMain(request).mutable_started_at()->set_seconds(99899 + attempt);
    return request;
  };
  EXPECT_EQ(AskNext(crash(1)).decision().action(), v1::Decision::RETRY);
  EXPECT_EQ(AskNext(crash(2)).decision().action(), v1::Decision::RETRY);
  const v1::DecideResponse third = AskNext(crash(3));
  EXPECT_EQ(third.diagnosis().derived_cause(), v1::DETERMINISTIC);
  EXPECT_THAT(third.diagnosis().derived_reason(), HasSubstr("3 times"));
  EXPECT_EQ(third.decision().action(), v1::Decision::FAIL);
  EXPECT_EQ(third.explanation().decided_by(), v1::Explanation::DERIVED_CAUSE);
  EXPECT_FALSE(third.accounting().has_exhaustion());
}

TEST_F(DecideTest, AnAttemptThatWasNotReportedGrewNothing) {
  Use(absl::StrReplaceAll(kSpec, {{"limit: 1", "limit: 5"}}));
  // The first report holds the pods of three attempts.
  v1::DecideRequest request = OutOfMemory(3);
  for (const int attempt : {1, 2}) {
    *request.mutable_report()->add_pods() =
        OutOfMemory(attempt).report().pods(0);
  }
  const v1::DecideResponse first = AskNext(request);
  EXPECT_EQ(first.accounting().attempts(), 3);
  ASSERT_EQ(first.decision().resources_size(), 1);
  EXPECT_DOUBLE_EQ(first.decision().resources(0).factor(), 1.5);
  EXPECT_THAT(first.ledger().history(0).decision().resources(), IsEmpty());
  // The growth of attempt 3 was granted, so the next one builds on it.
  EXPECT_DOUBLE_EQ(AskNext(OutOfMemory(4)).decision().resources(0).factor(),
                   2.25);
}

TEST_F(DecideTest, TheKillSwitchSaysWhy) {
  Use(std::string(kSpec) +
      "kill_switch { enabled: true reason: 'storage outage' }");
  const v1::DecideResponse response = Ask(AppError());
  EXPECT_EQ(response.decision().action(), v1::Decision::FAIL);
  EXPECT_EQ(response.diagnosis().cause(), v1::APP_ERROR);
  EXPECT_THAT(response.warnings(), Contains(HasSubstr("storage outage")));
}

TEST_F(DecideTest, DemystifyNamesThePolicyWhoseSignaturesItUsed) {
  v1::DemystifyRequest request;
  *request.mutable_report() = AppError().report();
  v1::DemystifyResponse response;
  ASSERT_OK(Demystify(request, *policies_, {}, response));
  EXPECT_EQ(response.diagnosis().cause(), v1::APP_ERROR);
  EXPECT_EQ(response.policy().name(), "test");
  request.set_policy("absent");
  EXPECT_THAT(Demystify(request, *policies_, {}, response),
              StatusIs(absl::StatusCode::kNotFound));
}

}  // namespace
}  // namespace mulligan
