#include "policy/budget/history.h"

#include <string>

#include "gmock/gmock.h"
#include "gtest/gtest.h"
#include "tests/policy/failures.h"
#include "tests/policy/fixtures.h"

namespace mulligan {
namespace {

using testing::Parse;

struct HistoryRow {
  const char* name;
  const char* history;
  const char* diagnosis;
  const char* progress;
  v1::DerivedCause derived;
};

class DeriveTest : public ::testing::TestWithParam<HistoryRow> {};

// Failures are observed at second 1000000; the defaults of policy.proto apply.
TEST_P(DeriveTest, FromHistory) {
  const Derived derived = DeriveCause(
      {}, Parse<v1::BudgetLedger>(GetParam().history),
      testing::FailureIn(Parse<v1::Diagnosis>(GetParam().diagnosis)),
      Parse<v1::Progress>(GetParam().progress), absl::FromUnixSeconds(1000000));
  EXPECT_EQ(v1::DerivedCause_Name(derived.cause),
            v1::DerivedCause_Name(GetParam().derived));
  EXPECT_EQ(derived.reason.empty(),
            derived.cause == v1::DERIVED_CAUSE_UNSPECIFIED);
}

constexpr char kAppError[] =
    "cause: APP_ERROR fault_domain: APPLICATION fingerprint: 'f' culprit { "
    "node: 'n' }";
#define SAME "history { cause: APP_ERROR fingerprint: 'f' node: 'n' "
#define CRASH(node, seconds)                                                   \
  "history { cause: CRASH_SIGNAL fingerprint: '" node seconds "' node: '" node \
  "' observed_at { seconds: " seconds " } } "

const HistoryRow kHistoryRows[] = {
    {"NoHistory", "", kAppError, "", v1::DERIVED_CAUSE_UNSPECIFIED},
    {"Twice", SAME "}", kAppError, "", v1::DERIVED_CAUSE_UNSPECIFIED},
    {"ThreeTimes", SAME "} " SAME "}", kAppError, "", v1::DETERMINISTIC},
    {"ThreeTimesAnExitCode", SAME "} " SAME "}",
     "cause: APP_ERROR fault_domain: APPLICATION fingerprint: 'f' outlook: "
     "OUTLOOK_UNKNOWN",
     "", v1::DERIVED_CAUSE_UNSPECIFIED},
    {"ThreeTimesAnExitCodeAtTheSameProgress",
     SAME "progress: 1 } " SAME "progress: 1 }",
     "cause: APP_ERROR fault_domain: APPLICATION fingerprint: 'f' outlook: "
     "OUTLOOK_UNKNOWN",
     "value: 1", v1::DETERMINISTIC},
    {"TwiceAtTheSameStepAfterUnknownTimes", SAME "progress: 7 }", kAppError,
     "value: 7", v1::DERIVED_CAUSE_UNSPECIFIED},
    {"FourTimesAnExitCode", SAME "} " SAME "} " SAME "}",
     "cause: APP_ERROR fault_domain: APPLICATION fingerprint: 'f' outlook: "
     "OUTLOOK_UNKNOWN",
     "", v1::DETERMINISTIC},
    {"OtherFingerprintBetween",
     SAME "} " SAME "} history { cause: APP_ERROR fingerprint: 'g' }",
     kAppError, "", v1::DERIVED_CAUSE_UNSPECIFIED},
    {"OperatorsWordsBetween",
     SAME "} history { cause: APP_ERROR fingerprint: 'g' retried_by: OPERATOR "
          "} " SAME "}",
     kAppError, "", v1::DETERMINISTIC},
    {"PodThatOthersRetriedBetween",
     SAME "} history { cause: APP_ERROR fingerprint: 'g' retried_by: OPERATOR "
          "node: 'n' } " SAME "}",
     kAppError, "", v1::DERIVED_CAUSE_UNSPECIFIED},
    {"DisruptionBetween",
     SAME "} " SAME "} history { cause: SPOT_RECLAIMED fingerprint: 'g' }",
     kAppError, "", v1::DETERMINISTIC},
    {"WaitingBetween",
     SAME "} " SAME
          "} history { cause: UNSCHEDULABLE decision { action: WAIT } "
          "}",
     kAppError, "", v1::DETERMINISTIC},
    {"ProgressBetween", SAME "progress: 1 } " SAME "progress: 2 }", kAppError,
     "value: 2", v1::DERIVED_CAUSE_UNSPECIFIED},
    {"ProgressNow", SAME "progress: 1 } " SAME "progress: 1 }", kAppError,
     "value: 2", v1::DERIVED_CAUSE_UNSPECIFIED},
    {"NoProgress", SAME "progress: 1 } " SAME "progress: 1 }", kAppError,
     "value: 1", v1::DETERMINISTIC},
    {"ChangedResources",
     SAME "} " SAME "decision { resources { factor: 2 } } }", kAppError, "",
     v1::DERIVED_CAUSE_UNSPECIFIED},
    {"TwiceAtTheSameArtifact", SAME "artifact: 'c1' }", kAppError,
     "artifact: 'c1'", v1::DETERMINISTIC},
    {"TwiceAtDifferentArtifacts", SAME "artifact: 'c1' }", kAppError,
     "artifact: 'c2'", v1::DERIVED_CAUSE_UNSPECIFIED},
    {"AlternatingArtifacts", SAME "artifact: 'c1' } " SAME "artifact: 'c2' }",
     kAppError, "artifact: 'c1'", v1::DETERMINISTIC},
    {"SameArtifactWithProgress", SAME "artifact: 'c1' progress: 1 }", kAppError,
     "artifact: 'c1' value: 2", v1::DERIVED_CAUSE_UNSPECIFIED},
    {"OtherFailureAtTheSameArtifact",
     "history { cause: APP_ERROR fingerprint: 'g' artifact: 'c1' }", kAppError,
     "artifact: 'c1'", v1::DERIVED_CAUSE_UNSPECIFIED},
    {"IncidentsDoNotCount", SAME "} " SAME "derived_cause: INCIDENT }",
     kAppError, "", v1::DERIVED_CAUSE_UNSPECIFIED},
    {"NoFingerprint",
     "history { cause: APP_ERROR } history { cause: APP_ERROR }",
     "cause: APP_ERROR fault_domain: APPLICATION", "",
     v1::DERIVED_CAUSE_UNSPECIFIED},
    {"NotOfTheProgram",
     "history { cause: API_TRANSIENT fingerprint: 'f' } history { cause: "
     "API_TRANSIENT fingerprint: 'f' }",
     "cause: API_TRANSIENT fault_domain: CONTROL_PLANE fingerprint: 'f'", "",
     v1::DERIVED_CAUSE_UNSPECIFIED},
    {"NeverForDisruptions",
     "history { cause: DRAINED fingerprint: 'f' node: 'n' } history { cause: "
     "DRAINED fingerprint: 'f' node: 'n' }",
     "cause: DRAINED fault_domain: DISRUPTION fingerprint: 'f' culprit { node: "
     "'n' }",
     "", v1::DERIVED_CAUSE_UNSPECIFIED},
    {"BadNode", CRASH("n", "999000"),
     "cause: GPU_FAULT fault_domain: INFRASTRUCTURE culprit { node: 'n' }", "",
     v1::BAD_NODE},
    {"SameCrashOnTheSameNodeMayBeTheProgram", CRASH("n", "999000"),
     "cause: CRASH_SIGNAL fault_domain: APPLICATION fingerprint: 'n999000' "
     "culprit { node: 'n' }",
     "", v1::DERIVED_CAUSE_UNSPECIFIED},
    {"OtherCrashOnTheSameNode", CRASH("n", "999000"),
     "cause: CRASH_SIGNAL fault_domain: APPLICATION fingerprint: 'f' culprit { "
     "node: 'n' }",
     "", v1::BAD_NODE},
    {"BadNodeOfYesterday", CRASH("n", "900000"),
     "cause: GPU_FAULT fault_domain: INFRASTRUCTURE culprit { node: 'n' }", "",
     v1::DERIVED_CAUSE_UNSPECIFIED},
    {"OtherNode", CRASH("m", "999000"),
     "cause: GPU_FAULT fault_domain: INFRASTRUCTURE culprit { node: 'n' }", "",
     v1::DERIVED_CAUSE_UNSPECIFIED},
    {"NodeIsInnocent", SAME "}", kAppError, "", v1::DERIVED_CAUSE_UNSPECIFIED},
    {"PoisonJob", CRASH("a", "1") CRASH("b", "2"),
     "cause: CRASH_SIGNAL fault_domain: APPLICATION culprit { node: 'c' }", "",
     v1::POISON_JOB},
    {"PoisonNeedsDifferentNodes", CRASH("a", "1") CRASH("a", "2"),
     "cause: CRASH_SIGNAL fault_domain: APPLICATION culprit { node: 'c' }", "",
     v1::DERIVED_CAUSE_UNSPECIFIED},
    {"PoisonNeedsAStreak",
     CRASH("a", "1") CRASH("b", "2") "history { cause: APP_ERROR }",
     "cause: CRASH_SIGNAL fault_domain: APPLICATION culprit { node: 'c' }", "",
     v1::DERIVED_CAUSE_UNSPECIFIED},
    {"CrashLoop",
     CRASH("", "999900") CRASH("", "999910") CRASH("", "999920")
         CRASH("", "999930"),
     "cause: DEPENDENCY_UNAVAILABLE fault_domain: APPLICATION", "",
     v1::CRASH_LOOP},
    {"SlowCrashes",
     CRASH("", "999300") CRASH("", "999910") CRASH("", "999920")
         CRASH("", "999930"),
     "cause: DEPENDENCY_UNAVAILABLE fault_domain: APPLICATION", "",
     v1::DERIVED_CAUSE_UNSPECIFIED},
};

INSTANTIATE_TEST_SUITE_P(History, DeriveTest, ::testing::ValuesIn(kHistoryRows),
                         [](const auto& row) { return row.param.name; });

TEST(DeriveTest, DifferentRunTimesAreDifferentPlaces) {
  const auto derive = [](absl::Duration newest) {
    return DeriveCause(
               {},
               Parse<v1::BudgetLedger>(SAME "ran_for { seconds: 7200 } } " SAME
                                            "ran_for { seconds: 7500 } }"),
               testing::FailureIn(Parse<v1::Diagnosis>(kAppError)), {},
               absl::FromUnixSeconds(1000000), newest)
        .cause;
  };
  EXPECT_EQ(derive(absl::Hours(2)), v1::DETERMINISTIC);
  EXPECT_EQ(derive(absl::Minutes(140)), v1::DETERMINISTIC);
  EXPECT_EQ(derive(absl::Hours(9)), v1::DERIVED_CAUSE_UNSPECIFIED);
  EXPECT_EQ(derive(absl::Minutes(10)), v1::DERIVED_CAUSE_UNSPECIFIED);
}

TEST(EnoughAlike, IsMoreAfterALongRunThatMayRecover) {
  Failure failure = testing::FailureIn(Parse<v1::Diagnosis>(kAppError));
  failure.outlook = v1::Diagnosis::MAY_RECOVER;
  for (const auto& [ran, enough] :
       {std::pair{absl::Minutes(10), 3}, {absl::Hours(2), 4}}) {
    failure.ran_for = ran;
    EXPECT_EQ(EnoughAlike({}, failure, {}, true), enough) << ran;
  }
  failure.outlook = v1::Diagnosis::CANNOT_RECOVER;
  EXPECT_EQ(EnoughAlike({}, failure, {}, true), 3);
}

// An epoch is a long step: two failures within one are not at one place.
TEST(DeriveTest, TheSameStepAfterAnotherTimeIsAnotherPlace) {
  const auto derive = [](absl::Duration ran_for, const char* before,
                         const char* now) {
    return DeriveCause({},
                       Parse<v1::BudgetLedger>(
                           std::string(SAME "ran_for { seconds: 7200 } ") +
                           before + " }"),
                       testing::FailureIn(Parse<v1::Diagnosis>(kAppError)),
                       Parse<v1::Progress>(now), absl::FromUnixSeconds(1000000),
                       ran_for)
        .cause;
  };
  const auto hours = absl::Hours(2);
  EXPECT_EQ(derive(hours, "progress: 7", "value: 7"), v1::DETERMINISTIC);
  EXPECT_EQ(derive(2.5 * hours, "progress: 7", "value: 7"),
            v1::DERIVED_CAUSE_UNSPECIFIED);
  EXPECT_EQ(derive(hours, "progress: 0", "value: 0"),
            v1::DERIVED_CAUSE_UNSPECIFIED)
      << "nothing was done yet";
  EXPECT_EQ(
      derive(hours, "progress: 7 artifact: 'a'", "value: 7 artifact: 'b'"),
      v1::DERIVED_CAUSE_UNSPECIFIED);
}

TEST(EnoughAlike, IsFewerAtAPlaceAndMoreForAnExitCode) {
  const Failure diagnosis = testing::FailureIn(Parse<v1::Diagnosis>(kAppError));
  const auto at_step = Parse<v1::Progress>("value: 7");
  const auto at_artifact = Parse<v1::Progress>("artifact: 'a'");
  EXPECT_EQ(EnoughAlike({}, diagnosis, {}, true), 3);
  EXPECT_EQ(EnoughAlike({}, diagnosis, at_step, true), 2);
  EXPECT_EQ(EnoughAlike({}, diagnosis, at_step, false), 3);
  EXPECT_EQ(EnoughAlike({}, diagnosis, at_artifact, false), 2);
  auto plain = diagnosis;
  plain.outlook = v1::Diagnosis::OUTLOOK_UNKNOWN;
  EXPECT_EQ(EnoughAlike({}, plain, {}, true), 4);
  EXPECT_EQ(
      EnoughAlike({},
                  testing::FailureIn(Parse<v1::Diagnosis>("cause: NODE_LOST")),
                  {}, true),
      0);
}

TEST(DeriveTest, RequiresDistinctNodesOnlyWhenNodesAreKnown) {
  CompiledDerivation thresholds;
  thresholds.distinct_nodes = 2;
  const auto derive = [&thresholds](const char* history, const char* node) {
    v1::Diagnosis diagnosis = Parse<v1::Diagnosis>(
        "cause: APP_ERROR fault_domain: APPLICATION fingerprint: 'f'");
    diagnosis.mutable_culprit()->set_node(node);
    return DeriveCause(thresholds, Parse<v1::BudgetLedger>(history),
                       testing::FailureIn(diagnosis), {},
                       absl::FromUnixSeconds(1))
        .cause;
  };
  EXPECT_EQ(derive(SAME "} " SAME "}", "n"), v1::DERIVED_CAUSE_UNSPECIFIED);
  EXPECT_EQ(derive(SAME "} " SAME "}", "m"), v1::DETERMINISTIC);
  EXPECT_EQ(derive("history { cause: APP_ERROR fingerprint: 'f' } history { "
                   "cause: APP_ERROR fingerprint: 'f' }",
                   ""),
            v1::DETERMINISTIC);
}

TEST(DeriveTest, ZeroSwitchesADerivationOff) {
  CompiledDerivation thresholds;
  thresholds.same_fingerprint = 0;
  EXPECT_EQ(DeriveCause(thresholds,
                        Parse<v1::BudgetLedger>(SAME "} " SAME "} " SAME "}"),
                        testing::FailureIn(Parse<v1::Diagnosis>(kAppError)), {},
                        absl::FromUnixSeconds(1000000))
                .cause,
            v1::DERIVED_CAUSE_UNSPECIFIED);
}

#undef SAME
#undef CRASH

}  // namespace
}  // namespace mulligan
