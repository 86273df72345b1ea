// A node is avoided only on evidence about the node: a cause or a row about it,
// or earlier failures there. Checked with every text of the signature tables.
#include <google/protobuf/text_format.h>

#include <algorithm>
#include <memory>
#include <set>
#include <string>
#include <string_view>

#include "absl/strings/str_cat.h"
#include "gmock/gmock.h"
#include "gtest/gtest.h"
#include "policy/decide.h"
#include "policy/demystify/causes.h"
#include "policy/demystify/signatures/samples.h"
#include "policy/demystify/signatures/tables.h"
#include "policy/loader/load.h"
#include "tests/testing/status_matchers.h"

namespace mulligan {
namespace {

using ::testing::IsEmpty;
using ::testing::SizeIs;

class AvoidedNodesTest : public ::testing::Test {
 protected:
  // The answer to attempt `attempt`, which ended on `node` with log `words`.
  v1::DecideResponse Decided(int attempt, std::string_view node,
                             std::string_view words, int exit_code,
                             const v1::BudgetLedger& ledger = {}) const {
    constexpr std::int64_t kBegin = 1'800'000'000;
    constexpr std::int64_t kHour = 3600;
    v1::DecideRequest request;
    *request.mutable_ledger() = ledger;
    v1::FailureReport& report = *request.mutable_report();
    report.mutable_observed_at()->set_seconds(kBegin + attempt * kHour);
    report.mutable_workload()->set_kind("Job");
    report.mutable_workload()->set_uid("j");
    auto& pod = *report.add_pods();
    pod.mutable_metadata()->set_name(absl::StrCat("j-", attempt));
    pod.mutable_metadata()->set_uid(absl::StrCat("p-", attempt));
    pod.mutable_spec()->set_node_name(std::string(node));
    pod.mutable_status()->set_phase("Failed");
    auto& status = *pod.mutable_status()->add_container_statuses();
    status.set_name("main");
    auto& end = *status.mutable_state()->mutable_terminated();
    end.set_exit_code(exit_code);
    end.set_reason("Error");
    end.set_message(std::string(words));
    end.mutable_started_at()->set_seconds(kBegin + attempt * kHour - 1900);
    end.mutable_finished_at()->set_seconds(kBegin + attempt * kHour - 100);
    v1::DecideResponse response;
    EXPECT_THAT(Decide(request, *policies_, {}, response), testing::IsOk());
    return response;
  }

  Issues issues_;
  std::unique_ptr<const PolicySet> policies_ = LoadPolicies({}, issues_);
};

bool IsOfThisNode(std::string_view signature) {
  const std::string_view name = signature.substr(signature.find('/') + 1);
  return std::ranges::any_of(
      demystify::ApplicationTexts().rows(), [name](const auto& row) {
        return row.row.key == name &&
               (row.row.flags & demystify::kOfThisNode) != 0;
      });
}

TEST_F(AvoidedNodesTest, OnlyOnEvidenceAboutTheNode) {
  std::set<std::string> mistakes;
  for (const demystify::TextSample& sample : demystify::TextSamples()) {
    for (const int exit_code : {1, 2, 137}) {
      const v1::DecideResponse answer = Decided(1, "n", sample.text, exit_code);
      if (answer.decision().placement().avoid_nodes().empty()) continue;
      const v1::Diagnosis& diagnosis = answer.diagnosis();
      const bool of_row = IsOfThisNode(diagnosis.signature());
      EXPECT_TRUE(of_row || HasHistory(diagnosis.cause(), kOfNode | kElsewhere))
          << sample.table << "/" << sample.name << " with " << exit_code << ": "
          << diagnosis.summary();
      if (of_row) mistakes.insert(diagnosis.signature());
    }
  }
  // Each row with kOfThisNode is a separate claim, so each is listed.
  EXPECT_THAT(mistakes, ::testing::UnorderedElementsAre(
                            "text/address-in-use", "text/certificate-not-yet",
                            "text/clock-skew", "text/cpu-old",
                            "text/driver-old", "text/eaddrinuse", "text/sdc",
                            "text/watches", "text/watches-full"));
}

TEST_F(AvoidedNodesTest, ForUnexplainedFailuresOnlyWhereTheyRecur) {
  for (const int exit_code : {1, 137}) {
    const v1::DecideResponse first = Decided(1, "a", "", exit_code);
    EXPECT_THAT(first.decision().placement().avoid_nodes(), IsEmpty());
    const v1::DecideResponse there =
        Decided(2, "a", "", exit_code, first.ledger());
    ASSERT_THAT(there.decision().placement().avoid_nodes(), SizeIs(1));
    EXPECT_FALSE(there.decision().placement().avoid_nodes(0).hard());
    const v1::DecideResponse elsewhere =
        Decided(2, "b", "", exit_code, first.ledger());
    EXPECT_THAT(elsewhere.decision().placement().avoid_nodes(), IsEmpty());
  }
}

// The kubelet never reported how the container ended.
TEST_F(AvoidedNodesTest, ForAPodThatFailedWhileItsContainersRan) {
  v1::DecideRequest request;
  ASSERT_TRUE(google::protobuf::TextFormat::ParseFromString(
      R"pb(report {
             observed_at { seconds: 1800000000 }
             pods {
               metadata { name: "p" uid: "p" }
               spec { node_name: "n" }
               status {
                 phase: "Failed"
                 start_time { seconds: 1799990000 }
                 container_statuses {
                   name: "main"
                   state { running { started_at { seconds: 1799990000 } } }
                 }
               }
             }
           })pb",
      &request));
  v1::DecideResponse response;
  EXPECT_THAT(Decide(request, *policies_, {}, response), testing::IsOk());
  EXPECT_EQ(response.diagnosis().cause(), v1::UNKNOWN);
  EXPECT_THAT(response.decision().placement().avoid_nodes(), SizeIs(1));
}

TEST_F(AvoidedNodesTest, NotForExpiredCredentials) {
  constexpr char kExpired[] = "the provided token has expired";
  const v1::DecideResponse first = Decided(1, "a", kExpired, 1);
  const v1::DecideResponse again = Decided(2, "a", kExpired, 1, first.ledger());
  for (const v1::DecideResponse* answer : {&first, &again}) {
    EXPECT_EQ(answer->decision().action(), v1::Decision::RETRY);
    EXPECT_THAT(answer->decision().placement().avoid_nodes(), IsEmpty());
  }
}

}  // namespace
}  // namespace mulligan
