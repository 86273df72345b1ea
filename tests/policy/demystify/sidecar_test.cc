// States of a native sidecar next to the work that failed at second 1000.
#include <string>

#include "absl/strings/str_cat.h"
#include "gtest/gtest.h"
#include "tests/policy/demystify/diagnose.h"

namespace mulligan::demystify {
namespace {

struct SidecarCase {
  const char* name;
  // Of the sidecar's status.
  const char* states;
  v1::Cause cause;
};

constexpr SidecarCase kSidecars[] = {
    {"KilledForMemoryShortlyBefore",
     "state { terminated { exit_code: 137 reason: 'OOMKilled' finished_at { "
     "seconds: 998 } } }",
     v1::CONTAINER_OOM},
    {"KilledForMemoryAndRunsAgain",
     "state { running {} } last_state { terminated { exit_code: 137 reason: "
     "'OOMKilled' finished_at { seconds: 998 } } }",
     v1::CONTAINER_OOM},
    // Sidecars are stopped after the work: how they end then means nothing.
    {"KilledForMemoryAndStoppedAfterwards",
     "state { terminated { exit_code: 143 reason: 'Error' finished_at { "
     "seconds: 1005 } } } last_state { terminated { exit_code: 137 reason: "
     "'OOMKilled' finished_at { seconds: 998 } } }",
     v1::CONTAINER_OOM},
    {"KilledForMemoryAndWentWillingly",
     "state { terminated { exit_code: 0 reason: 'Completed' finished_at { "
     "seconds: 1003 } } } last_state { terminated { exit_code: 137 reason: "
     "'OOMKilled' finished_at { seconds: 998 } } }",
     v1::CONTAINER_OOM},
    {"KilledWhenTheWorkHadFailed",
     "state { terminated { exit_code: 137 reason: 'OOMKilled' finished_at { "
     "seconds: 1002 } } }",
     v1::APP_ERROR},
    {"KilledForMemoryLongBefore",
     "state { running {} } last_state { terminated { exit_code: 137 reason: "
     "'OOMKilled' finished_at { seconds: 500 } } }",
     v1::APP_ERROR},
    {"StoppedWhenTheWorkHadFailed",
     "state { terminated { exit_code: 0 reason: 'Completed' finished_at { "
     "seconds: 1003 } } }",
     v1::APP_ERROR},
};

class Sidecar : public ::testing::TestWithParam<SidecarCase> {};

TEST_P(Sidecar, CountsWhereItMayBeWhyTheWorkFailed) {
  const v1::Diagnosis diagnosis = Diagnose(absl::StrCat(
      "pods { spec { init_containers { name: 'mount' restart_policy: 'Always' "
      "} containers { name: 'main' } } status { phase: 'Failed' "
      "init_container_statuses { name: 'mount' ",
      GetParam().states,
      " } container_statuses { name: 'main' state { terminated { exit_code: 1 "
      "reason: 'Error' finished_at { seconds: 1000 } } } } } }"));
  EXPECT_EQ(v1::Cause_Name(diagnosis.cause()),
            v1::Cause_Name(GetParam().cause));
  EXPECT_EQ(diagnosis.culprit().container(),
            GetParam().cause == v1::CONTAINER_OOM ? "mount" : "main");
}

INSTANTIATE_TEST_SUITE_P(, Sidecar, ::testing::ValuesIn(kSidecars),
                         [](const auto& test) { return test.param.name; });

}  // namespace
}  // namespace mulligan::demystify
