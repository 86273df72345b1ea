// A gang member that reports the loss of a peer may be reported before that
// peer: the peer's report is waited for, whatever owns the gang.
#include <string>
#include <vector>

#include "absl/strings/str_cat.h"
#include "gmock/gmock.h"
#include "gtest/gtest.h"
#include "tests/situations/once_fixture.h"
#include "tests/testing/param_name.h"

namespace mulligan::situations {
namespace {

using ::testing::ElementsAre;
using ::testing::IsEmpty;
using ::testing::Pair;

// An object that owns a gang, and the metadata of its pods.
struct GangOwner {
  const char* name;
  std::string object;
  std::string of_pod;
};

std::string OwnedBy(const std::string& kind, const std::string& name) {
  return absl::StrCat("owner_references { kind: '", kind, "' name: '", name,
                      "' uid: 'O' controller: true } ");
}

std::string Label(const std::string& key, const std::string& value) {
  return absl::StrCat("labels { key: '", key, "' value: '", value, "' } ");
}

const std::string kMeta =
    "metadata { name: 'train' uid: 'O' creation_timestamp { seconds: 99990 } "
    "} ";

std::vector<GangOwner> OwnersOfGangs() {
  return {
      {"JobSet", absl::StrCat("job_set { ", kMeta, "} "),
       OwnedBy("Job", "train-w-0") +
           Label("jobset.sigs.k8s.io/jobset-name", "train") +
           Label("jobset.sigs.k8s.io/jobset-uid", "O")},
      {"PyTorchJob",
       absl::StrCat("kubeflow_job { kind: 'PyTorchJob' ", kMeta, "} "),
       OwnedBy("PyTorchJob", "train") +
           Label("training.kubeflow.org/job-name", "train")},
      {"RayCluster", absl::StrCat("ray_cluster { ", kMeta, "} "),
       OwnedBy("RayCluster", "train") + Label("ray.io/cluster", "train")},
      {"Job",
       absl::StrCat("jobs { ", kMeta, "spec { parallelism: 3 completions: 3 } ",
                    "status { active: 2 failed: 1 } } "),
       OwnedBy("Job", "train")},
      {"SparkApplication", absl::StrCat("spark_application { ", kMeta, "} "),
       Label("sparkoperator.k8s.io/app-name", "train") +
           Label("spark-role", "executor")},
  };
}

std::string MemberOf(const GangOwner& owner, const std::string& name,
                     const std::string& phase, const std::string& status) {
  return Pod(name, owner.of_pod + "creation_timestamp { seconds: 100000 } ",
             phase, status);
}

// With these, only the ends of the other members are unknown.
constexpr char kSeen[] =
    "nodes { metadata { name: 'n' uid: 'N' } status { conditions { type: "
    "'Ready' status: 'True' } } } events { reason: 'Started' type: 'Normal' "
    "involved_object { kind: 'Pod' name: 'a' uid: 'a' } last_timestamp { "
    "seconds: 100001 } } ";

class PeerFirstTest : public DecideOnceTest,
                      public ::testing::WithParamInterface<const char*> {};

TEST_P(PeerFirstTest, WaitsForThePeerThatDied) {
  for (const GangOwner& owner : OwnersOfGangs()) {
    SCOPED_TRACE(owner.name);
    ledger_.Clear();
    const std::string lost =
        kSeen + owner.object +
        MemberOf(owner, "a", "Failed",
                 Ended(100'001, 100'600, 1, "Error", GetParam())) +
        MemberOf(owner, "b", "Running", RunningFrom(100'001));
    const auto first = DecideAt(
        lost + MemberOf(owner, "c", "Running", RunningFrom(100'001)), 100'602);
    EXPECT_EQ(first.decision().action(), v1::Decision::WAIT);
    EXPECT_EQ(first.decision().evidence_deadline().seconds(), 100'660);
    EXPECT_THAT(Charged(), IsEmpty());
    const auto then =
        DecideAt(lost + MemberOf(owner, "c", "Failed",
                                 Ended(100'001, 100'601, 137, "OOMKilled")),
                 100'610);
    EXPECT_EQ(then.diagnosis().culprit().pod(), "c");
    EXPECT_THAT(Charged(), ElementsAre(Pair("memory", 1)));
  }
}

INSTANTIATE_TEST_SUITE_P(
    Words, PeerFirstTest,
    ::testing::Values(
        "DistBackendError: NCCL error: remote process exited or there was a "
        "network error; Connection closed by remote peer",
        "RuntimeError: gloo/transport/tcp/pair.cc:534 Connection closed by "
        "peer [10.0.0.3]:5000",
        "torch.distributed: recv: Connection reset by peer"),
    [](const auto& row) { return ParamName(row.index, row.param); });

}  // namespace
}  // namespace mulligan::situations
