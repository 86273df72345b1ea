#include "policy/words/container_specs.h"

#include <google/protobuf/util/json_util.h>

#include <optional>
#include <string>

#include "gtest/gtest.h"

namespace mulligan {
namespace {

v1::FailureReport ReportOf(const std::string& json) {
  google::protobuf::util::JsonParseOptions options;
  options.ignore_unknown_fields = true;
  v1::FailureReport report;
  EXPECT_TRUE(
      google::protobuf::util::JsonStringToMessage(json, &report, options).ok());
  return report;
}

constexpr auto kLimits = Amounts::kLimits;

constexpr char kPod[] = R"({"metadata":{"name":"a"},"spec":{"containers":[
  {"name":"main","resources":{"limits":{"memory":"6Gi","cpu":2}}},
  {"name":"side"}],"initContainers":[
  {"name":"mount","resources":{"limits":{"memory":"256Mi"}}}]}})";
constexpr char kJobSet[] = R"({"metadata":{"name":"j"},"spec":{
  "replicatedJobs":[{"template":{"spec":{"template":{"spec":{"containers":[
  {"name":"main","resources":{"limits":{"memory":"4Gi"}}}]}}}}}]}})";
constexpr char kOtherJob[] = R"({"spec":{"template":{"spec":{"containers":[
  {"name":"main","resources":{"limits":{"memory":8589934592}}}]}}}})";

TEST(ContainerSpecsTest, DistinguishesPodsFromTheirTemplates) {
  const v1::FailureReport report = ReportOf(std::string("{\"pods\":[") + kPod +
                                            "],\"jobSet\":" + kJobSet + "}");
  const ContainerSpecs specs(report);
  EXPECT_EQ(specs.OfPod("a", "main", "memory", kLimits), "6Gi");
  EXPECT_EQ(specs.OfPod("a", "main", "cpu", kLimits), "2");
  EXPECT_EQ(specs.OfPod("a", "mount", "memory", kLimits), "256Mi");
  EXPECT_EQ(specs.OfPod("a", "main", "memory", Amounts::kRequests),
            std::nullopt);
  EXPECT_EQ(specs.OfPod("a", "side", "memory", kLimits), std::nullopt);
  EXPECT_EQ(specs.OfPod("b", "main", "memory", kLimits), std::nullopt);
  EXPECT_EQ(specs.OfTemplates("j", "main", "memory", kLimits), "4Gi");
  EXPECT_EQ(specs.OfTemplates("", "main", "memory", kLimits), "4Gi");
  EXPECT_TRUE(specs.Knows("side"));
  EXPECT_FALSE(specs.Knows("other"));
}

TEST(ContainerSpecsTest, DifferingTemplatesHoldOnlyForTheirWorkload) {
  const v1::FailureReport report = ReportOf(
      std::string("{\"jobs\":[") + kOtherJob + "],\"jobSet\":" + kJobSet + "}");
  const ContainerSpecs specs(report);
  EXPECT_EQ(specs.OfTemplates("", "main", "memory", kLimits), std::nullopt);
  EXPECT_EQ(specs.OfTemplates("k", "main", "memory", kLimits), std::nullopt);
  EXPECT_EQ(specs.OfTemplates("j", "main", "memory", kLimits), "4Gi");
}

// Protobuf encoding has messages where JSON has strings and numbers.
TEST(ContainerSpecsTest, ReadsTheProtobufEncoding) {
  v1::FailureReport report;
  auto& pod = *report.add_pods();
  pod.mutable_metadata()->set_name("a");
  auto& container = *pod.mutable_spec()->add_containers();
  container.set_name("main");
  (*container.mutable_resources()->mutable_limit_quantities())["memory"]
      .set_string("6Gi");
  auto& mount = *container.add_volume_mounts();
  mount.set_name("tmp");
  mount.set_mount_path("/tmp/");
  auto& volume = *pod.mutable_spec()->add_volumes();
  volume.set_name("tmp");
  volume.mutable_volume_source()
      ->mutable_empty_dir()
      ->mutable_size_limit_quantity()
      ->set_string("1Gi");
  const ContainerSpecs specs(report);
  EXPECT_EQ(specs.OfPod("a", "main", "memory", kLimits), "6Gi");
  const std::optional<VolumeSpec> found = specs.VolumeAt("a", "main", "/tmp/x");
  ASSERT_TRUE(found.has_value());
  EXPECT_TRUE(found->is_empty_dir);
  EXPECT_EQ(found->size_limit, "1Gi");
  EXPECT_EQ(specs.VolumeAt("a", "main", "/tmpx"), std::nullopt);
}

}  // namespace
}  // namespace mulligan
