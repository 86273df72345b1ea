#include "policy/operators/trainjob/validation.h"

#include <functional>
#include <string>
#include <vector>

#include "gmock/gmock.h"
#include "gtest/gtest.h"
#include "tests/policy/operators/jobset/test_objects.h"

namespace mulligan::trainjob {
namespace {

using ::mulligan::jobset::Parse;
using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::IsEmpty;
using ::testing::SizeIs;

struct CreationCase {
  std::string name;
  std::function<void(Creation&)> change;
  // Field of the only refusal; empty: admitted.
  std::string refused;
};

class TrainJobCreationTest : public testing::TestWithParam<CreationCase> {};

TEST_P(TrainJobCreationTest, NamesTheField) {
  Creation creation;
  creation.runtime.policy = "Torch";
  GetParam().change(creation);
  const FieldErrors errors = ValidateCreation(creation).errors;
  if (GetParam().refused.empty()) {
    EXPECT_THAT(errors, IsEmpty()) << FormatFieldError(errors.front());
    return;
  }
  ASSERT_THAT(errors, SizeIs(1));
  EXPECT_EQ(errors.front().field, GetParam().refused);
}

const CreationCase kCreationCases[] = {
    {"Nothing", [](Creation&) {}, ""},
    {"NoNodes", [](Creation& c) { c.spec.mutable_trainer()->set_num_nodes(0); },
     ""},
    {"NegativeNodes",
     [](Creation& c) { c.spec.mutable_trainer()->set_num_nodes(-1); },
     "spec.trainer.numNodes"},
    {"OneProcess", [](Creation& c) { c.num_proc_per_node = 1; }, ""},
    {"NoProcess", [](Creation& c) { c.num_proc_per_node = 0; },
     "spec.trainer.numProcPerNode"},
    {"NoDeadline", [](Creation& c) { c.spec.set_active_deadline_seconds(0); },
     "spec.activeDeadlineSeconds"},
    {"OtherManager", [](Creation& c) { c.spec.set_managed_by("me"); },
     "spec.managedBy"},
    {"Kueue",
     [](Creation& c) { c.spec.set_managed_by("kueue.x-k8s.io/multikueue"); },
     ""},
    {"NoRuntime", [](Creation& c) { c.runtime.exists = false; },
     "spec.runtimeRef"},
    {"UnknownRuntime",
     [](Creation& c) { c.spec.mutable_runtime_ref()->set_kind("X"); },
     "spec.runtimeRef"},
    {"ReservedVariable", [](Creation& c) { c.env = {"PET_NODE_RANK"}; },
     "spec.trainer.env"},
    {"VariableReservedElsewhere",
     [](Creation& c) { c.env = {"JAX_PROCESS_ID"}; }, ""},
    {"Uri", [](Creation& c) { c.dataset = {"s3://bucket/path"}; }, ""},
    {"EmptyUri", [](Creation& c) { c.dataset = Initializer(); }, ""},
    {"Path", [](Creation& c) { c.model = {"/data"}; }, ""},
    {"UriWithoutPath", [](Creation& c) { c.dataset = {"s3://"}; },
     "spec.initializer.dataset.storageUri"},
    {"NoUri", [](Creation& c) { c.model = {"invalid"}; },
     "spec.initializer.model.storageUri"},
    {"NoJobForTheModel",
     [](Creation& c) {
       c.model = {"/data"};
       c.runtime.has_model_initializer = false;
     },
     "spec.runtimeRef"},
    {"ReservedInitContainer",
     [](Creation& c) {
       c.runtime.policy = "Flux";
       c.runtime.init_containers = {"flux-installer"};
     },
     "spec.runtimeRef"},
};

INSTANTIATE_TEST_SUITE_P(Table, TrainJobCreationTest,
                         testing::ValuesIn(kCreationCases),
                         [](const auto& test) { return test.param.name; });

TEST(TrainJobCreationTest, DeprecatedRuntimesAreOnlySaid) {
  Creation creation;
  creation.spec.mutable_runtime_ref()->set_name("old");
  creation.runtime.deprecated = true;
  const CreationIssues issues = ValidateCreation(creation);
  EXPECT_THAT(issues.errors, IsEmpty());
  EXPECT_THAT(issues.warnings,
              ElementsAre("Referenced ClusterTrainingRuntime \"old\" is "
                          "deprecated"));
}

TEST(ValidateFieldChangesTest, OnlySuspendAndPatchesMayChange) {
  EXPECT_THAT(ValidateFieldChanges({"suspend", "runtimePatches"}), IsEmpty());
  EXPECT_THAT(ValidateFieldChanges({"trainer.image", "runtimeRef.name",
                                    "initializer.model.storageUri", "managedBy",
                                    "activeDeadlineSeconds"}),
              SizeIs(5));
}

TEST(ValidateRuntimePatchesChangeTest, NeedsASuspendedJobAtRest) {
  EXPECT_THAT(ValidateRuntimePatchesChange(false, false, {}), SizeIs(1));
  EXPECT_THAT(ValidateRuntimePatchesChange(true, false, {}), IsEmpty());
  EXPECT_THAT(ValidateRuntimePatchesChange(false, true, {}), IsEmpty());
  JobSetView view;
  view.active_groups = {"a", "node"};
  const FieldErrors errors = ValidateRuntimePatchesChange(true, true, view);
  ASSERT_THAT(errors, SizeIs(2));
  EXPECT_THAT(errors[1].detail,
              HasSubstr("ReplicatedJob node is still active"));
  view.unreadable = true;
  EXPECT_THAT(ValidateRuntimePatchesChange(true, true, view), SizeIs(1));
}

}  // namespace
}  // namespace mulligan::trainjob
