#include "policy/base/quantity.h"

#include <optional>

#include "gtest/gtest.h"

namespace mulligan {
namespace {

TEST(MultiplyTest, KeepsTheUnitAndRoundsUp) {
  const struct {
    const char* quantity;
    double factor;
    std::optional<std::string> grown;
  } rows[] = {
      {"4Gi", 1.5, "6Gi"},
      {"4Gi", 2.25, "9Gi"},
      {"1Gi", 1.5, "1.5Gi"},
      {"512Mi", 2, "1Gi"},
      {"500Mi", 1.5, "750Mi"},
      {"4Gi", 1.1, "4.4Gi"},
      {"1.5Gi", 1.5, "2.25Gi"},
      {"10Gi", 3.375, "33.75Gi"},
      {"3Gi", 1.1111, "3.34Gi"},
      {"1000", 1.5, "1500"},
      {"3", 1.5, "5"},
      {"500M", 2, "1G"},
      {"1e9", 2, "2000000000"},
      {"", 2, std::nullopt},
      {"1e300", 2, std::nullopt},
      {"1e", 2, std::nullopt},
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
  } rows[] = {{"1Ki", 1024},
              {"2Gi", 2147483648.0},
              {"500m", 0.5},
              {"3M", 3e6},
              {"17179869184", 17179869184.0},
              {"", std::nullopt},
              {"4Zi", std::nullopt},
              {"8e0", 8},
              {"1E3", 1000},
              {"25e-1", 2.5},
              {"+2", 2},
              {"1E", 1e18},
              {"-1", std::nullopt},
              {"1e+", std::nullopt},
              {"1P", 1e15},
              {"1e99", std::nullopt},
              {"5u", 5 * 1e-6}};
  for (const auto& row : rows) {
    EXPECT_EQ(QuantityValue(row.quantity), row.value) << row.quantity;
  }
}

}  // namespace
}  // namespace mulligan
