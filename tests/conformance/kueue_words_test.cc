// Cases of Kueue and JobSet in words the shared files do not use, and what
// their cases hold beyond what is asserted.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <fstream>
#include <functional>
#include <ostream>
#include <sstream>
#include <string>
#include <utility>

#include "client/conformance/case.h"
#include "client/conformance/runner.h"
#include "tests/testing/files.h"

namespace mulligan::conformance {
namespace {

void ExpectAllPass(const FileReport& report) {
  std::ostringstream printed;
  PrintReport(report, printed);
  EXPECT_THAT(report.failed, ::testing::IsEmpty()) << printed.str();
  EXPECT_GT(report.passed, 0);
}

struct Words {
  const char* name;
  // The members of a case apart from its id and source.
  const char* members;
};

void PrintTo(const Words& words, std::ostream* out) { *out << words.name; }

FileReport RunCase(const std::string& source, const char* members) {
  // A case is one line.
  std::string text =
      R"({"id":"x","source":")" + source + R"( t",)" + members + "}";
  std::replace(text.begin(), text.end(), '\n', ' ');
  std::istringstream line(text);
  return RunCases("words.jsonl", line);
}

class KueueWordsTest : public ::testing::TestWithParam<Words> {};

TEST_P(KueueWordsTest, Holds) {
  ExpectAllPass(RunCase("kubernetes-sigs/kueue", GetParam().members));
}

constexpr Words kKueue[] = {
    {"AReactivationStartsTheCountAnew",
     R"("kind":"requeue-sequence",
        "input":{"waitForPodsReady":{"backoffLimitCount":2},
                 "timeoutsSoFar":4,"userReactivates":true},
        "expect":{"active":true,"requeueState":{"count":1}})"},
    {"TimeoutsAfterAReactivation",
     R"("kind":"requeue-sequence",
        "input":{"waitForPodsReady":{"backoffLimitCount":3},
                 "timeoutsSoFar":4,"reactivated":true,
                 "timeoutsAfterReactivation":2},
        "expect":{"active":true,"requeueState":{"count":2}})"},
    {"WhileTheBackoffRunsTheWorkloadIsNotQueued",
     R"("kind":"requeue-sequence",
        "input":{"waitForPodsReady":{"backoffBaseSeconds":"long"},
                 "timeoutsSoFar":1,"backoffOver":false},
        "expect":{"conditions":[{"type":"Requeued","status":"False",
                                 "reason":"PodsReadyTimeout"}]})"},
    {"ABackoffNotTalkedAboutMayBeOverOrNot",
     R"("kind":"requeue-sequence",
        "input":{"waitForPodsReady":{},"timeoutsSoFar":1},
        "expect":{"conditions":[{"type":"Requeued","status":"False"},
                                {"type":"Requeued","status":"True"}]})"},
    {"ATinyTimeoutEvictsWhoIsNeverReady",
     R"("kind":"pods-ready-flow",
        "input":{"waitForPodsReady":{"timeout":"tiny"},"podsReady":false},
        "expect":{"evicted":true,"evictedReason":"PodsReadyTimeout"})"},
    {"ALongTimeoutDoesNot",
     R"("kind":"pods-ready-flow",
        "input":{"waitForPodsReady":{"timeout":"5m"},"podsReady":false},
        "expect":{"evicted":false})"},
    {"TheJitterComesAfterTheCap",
     R"("kind":"source-derived",
        "input":{"backoffBaseSeconds":60,"backoffMaxSeconds":3600,
                 "jitter":0.01,"attempts":[1,10]},
        "expect":{"waitSecondsMin":[60,3600],
                  "waitSecondsMax":[60.6,3636]})"},
    {"AWorkloadWithoutAnOwnerIsNotDispatched",
     R"("kind":"multikueue",
        "input":{"check":{"name":"c","state":"Pending"},"owner":null},
        "expect":{"checkState":"Rejected",
                  "messageContains":"No multikueue adapter found"})"},
    {"AnOwnerThatMultiKueueDoesNotManage",
     R"("kind":"multikueue",
        "input":{"check":{"name":"c","state":"Pending"},
                 "owner":{"kind":"Job","managedBy":null}},
        "expect":{"checkState":"Rejected",
                  "messageContains":"not managed by Kueue"})"},
    {"NodesDoNotMatterToTopologiesWithoutThem",
     R"("kind":"node-failure",
        "input":{"now":"2026-01-01T12:00:00Z",
                 "node":{"ready":{"status":"False",
                         "lastTransitionTime":"2026-01-01T11:00:00Z"}},
                 "workload":{"topologyLevels":["rack"],
                             "assignedDomains":["r"],"podCount":1}},
        "expect":{"unhealthyNodes":[],"evicted":false})"},
    {"DefaultsKeepAnyTimeout",
     R"("kind":"config-defaulting",
        "input":{"waitForPodsReady":{"timeout":"<some>"}},
        "expect":{"waitForPodsReady":{"timeout":"<some>",
                                      "recoveryTimeout":"<some>",
                                      "blockAdmission":false}})"},
};
INSTANTIATE_TEST_SUITE_P(Words, KueueWordsTest, ::testing::ValuesIn(kKueue),
                         [](const auto& test) { return test.param.name; });

TEST(JobSetWordsTest, AllJobsSucceeded) {
  ExpectAllPass(RunCase("kubernetes-sigs/jobset",
                        R"("kind":"reconcile-decision",
         "input":{"failurePolicy":{"maxRestarts":1},
                  "replicatedJobs":[{"name":"a","replicas":1},
                                    {"name":"b","replicas":3}],
                  "successPolicy":{"operator":"All",
                                   "targetReplicatedJobs":[]},
                  "failedJobs":[],"succeededJobs":"all",
                  "status":{"restarts":1,"restartsCountTowardsMax":1}},
         "expect":{"terminalState":"Completed"})"));
}

TEST(KueueUnknownWordsTest, AreNotPassedOver) {
  EXPECT_EQ(RunCase("kubernetes-sigs/kueue",
                    R"("kind":"requeue-sequence",
                   "input":{"waitForPodsReady":{},"timeoutsSoFar":1,
                            "timeoutsLater":1},
                   "expect":{"active":true})")
                .passed,
            0);
  EXPECT_EQ(RunCase("kubernetes-sigs/jobset",
                    R"("kind":"reconcile-decision",
                   "input":{"failurePolicy":{"maxRestarts":1},
                            "replicatedJobs":[{"name":"a","replicas":1}],
                            "succeededJobs":"most"},
                   "expect":{"terminalState":"Completed"})")
                .passed,
            0);
}

class SharedCasesTest : public ::testing::TestWithParam<const char*> {
 protected:
  // Runs the cases that `change` keeps, as it changed them.
  static FileReport RunChanged(const std::function<bool(Json& test)>& change) {
    const std::string path = mulligan::testing::SharedDir() / "cases" /
                             (std::string(GetParam()) + ".jsonl");
    std::ifstream file(path);
    std::stringstream changed;
    for (std::string line; std::getline(file, line);) {
      Json test = Json::parse(line);
      if (change(test)) changed << test.dump() << "\n";
    }
    return RunCases(path, changed);
  }
};

// What the peer's code yields, though its test does not assert it.
TEST_P(SharedCasesTest, DerivedFactsHoldToo) {
  MULLIGAN_REQUIRE_SHARED("cases");
  ExpectAllPass(RunChanged([](Json& test) {
    if (!test.contains("derived") || test["derived"].empty()) return false;
    test["expect"] = test["derived"];
    return true;
  }));
}

// A member that is null says no more than one that is absent.
TEST_P(SharedCasesTest, NullIsAbsent) {
  MULLIGAN_REQUIRE_SHARED("cases");
  const std::function<Json(const Json&)> without_nulls =
      [&](const Json& value) -> Json {
    if (!value.is_structured()) return value;
    Json kept = value.is_array() ? Json::array() : Json::object();
    for (const auto& [name, member] : value.items()) {
      if (value.is_array()) {
        kept.push_back(without_nulls(member));
      } else if (!member.is_null()) {
        kept[name] = without_nulls(member);
      }
    }
    return kept;
  };
  ExpectAllPass(RunChanged([&](Json& test) {
    Json input = without_nulls(test["input"]);
    if (input == test["input"]) return false;
    test["input"] = std::move(input);
    return true;
  }));
}

INSTANTIATE_TEST_SUITE_P(Operators, SharedCasesTest,
                         ::testing::Values("kueue", "jobset"),
                         [](const auto& test) {
                           return std::string(test.param);
                         });

}  // namespace
}  // namespace mulligan::conformance
