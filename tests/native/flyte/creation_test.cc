#include <string>
#include <utility>

#include "absl/strings/str_format.h"
#include "gtest/gtest.h"
#include "policy/native/flyte/plugins.h"

namespace mulligan::flyte {
namespace {

// Whether the API server's quota message means that the object never fits.
bool IsBeyondQuota(const std::string& message) {
  v1::CreationError error;
  error.set_reason("Forbidden");
  error.set_message("exceeded quota: compute, " + message);
  const PhaseResult result = CreationPhase(error, /*is_pod=*/true, Settings());
  return result.ok() && IsFailure(result->phase) &&
         result->error->code == "ResourceRequestsExceedLimits";
}

bool IsAtLeast(const char* requested, const char* limited) {
  return IsBeyondQuota(
      absl::StrFormat("requested: limits.memory=%s, limited: limits.memory=%s",
                      requested, limited));
}

TEST(QuantityTest, ReadsKubernetesSuffixes) {
  for (const auto& [one, other] :
       {std::pair("1", "1000m"), std::pair("1e3", "1k"),
        std::pair("1Gi", "1024Mi"), std::pair("1000n", "1u")}) {
    EXPECT_TRUE(IsAtLeast(one, other)) << one;
    EXPECT_TRUE(IsAtLeast(other, one)) << one;
  }
  for (const auto& [less, more] :
       {std::pair("999M", "1G"), std::pair("1G", "1Gi"),
        std::pair("8000Ei", "8001Ei")}) {
    EXPECT_FALSE(IsAtLeast(less, more)) << less;
    EXPECT_TRUE(IsAtLeast(more, less)) << less;
  }
}

TEST(QuantityTest, IgnoresInvalidQuantities) {
  for (const char* const text : {"Gi", "1gi", "1e", "1e99", "0x10",
                                 "99999999999999999999", "1e2147483647"}) {
    EXPECT_FALSE(IsAtLeast(text, "0")) << text;
  }
}

TEST(QuotaTest, EqualToTheQuotaIsTooLargeAndOtherResourcesDoNotCount) {
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
