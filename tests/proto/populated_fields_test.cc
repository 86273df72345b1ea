#include "tests/proto/populated_fields.h"

#include "gmock/gmock.h"
#include "gtest/gtest.h"
#include "mulligan/kubernetes/core/v1/event.pb.h"
#include "mulligan/kubernetes/core/v1/node.pb.h"
#include "mulligan/kubernetes/kubeflow/v1/job.pb.h"

namespace mulligan::testing {
namespace {

using ::testing::ElementsAre;
using ::testing::IsEmpty;

TEST(UnpopulatedFieldsTest, ListsUnsetFieldsOfSetMessagesOnly) {
  kubernetes::core::v1::Node node;
  node.mutable_spec()->add_taints()->set_key("gone");
  node.mutable_spec()->set_unschedulable(false);  // set, though false
  EXPECT_THAT(UnpopulatedFields(node, "mulligan."),
              ElementsAre("metadata", "spec.pod_cidr", "spec.provider_id",
                          "spec.taints.value", "spec.taints.effect",
                          "spec.taints.time_added", "status"));
}

TEST(UnpopulatedFieldsTest, StaysInsideThePackage) {
  kubernetes::core::v1::Node node;
  node.mutable_metadata()->set_name("gpu-a-17");
  EXPECT_THAT(UnpopulatedFields(node, "mulligan.kubernetes.core.v1"),
              ElementsAre("spec", "status"));
}

TEST(UnpopulatedFieldsTest, LooksIntoMapValues) {
  kubernetes::kubeflow::v1::JobStatus status;
  (*status.mutable_replica_statuses())["Worker"].set_active(1);
  EXPECT_THAT(UnpopulatedFields(status, "mulligan."),
              ElementsAre("conditions", "replica_statuses.value.succeeded",
                          "replica_statuses.value.failed",
                          "replica_statuses.value.selector", "start_time",
                          "completion_time", "last_reconcile_time"));
}

TEST(UnpopulatedFieldsTest, IsEmptyForAFullMessage) {
  kubernetes::core::v1::EventSeries series;
  series.set_count(1);
  series.mutable_last_observed_time();
  EXPECT_THAT(UnpopulatedFields(series, "mulligan."), IsEmpty());
}

}  // namespace
}  // namespace mulligan::testing
