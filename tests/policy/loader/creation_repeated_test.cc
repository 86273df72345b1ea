// An operator repeats a failed creation by itself: the default policy waits,
// charges no budget, and gives up eventually.
#include <memory>
#include <string>
#include <string_view>

#include "absl/strings/str_cat.h"
#include "gmock/gmock.h"
#include "gtest/gtest.h"
#include "policy/decide.h"
#include "policy/loader/load.h"
#include "tests/policy/fixtures.h"
#include "tests/testing/status_matchers.h"

namespace mulligan {
namespace {

constexpr std::int64_t kBegin = 1'800'000'000;
constexpr std::int64_t kMinute = 60;

class CreationRepeatedTest : public ::testing::Test {
 protected:
  v1::DecideResponse Asked(v1::FailureReport report, std::int64_t after,
                           const v1::BudgetLedger& ledger = {}) const {
    v1::DecideRequest request;
    *request.mutable_ledger() = ledger;
    report.mutable_observed_at()->set_seconds(kBegin + after);
    request.mutable_report()->Swap(&report);
    v1::DecideResponse response;
    EXPECT_THAT(Decide(request, *policies_, {}, response), testing::IsOk());
    return response;
  }

  Issues issues_;
  std::unique_ptr<const PolicySet> policies_ = LoadPolicies({}, issues_);
};

// A report of refusals from kBegin until `last` seconds later.
v1::FailureReport Refused(const std::string& objects, const char* kind,
                          const char* reason, std::int64_t last = 50) {
  return testing::Parse<v1::FailureReport>(absl::StrCat(
      objects, " events { type: 'Warning' reason: '", reason,
      "' count: 9 message: 'Error creating: Internal error occurred: failed "
      "calling webhook \"v.acme.io\": no endpoints available for service "
      "\"v\"' involved_object { kind: '",
      kind, "' name: 'w' uid: 'u' } first_timestamp { seconds: ", kBegin,
      " } last_timestamp { seconds: ", kBegin + last, " } }"));
}

constexpr char kJob[] =
    "jobs { metadata { name: 'w' uid: 'u' } spec { parallelism: 1 completions: "
    "1 } status { start_time { seconds: 1800000000 } } }";

TEST_F(CreationRepeatedTest, IsWaitedForWithAnyOperator) {
  const struct {
    const char* objects;
    const char* kind;
    const char* reason;
  } rows[] = {
      {kJob, "Job", "FailedCreate"},
      {"", "Job", "FailedCreate"},
      {"job_set { metadata { name: 'w' uid: 'u' } }", "JobSet",
       "JobCreationFailed"},
      {"ray_job { metadata { name: 'w' uid: 'u' } status { "
       "job_deployment_status: 'Initializing' } }",
       "RayJob", "FailedToCreateRayCluster"},
  };
  for (const auto& row : rows) {
    const v1::DecideResponse answer =
        Asked(Refused(row.objects, row.kind, row.reason), kMinute);
    EXPECT_EQ(answer.diagnosis().cause(), v1::API_TRANSIENT) << row.reason;
    EXPECT_EQ(answer.decision().action(), v1::Decision::WAIT) << row.reason;
    EXPECT_EQ(answer.accounting().charged_to(), "") << row.reason;
  }
}

// Trainer's recipe asks before each try.
TEST_F(CreationRepeatedTest, TrainerIsGrantedRetries) {
  const v1::DecideResponse answer =
      Asked(Refused("train_job { metadata { name: 'w' uid: 'u' } }", "TrainJob",
                    "TrainJobResourcesCreationFailed"),
            kMinute);
  EXPECT_EQ(answer.decision().action(), v1::Decision::RETRY);
  EXPECT_EQ(answer.accounting().charged_to(), "control");
}

TEST_F(CreationRepeatedTest, IsRepeatedByACallerWhoseCallItWas) {
  const v1::DecideResponse answer =
      Asked(testing::Parse<v1::FailureReport>(absl::StrCat(
                kJob,
                " creation_error { http_code: 500 message: 'failed calling "
                "webhook \"v\": no endpoints available' }")),
            kMinute);
  EXPECT_EQ(answer.decision().action(), v1::Decision::RETRY);
  EXPECT_EQ(answer.accounting().charged_to(), "control");
}

// Asked every ten minutes, from the first refusal until the pod succeeded.
TEST_F(CreationRepeatedTest, CostsNothingHoweverOftenItIsReported) {
  v1::BudgetLedger ledger;
  for (std::int64_t after = kMinute; after < 600 * kMinute;
       after += 10 * kMinute) {
    const v1::DecideResponse answer =
        Asked(Refused(kJob, "Job", "FailedCreate", after - 5), after, ledger);
    ASSERT_EQ(answer.decision().action(), v1::Decision::WAIT) << after;
    ledger = answer.ledger();
  }
  for (const char* phase : {"Running", "Succeeded"}) {
    v1::FailureReport report =
        Refused(kJob, "Job", "FailedCreate", 590 * kMinute);
    auto& pod = *report.add_pods();
    pod.mutable_metadata()->set_name("w-x");
    pod.mutable_metadata()->mutable_creation_timestamp()->set_seconds(
        kBegin + 600 * kMinute);
    auto& owner = *pod.mutable_metadata()->add_owner_references();
    owner.set_kind("Job");
    owner.set_name("w");
    owner.set_uid("u");
    owner.set_controller(true);
    pod.mutable_status()->set_phase(phase);
    auto& state =
        *pod.mutable_status()->add_container_statuses()->mutable_state();
    if (phase == std::string_view("Running")) {
      state.mutable_running()->mutable_started_at()->set_seconds(kBegin +
                                                                 601 * kMinute);
    } else {
      state.mutable_terminated()->set_reason("Completed");
    }
    const v1::DecideResponse answer = Asked(report, 700 * kMinute, ledger);
    EXPECT_NE(answer.diagnosis().situation(), v1::Diagnosis::BROKEN) << phase;
    EXPECT_THAT(answer.accounting().charged_to(), ::testing::IsEmpty());
    ledger = answer.ledger();
  }
  EXPECT_EQ(ledger.history_size(), 0);
}

TEST_F(CreationRepeatedTest, EndsAfterADay) {
  constexpr std::int64_t kDay = 24 * 60 * kMinute;
  const v1::DecideResponse answer =
      Asked(Refused(kJob, "Job", "FailedCreate", kDay), kDay + kMinute);
  EXPECT_EQ(answer.decision().action(), v1::Decision::FAIL);
  EXPECT_EQ(answer.explanation().decided_by(), v1::Explanation::GRACE);
}

}  // namespace
}  // namespace mulligan
