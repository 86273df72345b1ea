#include "policy/budget/fleet.h"

#include <string>

#include "absl/strings/str_cat.h"
#include "gmock/gmock.h"
#include "gtest/gtest.h"
#include "mulligan/v1/retry_decision_service.pb.h"
#include "policy/budget/history.h"
#include "tests/policy/failures.h"
#include "tests/policy/fixtures.h"

namespace mulligan {
namespace {

using ::testing::HasSubstr;
using ::testing::IsEmpty;
using testing::Parse;

struct FleetRow {
  const char* name;
  const char* recent;
  const char* diagnosis;
  v1::DerivedCause derived;
  const char* reason;  // part of it
};

FleetFinding Ask(const char* recent, const char* diagnosis,
                 const char* ledger = "", const Asking& asking = {},
                 const CompiledDerivation& thresholds = {}) {
  const auto request = Parse<v1::DecideRequest>(recent);
  return DeriveFromFleet(
      thresholds, request.recent(), Parse<v1::BudgetLedger>(ledger),
      testing::FailureIn(Parse<v1::Diagnosis>(diagnosis)), asking);
}

class FleetTest : public ::testing::TestWithParam<FleetRow> {};

TEST_P(FleetTest, FromCounts) {
  const Derived derived = Ask(GetParam().recent, GetParam().diagnosis).derived;
  EXPECT_EQ(v1::DerivedCause_Name(derived.cause),
            v1::DerivedCause_Name(GetParam().derived));
  EXPECT_THAT(derived.reason, HasSubstr(GetParam().reason));
  EXPECT_EQ(derived.reason.empty(),
            derived.cause == v1::DERIVED_CAUSE_UNSPECIFIED);
}

#define TEN_MINUTES "recent { window { seconds: 600 } "
#define GROUP(cause, where, workloads) \
  "groups { cause: " cause " " where " workloads: " workloads " } "
constexpr char kOutage[] =
    "cause: DEPENDENCY_UNAVAILABLE fault_domain: APPLICATION";
constexpr char kGpuOnN7[] =
    "cause: GPU_FAULT fault_domain: INFRASTRUCTURE culprit { node: 'n7' }";

const FleetRow kFleetRows[] = {
    {"Nothing", "", kOutage, v1::DERIVED_CAUSE_UNSPECIFIED, ""},
    {"ManyOfOneCause",
     TEN_MINUTES "failed: 12 " GROUP("DEPENDENCY_UNAVAILABLE", "", "9") "}",
     kOutage, v1::INCIDENT,
     "9 of the 12 workloads that failed in the last 10m met "
     "DEPENDENCY_UNAVAILABLE"},
    {"TooFew",
     TEN_MINUTES "failed: 7 " GROUP("DEPENDENCY_UNAVAILABLE", "", "7") "}",
     kOutage, v1::DERIVED_CAUSE_UNSPECIFIED, ""},
    {"ManyOfAnotherCause",
     TEN_MINUTES "failed: 20 " GROUP("NODE_LOST", "", "20") "}", kOutage,
     v1::DERIVED_CAUSE_UNSPECIFIED, ""},
    {"LessThanHalfOfTheSharedFailures",
     TEN_MINUTES "failed: 30 " GROUP("DEPENDENCY_UNAVAILABLE", "", "9")
         GROUP("NODE_LOST", "", "10") "}",
     kOutage, v1::DERIVED_CAUSE_UNSPECIFIED, ""},
    {"FailuresOfProgramsDoNotCount",
     TEN_MINUTES "failed: 90 " GROUP("DEPENDENCY_UNAVAILABLE", "", "9")
         GROUP("APP_ERROR", "", "81") "}",
     kOutage, v1::INCIDENT, "9 of the 90"},
    {"AsUsual",
     TEN_MINUTES
     "failed: 9 " GROUP("DEPENDENCY_UNAVAILABLE", "usual: 4", "9") "}",
     kOutage, v1::DERIVED_CAUSE_UNSPECIFIED, ""},
    {"HandfulOfALargeFleet",
     TEN_MINUTES
     "failed: 9 running: 2000 " GROUP("DEPENDENCY_UNAVAILABLE", "", "9") "}",
     kOutage, v1::DERIVED_CAUSE_UNSPECIFIED, ""},
    {"OverADay",
     "recent { window { seconds: 86400 } failed: 9 " GROUP(
         "DEPENDENCY_UNAVAILABLE", "", "9") "}",
     kOutage, v1::DERIVED_CAUSE_UNSPECIFIED, ""},
    {"SweepWithABug",
     TEN_MINUTES "failed: 50 " GROUP("APP_ERROR", "", "50") "}",
     "cause: APP_ERROR fault_domain: APPLICATION",
     v1::DERIVED_CAUSE_UNSPECIFIED, ""},
    {"Preemptions", TEN_MINUTES "failed: 50 " GROUP("DRAINED", "", "50") "}",
     "cause: DRAINED fault_domain: DISRUPTION", v1::DERIVED_CAUSE_UNSPECIFIED,
     ""},
    {"OneZoneManyCauses",
     TEN_MINUTES "failed: 16 zone: 'b' " GROUP("NODE_LOST", "zone: 'b'", "4")
         GROUP("FABRIC_FAULT", "zone: 'b'", "6")
             GROUP("HANG", "zone: 'a'", "6") "}",
     "cause: FABRIC_FAULT fault_domain: INFRASTRUCTURE", v1::INCIDENT,
     "10 of the 16 workloads that failed in the last 10m are in zone b"},
    {"ZoneOfTheNode",
     TEN_MINUTES "failed: 9 " GROUP("HANG", "node: 'n1' zone: 'b'", "1")
         GROUP("NODE_LOST", "zone: 'b'", "8") "}",
     "cause: HANG fault_domain: APPLICATION culprit { node: 'n1' }",
     v1::INCIDENT, "are in zone b"},
    {"AnotherZone",
     TEN_MINUTES
     "failed: 9 zone: 'a' " GROUP("NODE_LOST", "zone: 'b'", "9") "}",
     "cause: HANG fault_domain: APPLICATION", v1::DERIVED_CAUSE_UNSPECIFIED,
     ""},
    {"OneImage",
     TEN_MINUTES
     "failed: 9 image: 'x:1' " GROUP("START_TIMEOUT", "image: 'x:1'", "9") "}",
     "cause: START_TIMEOUT fault_domain: QUEUE", v1::INCIDENT,
     "met START_TIMEOUT with image x:1"},
    {"GuiltyNode",
     TEN_MINUTES "failed: 40 nodes: 50 " GROUP("GPU_FAULT", "node: 'n7'", "4")
         GROUP("NODE_LOST", "node: 'n8'", "1") "}",
     kGpuOnN7, v1::BAD_NODE,
     "4 of the 40 workloads that failed in the last 10m are on node n7"},
    {"TwoOnANode",
     TEN_MINUTES
     "failed: 2 nodes: 50 " GROUP("GPU_FAULT", "node: 'n7'", "2") "}",
     kGpuOnN7, v1::DERIVED_CAUSE_UNSPECIFIED, ""},
    {"EveryNodeIsLikeThat",
     TEN_MINUTES "failed: 12 " GROUP("GPU_FAULT", "node: 'n7'", "4")
         GROUP("GPU_FAULT", "node: 'n8'", "4")
             GROUP("GPU_FAULT", "node: 'n9'", "4") "}",
     kGpuOnN7, v1::DERIVED_CAUSE_UNSPECIFIED, ""},
    {"OneNodeIsAllWeKnow",
     TEN_MINUTES "failed: 4 " GROUP("GPU_FAULT", "node: 'n7'", "4") "}",
     kGpuOnN7, v1::DERIVED_CAUSE_UNSPECIFIED, ""},
    {"SweepPackedOnANode",
     TEN_MINUTES "failed: 9 nodes: 50 " GROUP("CRASH_SIGNAL",
                                              "node: 'n7' image: 'x'", "9") "}",
     "cause: CRASH_SIGNAL fault_domain: APPLICATION culprit { node: 'n7' }",
     v1::DERIVED_CAUSE_UNSPECIFIED, ""},
    {"ThreeImagesCrashOnANode",
     TEN_MINUTES
     "failed: 9 nodes: 50 " GROUP("CRASH_SIGNAL", "node: 'n7' image: 'x'", "1")
         GROUP("CRASH_SIGNAL", "node: 'n7' image: 'y'", "1")
             GROUP("CRASH_SIGNAL", "node: 'n7' image: 'z'", "1") "}",
     "cause: CRASH_SIGNAL fault_domain: APPLICATION culprit { node: 'n7' }",
     v1::BAD_NODE, "3 of the 9"},
    {"NodeIsNotToBlameForTheProgram",
     TEN_MINUTES
     "failed: 40 nodes: 50 " GROUP("GPU_FAULT", "node: 'n7'", "4") "}",
     "cause: CONTAINER_OOM fault_domain: RESOURCE_LIMIT culprit { node: 'n7' }",
     v1::DERIVED_CAUSE_UNSPECIFIED, ""},
    {"SecondDigest",
     TEN_MINUTES
     "} recent { window { seconds: 86400 } failed: 9 nodes: 50 " GROUP(
         "GPU_FAULT", "node: 'n7'", "9") "}",
     kGpuOnN7, v1::BAD_NODE,
     "9 of the 9 workloads that failed in the last 24h"},
};

INSTANTIATE_TEST_SUITE_P(Fleet, FleetTest, ::testing::ValuesIn(kFleetRows),
                         [](const auto& row) { return row.param.name; });

constexpr char kForty[] =
    TEN_MINUTES "failed: 40 " GROUP("DEPENDENCY_UNAVAILABLE", "", "40") "}";

TEST(FleetTest, ZeroSwitchesADerivationOff) {
  CompiledDerivation thresholds;
  thresholds.incident_workloads = 0;
  EXPECT_THAT(Ask(kForty, kOutage, "", {}, thresholds).derived.reason,
              IsEmpty());
  thresholds.bad_node_workloads = 0;
  EXPECT_THAT(Ask(TEN_MINUTES "failed: 9 nodes: 9 " GROUP(
                      "GPU_FAULT", "node: 'n7'", "9") "}",
                  kGpuOnN7, "", {}, thresholds)
                  .derived.reason,
              IsEmpty());
}

TEST(FleetTest, WaitsEndAfterSomeIncidents) {
  std::string ledger;
  for (int retries = 0; retries < 3; ++retries) {
    EXPECT_EQ(Ask(kForty, kOutage, ledger.c_str()).derived.cause, v1::INCIDENT);
    absl::StrAppend(&ledger, "history { derived_cause: INCIDENT } ");
  }
  EXPECT_EQ(Ask(kForty, kOutage, ledger.c_str()).derived.cause,
            v1::DERIVED_CAUSE_UNSPECIFIED);
}

// Every five minutes about one of forty victims goes first, and another one in
// the next five. Asked again, it is always the same.
TEST(FleetTest, AboutOneVictimIsTheCanary) {
  constexpr int kRounds = 200;
  int canaries = 0;
  int silent = 0;
  for (int round = 0; round < kRounds; ++round) {
    const absl::Time now = absl::FromUnixSeconds(300 * round);
    int here = 0;
    for (std::uint64_t victim = 0; victim < 40; ++victim) {
      const bool canary =
          Ask(kForty, kOutage, "", {victim, now}).turn == Turn::kCanary;
      EXPECT_EQ(
          canary,
          Ask(kForty, kOutage, "", {victim, now + absl::Seconds(299)}).turn ==
              Turn::kCanary);
      if (canary) ++here;
    }
    canaries += here;
    if (here == 0) ++silent;
  }
  EXPECT_NEAR(canaries, kRounds, kRounds / 4);
  EXPECT_LT(silent, kRounds / 2);
}

TEST(FleetTest, OthersWaitWhileACanaryRuns) {
  constexpr char kUnderWay[] = TEN_MINUTES
      "failed: 40 canaries: 1 " GROUP("DEPENDENCY_UNAVAILABLE", "", "40") "}";
  for (std::uint64_t victim = 0; victim < 1000; ++victim) {
    const FleetFinding finding =
        Ask(kUnderWay, kOutage, "", {victim, absl::UnixEpoch()});
    EXPECT_EQ(finding.derived.cause, v1::INCIDENT);
    EXPECT_EQ(finding.turn, Turn::kWait);
  }
}

TEST(FleetTest, ASuccessfulCanaryReleasesAll) {
  constexpr char kOver[] = TEN_MINUTES
      "failed: 40 recovered: 1 " GROUP("DEPENDENCY_UNAVAILABLE", "", "40") "}";
  for (std::uint64_t victim = 0; victim < 100; ++victim) {
    const FleetFinding finding =
        Ask(kOver, kOutage, "", {victim, absl::UnixEpoch()});
    EXPECT_EQ(finding.derived.cause, v1::INCIDENT);
    EXPECT_EQ(finding.turn, Turn::kOver);
  }
}

}  // namespace
}  // namespace mulligan
