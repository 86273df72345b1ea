#include "client/cli/input/container_specs.h"

#include <optional>

#include "gtest/gtest.h"

namespace mulligan::cli {
namespace {

TEST(ContainerSpecsTest, TellsPodsFromTheTemplatesTheyAreMadeFrom) {
  ContainerSpecs specs;
  specs.Read(R"({"kind":"Pod","metadata":{"name":"a"},"spec":{"containers":[
    {"name":"main","resources":{"limits":{"memory":"6Gi","cpu":2}}},
    {"name":"side"}]},"status":{"containers":[{"name":"main",
    "resources":{"limits":{"memory":"1Gi"}}}]}})");
  specs.Read(R"({"kind":"JobSet","metadata":{"name":"j"},"spec":{
    "replicatedJobs":[{"template":{"spec":{"template":{"spec":{"containers":[
    {"name":"main","resources":{"limits":{"memory":"4Gi"}}}]}}}}}]}})");
  EXPECT_EQ(specs.LimitOf("a", "main", "memory"), "6Gi");
  EXPECT_EQ(specs.LimitOf("a", "main", "cpu"), "2");
  EXPECT_EQ(specs.LimitOf("a", "side", "memory"), std::nullopt);
  EXPECT_EQ(specs.LimitOf("b", "main", "memory"), std::nullopt);
  EXPECT_EQ(specs.TemplateLimitOf("j", "main", "memory"), "4Gi");
  EXPECT_EQ(specs.TemplateLimitOf("", "main", "memory"), "4Gi");
  // Templates that do not agree tell nothing, but for those of the workload.
  specs.Read(R"({"spec":{"template":{"spec":{"containers":[{"name":"main",
    "resources":{"limits":{"memory":"8Gi"}}}]}}}})");
  EXPECT_EQ(specs.TemplateLimitOf("", "main", "memory"), std::nullopt);
  EXPECT_EQ(specs.TemplateLimitOf("k", "main", "memory"), std::nullopt);
  EXPECT_EQ(specs.TemplateLimitOf("j", "main", "memory"), "4Gi");
}

TEST(MultiplyTest, KeepsTheUnitAndRoundsUp) {
  const struct {
    const char* quantity;
    double factor;
    std::optional<std::string> grown;
  } rows[] = {
      {"4Gi", 1.5, "6Gi"},       {"4Gi", 2.25, "9Gi"},
      {"1Gi", 1.5, "1.5Gi"},     {"512Mi", 2, "1Gi"},
      {"500Mi", 1.5, "750Mi"},   {"4Gi", 1.1, "4.4Gi"},
      {"1.5Gi", 1.5, "2.25Gi"},  {"10Gi", 3.375, "33.75Gi"},
      {"3Gi", 1.1111, "3.34Gi"}, {"1000", 1.5, "1500"},
      {"3", 1.5, "5"},           {"500M", 2, "1G"},
      {"1e9", 2, std::nullopt},  {"", 2, std::nullopt},
      {"x", 2, std::nullopt},
  };
  for (const auto& row : rows) {
    EXPECT_EQ(Multiply(row.quantity, row.factor), row.grown)
        << row.quantity << " x " << row.factor;
  }
}

TEST(QuantityValueTest, IsInTheBaseUnit) {
  const struct {
    const char* quantity;
    std::optional<double> value;
  } rows[] = {
      {"1Ki", 1024},        {"2Gi", 2147483648.0},          {"500m", 0.5},
      {"3M", 3e6},          {"17179869184", 17179869184.0}, {"", std::nullopt},
      {"4Zi", std::nullopt}};
  for (const auto& row : rows) {
    EXPECT_EQ(QuantityValue(row.quantity), row.value) << row.quantity;
  }
}

}  // namespace
}  // namespace mulligan::cli
