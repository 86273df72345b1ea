// A decided failure is reported again with its object's current state: the
// decision stays, but how to act on it, and what the owner has ruled since, are
// up to date.
#include <string>

#include "absl/strings/str_cat.h"
#include "gtest/gtest.h"
#include "tests/policy/loader/ended_pod.h"

namespace mulligan {
namespace {

v1::DecideRequest WithOwnJob(v1::DecideRequest request,
                             std::string_view failed) {
  auto& job = *request.mutable_report()->add_jobs();
  job.mutable_metadata()->set_name("w");
  job.mutable_metadata()->set_namespace_("ml");
  job.mutable_metadata()->set_uid("j");
  job.mutable_status()->set_failed(1);
  if (!failed.empty()) {
    auto& condition = *job.mutable_status()->add_conditions();
    condition.set_type("Failed");
    condition.set_status("True");
    condition.set_reason(std::string(failed));
    condition.mutable_last_transition_time()->set_seconds(kEndsAt + 4);
  }
  return request;
}

v1::DecideRequest ReportedLater(v1::DecideRequest request,
                                const v1::DecideResponse& before) {
  *request.mutable_ledger() = before.ledger();
  request.mutable_report()->mutable_observed_at()->set_seconds(kEndsAt + 30);
  return request;
}

TEST(ReportedAgain, AJobThatHasFailedSinceMustBeRecreated) {
  const v1::DecideRequest request = RequestOfEnd({.words = "boom"});
  const v1::DecideResponse first = AnswerToEnd(WithOwnJob(request, ""));
  EXPECT_EQ(first.decision().action(), v1::Decision::RETRY);
  EXPECT_EQ(first.decision().scope(), v1::Decision::POD);
  EXPECT_FALSE(first.decision().requires_recreate());

  const v1::DecideResponse again = AnswerToEnd(
      ReportedLater(WithOwnJob(request, "BackoffLimitExceeded"), first));
  EXPECT_TRUE(again.accounting().duplicate());
  EXPECT_EQ(again.decision().action(), v1::Decision::RETRY);
  EXPECT_EQ(again.decision().scope(), v1::Decision::JOB);
  EXPECT_TRUE(again.decision().requires_recreate());
}

TEST(ReportedAgain, ARuleOfTheOwnerRevokesAGrantedRetry) {
  const v1::DecideRequest request = RequestOfEnd({.words = "boom"});
  const v1::DecideResponse first = AnswerToEnd(WithOwnJob(request, ""));
  EXPECT_EQ(first.decision().action(), v1::Decision::RETRY);
  EXPECT_EQ(first.accounting().charged_to(), "application");

  v1::DecideRequest ended = WithOwnJob(request, "PodFailurePolicy");
  ended.mutable_report()->clear_pods();
  const v1::DecideResponse again = AnswerToEnd(ReportedLater(ended, first));
  EXPECT_EQ(again.decision().action(), v1::Decision::FAIL);
  EXPECT_EQ(again.accounting().charged_to(), "");
  EXPECT_EQ(again.ledger().budgets().count("application") == 0 ||
                again.ledger().budgets().at("application").used() == 0,
            true);
  EXPECT_EQ(again.ledger().history_size(), 1);
}

// The operator retried it nevertheless, and counted.
TEST(ReportedAgain, WorkThatWasGivenUpStaysSoWithAnyCounter) {
  const v1::DecideRequest request =
      RequestOfEnd({.words = "usage: train [-h] --data DATA", .exit_code = 2});
  const v1::DecideResponse first = AnswerToEnd(WithOwnJob(request, ""));
  EXPECT_EQ(first.decision().action(), v1::Decision::FAIL);

  v1::DecideRequest gone = WithOwnJob(request, "BackoffLimitExceeded");
  gone.mutable_report()->clear_pods();
  gone.mutable_report()->mutable_jobs(0)->mutable_status()->set_failed(3);
  const v1::DecideResponse again = AnswerToEnd(ReportedLater(gone, first));
  EXPECT_EQ(again.decision().action(), v1::Decision::FAIL);
  EXPECT_EQ(again.ledger().attempts_seen(), first.ledger().attempts_seen());
}

TEST(ReportedAgain, WithoutItsPodsTheCauseStays) {
  v1::DecideRequest request = RequestOfEnd({.words = "", .exit_code = 143});
  auto& condition = *request.mutable_report()
                         ->mutable_pods(0)
                         ->mutable_status()
                         ->add_conditions();
  condition.set_type("DisruptionTarget");
  condition.set_status("True");
  condition.set_reason("EvictionByEvictionAPI");
  const v1::DecideResponse first = AnswerToEnd(WithOwnJob(request, ""));
  EXPECT_EQ(first.diagnosis().cause(), v1::DRAINED);

  v1::DecideRequest gone = WithOwnJob(request, "BackoffLimitExceeded");
  gone.mutable_report()->clear_pods();
  const v1::DecideResponse again = AnswerToEnd(ReportedLater(gone, first));
  EXPECT_TRUE(again.accounting().duplicate());
  EXPECT_EQ(again.diagnosis().cause(), v1::DRAINED);
  EXPECT_EQ(again.diagnosis().fault_domain(), v1::Diagnosis::DISRUPTION);
  EXPECT_NE(again.decision().sentence().find("as drained"), std::string::npos)
      << again.decision().sentence();
}

}  // namespace
}  // namespace mulligan
