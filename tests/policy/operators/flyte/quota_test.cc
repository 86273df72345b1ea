#include "policy/operators/flyte/quota.h"

#include "gtest/gtest.h"

namespace mulligan::flyte {
namespace {

TEST(QuantityTest, ReadsWhatKubernetesReads) {
  const auto quantity = [](const char* text) {
    return ParseQuantity(text).value_or(-1);
  };
  EXPECT_EQ(quantity("1"), quantity("1000m"));
  EXPECT_EQ(quantity("0.1"), quantity("100m"));
  EXPECT_EQ(quantity("1e3"), quantity("1k"));
  EXPECT_EQ(quantity("1Gi"), quantity("1024Mi"));
  EXPECT_EQ(quantity("+2"), quantity("2.0"));
  EXPECT_LT(quantity("999M"), quantity("1G"));
  EXPECT_LT(quantity("1G"), quantity("1Gi"));
  EXPECT_EQ(quantity("-1"), -quantity("1"));
  EXPECT_EQ(quantity("0.0000000001"), quantity("1n"));
  EXPECT_LT(quantity("8000Ei"), quantity("8001Ei"));
}

TEST(QuantityTest, RefusesTheRest) {
  for (const char* const text :
       {"", "Gi", "1 Gi", "1gi", "1.2.3", "1e", "1e99", "--1", "0x10",
        "99999999999999999999", "1e2147483647", "1e-99999999999"}) {
    EXPECT_FALSE(ParseQuantity(text).has_value()) << text;
  }
}

TEST(QuotaTest, EqualToTheQuotaIsTooBigAndOtherResourcesDoNotCount) {
  EXPECT_TRUE(IsBeyondQuota("requested: limits.cpu=2, limited: limits.cpu=2"));
  EXPECT_FALSE(IsBeyondQuota("requested: limits.cpu=1, limited: limits.cpu=2"));
  EXPECT_FALSE(IsBeyondQuota("requested: limits.gpu=9, limited: limits.cpu=2"));
  EXPECT_TRUE(
      IsBeyondQuota("requested: requests.cpu=5, used: requests.cpu=0, limited: "
                    "requests.cpu=4"));
  EXPECT_FALSE(IsBeyondQuota("requested: , limited: "));
}

}  // namespace
}  // namespace mulligan::flyte
