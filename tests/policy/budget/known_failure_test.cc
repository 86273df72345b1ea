// Whether a failure is already in the ledger, however much of it was reported.
#include "policy/budget/known_failure.h"

#include <string>

#include "gtest/gtest.h"
#include "policy/budget/failure_id.h"
#include "tests/policy/fixtures.h"

namespace mulligan {
namespace {

using testing::Parse;

// The recorded failure: ran from 1000 to 2000.
constexpr char kRecord[] =
    "attempts_seen: 1 history { failure_id: 'r' attempt: 1 finished_at { "
    "seconds: 2000 } ran_for { seconds: 1000 } observed_at { seconds: 2010 } ";

struct KnownFailureRow {
  const char* name;
  // Of the root; 0 if unknown.
  long begin;
  long end;
  bool known;
  // Ended by itself, not as the echo of a peer.
  bool own = true;
  // More of the record.
  const char* record = "}";
  const char* report = "pods { metadata { uid: 'p' } }";
  bool new_attempt = false;
  long finished = 0;
  std::int64_t counted = -1;
};

class KnownFailureTest : public ::testing::TestWithParam<KnownFailureRow> {};

TEST_P(KnownFailureTest, ByLifetimes) {
  const KnownFailureRow& row = GetParam();
  const auto report = Parse<v1::FailureReport>(row.report);
  Failure failure;
  failure.cause = v1::APP_ERROR;
  Incident& incident = failure.incident;
  for (int pod = 0; pod < report.pods_size(); ++pod) {
    incident.pods.push_back(pod);
  }
  if (row.begin > 0) incident.begin = absl::FromUnixSeconds(row.begin);
  if (row.end > 0) incident.struck = absl::FromUnixSeconds(row.end);
  incident.own = row.own;
  const Owners owners(report);
  const v1::WorkloadReference workload;
  const FailureId id =
      FailureIdOf(owners, workload, incident, absl::FromUnixSeconds(5000));
  failure.finished_at.set_seconds(row.finished > 0 ? row.finished : row.end);
  const auto ledger =
      Parse<v1::BudgetLedger>(std::string(kRecord) + row.record);
  EXPECT_EQ(FindKnown(ledger, {owners, workload, failure, id, row.new_attempt,
                               row.counted}) >= 0,
            row.known);
}

constexpr char kNoPods[] = "jobs { metadata { uid: 'j' } }";

const KnownFailureRow kKnownFailureRows[] = {
    {"LivedWhenTheRecordedPodEnded", 1100, 2030, true},
    {"EndedBeforeTheRecordedPod", 1100, 1990, true},
    {"BeganAfterTheEnd", 2001, 2500, false},
    {"BeganInTheSecondOfTheEnd", 2000, 2500, false},
    {"TheContainerRanLessThanASecond", 3990, 4000, true, true,
     "} history { failure_id: 's' finished_at { seconds: 4000 } ran_for { } "
     "named: true }"},
    {"TheNextBeganInTheSecondOfItsEnd", 4000, 4500, false, true,
     "} history { failure_id: 's' finished_at { seconds: 4000 } ran_for { "
     "seconds: 5 } }"},
    {"EndedBeforeTheRecordedPodBegan", 400, 900, false},
    {"EndedByItselfMuchLater", 1100, 2000 + 1801, false},
    {"EchoedMuchLater", 1100, 2000 + 7200, true, false},
    {"BeginNotKnown", 0, 2030, false},
    {"StillStarting", 1100, 0, false},
    {"AnotherNameIsAnotherFailure", 1100, 2030, false, true, "named: true }",
     "failure_id: 'mine' pods { metadata { uid: 'p' } }"},
    {"AnIdOnlyNow", 1100, 2030, true, true, "}",
     "failure_id: 'mine' pods { metadata { uid: 'p' } }"},
    {"AnIdOnlyBefore", 1100, 2030, true, true, "named: true }"},
    {"TheCallerSaysItIsANewAttempt", 1100, 2030, false, true, "}",
     "attempt: 2 pods { metadata { uid: 'p' } }", true},
    {"OperatorSaysSoALittleLater", 0, 0, true, true, "}", kNoPods, false, 2030},
    {"OperatorSaysSoMuchLater", 0, 0, false, true, "}", kNoPods, false, 2700},
    {"OperatorCountsOneMore", 0, 0, false, true, "}", kNoPods, false, 2030, 2},
    {"OperatorCountsTheSame", 0, 0, true, true, "}", kNoPods, false, 2030, 1},
    {"ItsAttemptBeganBeforeTheRecordedEnd", 0, 0, true, true, "}",
     "ray_job { status { start_time { seconds: 1000 } } }", false, 2030},
    {"ItsAttemptBeganAfterTheRecordedEnd", 0, 0, false, true, "}",
     "ray_job { status { start_time { seconds: 2005 } } }", false, 2030},
    {"EndedAsItsNextAttemptBegan", 0, 0, true, true, "}",
     "ray_job { status { start_time { seconds: 2030 } } }", false, 2030},
    {"ItsSubmissionWasAfterTheRecordedEnd", 0, 0, false, true, "}",
     "spark_application { status { last_submission_attempt_time { seconds: "
     "2005 } } }",
     false, 2030},
    {"ItStruckBeforeItEnded", 1950, 2500, false, true,
     "struck_at { seconds: 1940 } }"},
};

INSTANTIATE_TEST_SUITE_P(Ledger, KnownFailureTest,
                         ::testing::ValuesIn(kKnownFailureRows),
                         [](const auto& row) { return row.param.name; });

TEST(KnownFailure, ByTheIdOfAnotherMemberOfTheGang) {
  const auto report = Parse<v1::FailureReport>(
      "pods { metadata { uid: 'a' } } pods { metadata { uid: 'b' } }");
  const Owners owners(report);
  const v1::WorkloadReference workload;
  Failure failure;
  failure.cause = v1::APP_ERROR;
  Incident& incident = failure.incident;
  incident.pods = {0, 1};
  const FailureId id =
      FailureIdOf(owners, workload, incident, absl::FromUnixSeconds(1));
  v1::BudgetLedger ledger;
  ledger.add_history()->set_failure_id("x");
  ledger.add_history()->set_failure_id(IdOfPod(owners, workload, 1));
  EXPECT_EQ(FindKnown(ledger, {owners, workload, failure, id}), 1);
}

TEST(KnownFailure, ByTheIdThatEarlierReleasesGaveIt) {
  const auto report =
      Parse<v1::FailureReport>("attempt: 1 pods { metadata { uid: 'p' } }");
  const Owners owners(report);
  const auto workload = Parse<v1::WorkloadReference>("uid: 'w'");
  Failure failure;
  failure.cause = v1::APP_ERROR;
  Incident& incident = failure.incident;
  incident.pods = {0};
  const FailureId id =
      FailureIdOf(owners, workload, incident, absl::FromUnixSeconds(1));
  v1::BudgetLedger ledger;
  ledger.add_history()->set_failure_id("be06cecabf4ce454");
  EXPECT_EQ(FindKnown(ledger, {owners, workload, failure, id}), 0);
}

// Reported first by a counter alone, then with its pod.
TEST(KnownFailure, RecordedWithoutAnyTime) {
  const auto report =
      Parse<v1::FailureReport>("pods { metadata { uid: 'a' } }");
  const Owners owners(report);
  const v1::WorkloadReference workload;
  Failure failure;
  failure.cause = v1::APP_ERROR;
  Incident& incident = failure.incident;
  incident.pods = {0};
  incident.own = true;
  incident.begin = absl::FromUnixSeconds(1000);
  incident.struck = absl::FromUnixSeconds(2000);
  failure.finished_at.set_seconds(2000);
  const FailureId id =
      FailureIdOf(owners, workload, incident, absl::FromUnixSeconds(1));
  const ReportedFailure reported{owners, workload, failure, id};
  EXPECT_EQ(FindKnown(Parse<v1::BudgetLedger>(
                          "history { observed_at { seconds: 2010 } }"),
                      reported),
            0);
  EXPECT_EQ(FindKnown(Parse<v1::BudgetLedger>(
                          "history { observed_at { seconds: 1500 } }"),
                      reported),
            -1)
      << "it had not happened yet";
}

}  // namespace
}  // namespace mulligan
