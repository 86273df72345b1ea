#include "policy/compare.h"

#include <string>

#include "gmock/gmock.h"
#include "google/protobuf/text_format.h"
#include "gtest/gtest.h"

namespace mulligan {
namespace {

using ::testing::ElementsAre;
using ::testing::IsEmpty;
using v1::CandidateVerdict;

v1::DecideResponse Parse(const std::string& text) {
  v1::DecideResponse response;
  EXPECT_TRUE(google::protobuf::TextFormat::ParseFromString(text, &response));
  return response;
}

v1::DecideResponse Retry() {
  return Parse(R"pb(
    decision {
      action: RETRY
      scope: POD
      retry_after { seconds: 9 }
      queue: IN_PLACE
      placement { avoid_nodes { node: "n-1" hard: true } }
      resources { resource: "memory" factor: 1.5 }
      sentence: "ours"
    }
    diagnosis { cause: CONTAINER_OOM summary: "ours" }
    accounting { charged_to: "memory" units: 1 }
    policy { name: "default" revision: "r-1" }
    decision_id: "d-1"
  )pb");
}

struct Changed {
  const char* name;
  // Merged into the answer above.
  std::string change;
  CandidateVerdict::Difference difference;
};

class DifferenceTest : public ::testing::TestWithParam<Changed> {};

TEST_P(DifferenceTest, IsSeen) {
  v1::DecideResponse candidates = Retry();
  candidates.MergeFrom(Parse(GetParam().change));
  EXPECT_THAT(Differences(Retry(), candidates),
              ElementsAre(GetParam().difference));
  EXPECT_THAT(Differences(candidates, Retry()),
              ElementsAre(GetParam().difference));
}

INSTANTIATE_TEST_SUITE_P(
    All, DifferenceTest,
    ::testing::Values(
        Changed{"Cause", "diagnosis { cause: APP_ERROR }",
                CandidateVerdict::CAUSE},
        Changed{"Action", "decision { action: FAIL }",
                CandidateVerdict::ACTION},
        Changed{"Scope", "decision { scope: JOB }", CandidateVerdict::SCOPE},
        Changed{"Delay", "decision { retry_after { seconds: 10 } }",
                CandidateVerdict::DELAY},
        Changed{"Queue", "decision { queue: REQUEUE }",
                CandidateVerdict::QUEUE},
        Changed{"OnDemand", "decision { placement { on_demand: true } }",
                CandidateVerdict::PLACEMENT},
        Changed{"AnotherNode",
                "decision { placement { avoid_nodes { node: 'n-2' } } }",
                CandidateVerdict::PLACEMENT},
        Changed{"Resources",
                "decision { resources { resource: 'ephemeral-storage' } }",
                CandidateVerdict::RESOURCES},
        Changed{"Budget", "accounting { charged_to: 'application' }",
                CandidateVerdict::CHARGE},
        Changed{"Exhaustion",
                "accounting { exhaustion { limit: MAX_ATTEMPTS } }",
                CandidateVerdict::EXHAUSTION}),
    [](const auto& param) { return param.param.name; });

TEST(CandidateVerdictTest, IgnoresTextsAndRevisions) {
  v1::DecideResponse candidates = Retry();
  candidates.MergeFrom(Parse(R"pb(
    decision { sentence: "theirs" }
    diagnosis { summary: "theirs" }
    policy { name: "other" revision: "r-2" }
    decision_id: "d-2"
  )pb"));
  EXPECT_THAT(Differences(Retry(), candidates), IsEmpty());
}

TEST(CandidateVerdictTest, SaysWhatTheCandidateWouldDo) {
  v1::DecideResponse candidates = Retry();
  candidates.MergeFrom(Parse(R"pb(
    decision { action: FAIL scope: JOB }
    policy { name: "strict" revision: "r-2" }
  )pb"));
  CandidateVerdict verdict;
  FillCandidate(Retry(), candidates, verdict);
  EXPECT_EQ(verdict.policy().name(), "strict");
  EXPECT_EQ(verdict.policy().revision(), "r-2");
  EXPECT_EQ(verdict.cause(), v1::CONTAINER_OOM);
  EXPECT_EQ(verdict.action(), v1::Decision::FAIL);
  EXPECT_EQ(verdict.scope(), v1::Decision::JOB);
  EXPECT_EQ(verdict.retry_after().seconds(), 9);
  EXPECT_EQ(verdict.charged_to(), "memory");
  EXPECT_EQ(verdict.units(), 1);
  EXPECT_THAT(verdict.differences(),
              ElementsAre(CandidateVerdict::ACTION, CandidateVerdict::SCOPE));
  EXPECT_EQ(verdict.error(), "");
}

TEST(CandidateVerdictTest, AMissingAnswerIsADifference) {
  CandidateVerdict verdict;
  FillCandidateError(absl::NotFoundError("policy: \"a\" is not loaded"),
                     verdict);
  EXPECT_THAT(verdict.differences(), ElementsAre(CandidateVerdict::NO_ANSWER));
  EXPECT_EQ(verdict.error(), "policy: \"a\" is not loaded");
  EXPECT_EQ(verdict.action(), v1::Decision::ACTION_UNSPECIFIED);
}

}  // namespace
}  // namespace mulligan
