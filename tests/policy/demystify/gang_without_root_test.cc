// Gangs in which no reported member is known to have failed first.
#include <string>
#include <vector>

#include "gmock/gmock.h"
#include "gtest/gtest.h"
#include "tests/policy/demystify/diagnose.h"

namespace mulligan::demystify {
namespace {

struct EndedMember {
  int code;
  long finished;
  const char* log;
};

// Pods "p-0", "p-1" and so on, each on its own node.
v1::FailureReport Ended(const std::vector<EndedMember>& members) {
  v1::FailureReport report;
  for (const EndedMember& member : members) {
    auto& pod = *report.add_pods();
    const std::string number = std::to_string(report.pods_size() - 1);
    pod.mutable_metadata()->set_name("p-" + number);
    pod.mutable_spec()->set_node_name("n-" + number);
    pod.mutable_status()->set_phase("Failed");
    auto& status = *pod.mutable_status()->add_container_statuses();
    status.set_name("main");
    auto& end = *status.mutable_state()->mutable_terminated();
    end.set_exit_code(member.code);
    end.set_reason("Error");
    end.set_message(member.log);
    if (member.finished > 0) {
      end.mutable_finished_at()->set_seconds(member.finished);
    }
  }
  return report;
}

constexpr char kLostPeer[] =
    "NCCL WARN socketProgress: Connection closed by remote peer node-3<4242>";

struct WithoutRootRow {
  const char* name;
  std::vector<EndedMember> members;
  // Empty: no member is blamed.
  const char* culprit;
  // Part of the summary.
  const char* summary;
};

class GangWithoutRootTest : public ::testing::TestWithParam<WithoutRootRow> {};

TEST_P(GangWithoutRootTest, BlamesNoMemberUnlessOneStandsOut) {
  const WithoutRootRow& row = GetParam();
  const v1::Diagnosis diagnosis = Diagnose(Ended(row.members));
  EXPECT_EQ(diagnosis.culprit().pod(), row.culprit);
  EXPECT_EQ(diagnosis.culprit().node().empty(), row.culprit[0] == '\0');
  EXPECT_EQ(diagnosis.culprit().container(), "main");
  EXPECT_THAT(diagnosis.summary(), ::testing::HasSubstr(row.summary));
}

const WithoutRootRow kWithoutRootRows[] = {
    {"AllLostAnother",
     {{1, 100, kLostPeer}, {1, 100, kLostPeer}},
     "",
     "The workload, container main: another member of the gang died or left "
     "(exit code 1); none of the 2 members that failed began it."},
    {"AllAlike",
     {{1, 100, ""}, {1, 100, ""}, {1, 100, ""}},
     "",
     "3 of 3 members that failed ended so at once, none says why."},
    {"KilledAlike",
     {{137, 100, ""}, {137, 100, ""}},
     "",
     "2 of 2 members that failed ended so at once"},
    {"SeveralKilled",
     {{137, 0, ""}, {143, 0, ""}, {137, 0, ""}, {137, 0, ""}},
     "",
     "3 of 4 members that failed ended so at once"},
    {"OneKilledTheOthersAsked",
     {{143, 0, ""}, {143, 0, ""}, {137, 0, ""}, {143, 0, ""}},
     "p-2",
     "Pod p-2, container main: killed"},
    {"OneKilledInTheSameSecond",
     {{143, 100, ""}, {137, 100, ""}, {143, 100, ""}},
     "p-1",
     "Pod p-1, container main: killed"},
    {"KilledAsTheGraceRanOut",
     {{143, 100, ""}, {137, 130, ""}, {143, 100, ""}, {143, 100, ""}},
     "",
     "3 of 4 members that failed ended so at once"},
    {"ThreeEndedFirst",
     {{1, 103, ""}, {1, 100, ""}, {134, 100, ""}, {1, 100, ""}},
     "",
     "3 of 4 members that failed ended so at once"},
    {"TwoEndedFirst",
     {{1, 103, ""}, {1, 100, ""}, {1, 100, ""}},
     "p-1",
     "Pod p-1, "},
    {"TimesAreUnknown", {{1, 0, ""}, {1, 0, ""}}, "", "2 of 2 members"},
    {"OneEndedFirst", {{1, 101, ""}, {1, 100, ""}}, "p-1", "Pod p-1, "},
    {"OneSaysMore",
     {{1, 100, ""}, {1, 100, "KeyError: 'x'"}},
     "p-1",
     "Pod p-1, "},
    {"AllSayTheSame",
     {{1, 100, "KeyError: 'x'"}, {1, 100, "KeyError: 'x'"}},
     "p-0",
     "Pod p-0, "},
    {"Alone", {{1, 100, ""}}, "p-0", "Pod p-0, "},
};
INSTANTIATE_TEST_SUITE_P(Rows, GangWithoutRootTest,
                         ::testing::ValuesIn(kWithoutRootRows),
                         [](const auto& test) { return test.param.name; });

}  // namespace
}  // namespace mulligan::demystify
