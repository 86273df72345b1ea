#include "policy/request/workload_view.h"

#include <set>
#include <string>

#include "gtest/gtest.h"
#include "policy/request/kinds.h"
#include "policy/request/owners.h"
#include "tests/policy/fixtures.h"

namespace mulligan {
namespace {

using testing::Parse;
using enum WorkloadPhase;

struct PhaseRow {
  const char* name;
  const char* report;
  WorkloadPhase phase;
  // ReportRunning().
  bool runs = false;
};

class PhaseTest : public ::testing::TestWithParam<PhaseRow> {};

TEST_P(PhaseTest, IsWhatTheObjectsSay) {
  const auto report = Parse<v1::FailureReport>(GetParam().report);
  const Owners owners(report);
  EXPECT_EQ(static_cast<int>(owners.phase), static_cast<int>(GetParam().phase));
  EXPECT_EQ(owners.ReportRunning(), GetParam().runs);
}

#define CONDITION(name) "status { conditions { " name " status: 'True' } } "
#define RAY(words) "ray_job { status { " words " } } "
#define SPARK(words) \
  "spark_application { status { application_state { " words " } } }"

const PhaseRow kPhaseRows[] = {
    {"Nothing", "pods {}", kSilent},
    {"Job", "jobs {}", kOpen},
    {"JobWithReadyPods", "jobs { status { ready: 1 } }", kRuns, true},
    {"JobThatStopsItsPods", "jobs { " CONDITION("type: 'FailureTarget'") "}",
     kGivesUp},
    {"FailedJob", "jobs { " CONDITION("type: 'Failed'") "}", kGivenUp},
    {"CompleteJob", "jobs { " CONDITION("type: 'Complete'") "}", kSucceeded},
    {"SuspendedJob", "jobs { " CONDITION("type: 'Suspended'") "}", kHeld},
    {"TheFurthestJob", "jobs {} jobs { " CONDITION("type: 'Failed'") "}",
     kGivenUp},
    {"JobOfAnEarlierAttempt",
     "jobs { metadata { labels { key: 'jobset.sigs.k8s.io/restart-attempt' "
     "value: '0' } } " CONDITION(
         "type: 'Failed'") "} jobs { metadata { labels { key: "
                           "'jobset.sigs.k8s.io/restart-attempt' "
                           "value: '1' } } }",
     kOpen},
    {"JobSetBeforeItsJobs",
     "job_set {} jobs { " CONDITION("type: 'Failed'") "}", kOpen},
    {"JobSetWithReadyJobs", "job_set {} jobs { status { ready: 1 } }", kOpen,
     true},
    {"JobSetByItsTerminalState",
     "job_set { status { terminal_state: 'Failed' } } "
     "jobs { status { ready: 1 } }",
     kGivenUp},
    {"TrainJobBeforeItsJobSet",
     "train_job { " CONDITION("type: 'Complete'") "} job_set { " CONDITION(
         "type: 'Failed'") "}",
     kSucceeded},
    {"RayJobThatStarts", RAY("job_deployment_status: 'Initializing'"), kWaits},
    {"RayJobThatRuns",
     RAY("job_deployment_status: 'Running' job_status: 'RUNNING'"), kRuns,
     true},
    {"RayJobWhoseProgramFailed",
     RAY("job_deployment_status: 'Running' job_status: 'FAILED'"), kFailing},
    {"RayJobThatIsRetried", RAY("job_deployment_status: 'Retrying'"),
     kRestarts},
    {"FailedRayJob",
     RAY("job_deployment_status: 'Failed' job_status: 'FAILED'"), kGivenUp},
    {"AnUnknownWordMeansNothing", RAY("job_deployment_status: 'Pondering'"),
     kSilent},
    {"ItsSubmitterSaysNothing",
     RAY("job_deployment_status: 'Initializing'") "jobs { status { ready: 1 } "
                                                  "}",
     kWaits},
    {"RayClusterSaysNothing",
     "ray_cluster { status { state: 'ready' } } jobs { status { ready: 1 } }",
     kRuns, true},
    {"SparkThatRuns", SPARK("state: 'RUNNING'"), kRuns, true},
    {"SparkThatIsUndecided", SPARK("state: 'FAILING'"), kFailing},
    {"SparkThatIsSubmittedAgain", SPARK("state: 'PENDING_RERUN'"), kRestarts},
    {"FailedSpark", SPARK("state: 'FAILED'"), kGivenUp},
    {"TrainingJobThatRuns", "kubeflow_job { " CONDITION("type: 'Running'") "}",
     kRuns, true},
    {"TrainingJobThatRestarts",
     "kubeflow_job { status { conditions { type: 'Running' status: 'True' } "
     "conditions { type: 'Restarting' status: 'True' } } }",
     kRestarts},
    {"AQueueOnlyHearsOfIt",
     "kueue_workload { status { conditions { type: 'Admitted' status: 'True' } "
     "conditions { type: 'PodsReady' status: 'True' } } }",
     kSilent, true},
    {"AnEvictedWorkload",
     "kueue_workload { status { conditions { type: 'Admitted' status: 'True' } "
     "conditions { type: 'PodsReady' status: 'True' } "
     "conditions { type: 'Evicted' status: 'True' } } }",
     kSilent},
};

#undef CONDITION
#undef RAY
#undef SPARK

INSTANTIATE_TEST_SUITE_P(Owners, PhaseTest, ::testing::ValuesIn(kPhaseRows),
                         [](const auto& row) { return row.param.name; });

// One object for every workload field of a report.
v1::FailureReport OneOfEach() {
  return Parse<v1::FailureReport>(R"pb(
    job_set { metadata { name: 'a' } }
    ray_job {
      metadata { name: 'b' }
      status { ray_cluster_name: 'b-x' }
    }
    ray_cluster { metadata { name: 'c' } }
    train_job { metadata { name: 'd' } }
    spark_application { metadata { name: 'e' } }
    kubeflow_job {
      kind: 'TFJob'
      metadata {
        name: 'f'
        labels { key: 'kueue.x-k8s.io/queue-name' value: 'q' }
      }
    }
  )pb");
}

TEST(OwnersTest, AreInOrderOfSeniorityWithTheirRows) {
  const v1::FailureReport report = OneOfEach();
  const Owners owners(report);
  std::string found;
  int before = kUnknownSeniority;
  std::set<std::string> fields;
  for (const WorkloadView& view : owners.views) {
    found.append(view.kind_name).append(" ").append(view.meta->name() + ", ");
    EXPECT_LE(view.kind->seniority, before);
    before = view.kind->seniority;
    fields.emplace(view.kind->field);
  }
  EXPECT_EQ(found,
            "RayJob b, TrainJob d, SparkApplication e, TFJob f, JobSet a, "
            "RayCluster c, ");
  EXPECT_EQ(fields.size(), owners.views.size());
}

// Without a view, a kind's field in the report would not be read as a workload.
TEST(OwnersTest, EveryFieldOfAWorkloadHasAView) {
  const std::set<std::string> others = {"pods", "jobs", "kueueWorkload"};
  std::set<std::string> viewed;
  for (const Kind& kind : Kinds()) {
    if (kind.view != nullptr) viewed.emplace(kind.field);
  }
  for (const Kind& kind : Kinds()) {
    const std::string field(kind.field);
    if (!kind.is_workload || field.empty() || others.contains(field)) continue;
    EXPECT_TRUE(viewed.contains(field)) << kind.name;
  }
}

TEST(OwnersTest, NamesItsPartsAndItsQueue) {
  const v1::FailureReport report = OneOfEach();
  const Owners owners(report);
  EXPECT_EQ(owners.views[0].part, "b-x");
  EXPECT_EQ(owners.views[1].part_kind, "JobSet");
  EXPECT_EQ(QueueOf(owners), "q");
}

}  // namespace
}  // namespace mulligan
