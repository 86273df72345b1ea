#include <string>
#include <vector>

#include "client/cli/story/story.h"
#include "gmock/gmock.h"
#include "google/protobuf/text_format.h"
#include "gtest/gtest.h"
#include "tests/testing/status_matchers.h"

namespace mulligan::cli {
namespace {

using ::mulligan::testing::IsOkAndHolds;
using ::mulligan::testing::StatusIs;
using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::IsEmpty;

constexpr char kLedger[] = R"({"attemptsSeen":2})";

v1::DecideRequest Request(const std::string& pod, const std::string& job) {
  v1::DecideRequest request;
  v1::FailureReport& report = *request.mutable_report();
  auto& pod_meta = *report.add_pods()->mutable_metadata();
  pod_meta.set_name("p");
  if (!pod.empty()) {
    (*pod_meta.mutable_annotations())[kLedgerAnnotation] = pod;
  }
  auto& job_meta = *report.add_jobs()->mutable_metadata();
  job_meta.set_name("j");
  job_meta.set_namespace_("ml");
  job_meta.set_uid("u");
  if (!job.empty()) {
    (*job_meta.mutable_annotations())[kLedgerAnnotation] = job;
  }
  return request;
}

TEST(TakeAnnotatedLedgerTest, PrefersOwners) {
  std::vector<std::string> warnings;
  v1::DecideRequest both = Request(R"({"attemptsSeen":9})", kLedger);
  EXPECT_EQ(TakeAnnotatedLedger(both, warnings), "Job ml/j");
  EXPECT_EQ(both.ledger().attempts_seen(), 2);
  v1::DecideRequest pod = Request(kLedger, "");
  EXPECT_EQ(TakeAnnotatedLedger(pod, warnings), "Pod p");
  EXPECT_EQ(pod.ledger().attempts_seen(), 2);
  v1::DecideRequest none = Request("", "");
  EXPECT_EQ(TakeAnnotatedLedger(none, warnings), "");
  EXPECT_FALSE(none.has_ledger());
  EXPECT_THAT(warnings, IsEmpty());
}

TEST(TakeAnnotatedLedgerTest, KeepsAGivenLedger) {
  std::vector<std::string> warnings;
  v1::DecideRequest request = Request("", "broken");
  request.mutable_ledger();
  EXPECT_EQ(TakeAnnotatedLedger(request, warnings), "");
}

TEST(TakeAnnotatedLedgerTest, IgnoresACopiedAnnotation) {
  std::vector<std::string> warnings;
  v1::DecideRequest request =
      Request("", R"({"workloadUid":"other","attemptsSeen":2})");
  EXPECT_EQ(TakeAnnotatedLedger(request, warnings), "");
  EXPECT_FALSE(request.has_ledger());
  EXPECT_THAT(warnings, ElementsAre(HasSubstr("UID other")));
}

TEST(TakeAnnotatedLedgerTest, WarnsAboutInvalidLedgers) {
  for (const char* value :
       {"{", "[]", "{} {}", R"({"nosuch":1})", R"({"attemptsSeen":"x"})"}) {
    std::vector<std::string> warnings;
    v1::DecideRequest request = Request("", value);
    EXPECT_EQ(TakeAnnotatedLedger(request, warnings), "") << value;
    EXPECT_FALSE(request.has_ledger()) << value;
    EXPECT_THAT(warnings, ElementsAre(AllOf(HasSubstr("Job ml/j: annotation "
                                                      "mulligan.dev/ledger: "),
                                            HasSubstr("continued without it"))))
        << value;
  }
}

TEST(NoteLedgerTest, PrintsTheCommandThatStoresIt) {
  v1::WorkloadReference workload;
  workload.set_kind("Job");
  workload.set_namespace_("ml");
  workload.set_name("j");
  v1::BudgetLedger ledger;
  EXPECT_THAT(NoteLedger(workload, ledger, "").json, IsEmpty());
  ledger.add_history()->set_failure_id("it's");
  const LedgerNote note = NoteLedger(workload, ledger, "Job ml/j");
  EXPECT_EQ(note.json, R"({"history":[{"failureId":"it's"}]})");
  EXPECT_EQ(note.command,
            "kubectl annotate --overwrite -n ml job/j mulligan.dev/ledger="
            R"('{"history":[{"failureId":"it'\''s"}]}')");
}

}  // namespace
}  // namespace mulligan::cli
