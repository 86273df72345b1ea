#include "policy/demystify/readers/quota.h"

#include <gtest/gtest.h>

#include <string>
#include <string_view>

namespace mulligan::demystify {
namespace {

TEST(QuotaTest, NeverFitsWhatIsAboveTheLimitByItself) {
  constexpr struct {
    std::string_view name;
    std::string_view amounts;
    bool never_fits;
  } kCases[] = {
      {"used up", "requested: cpu=2, used: cpu=9, limited: cpu=10", false},
      {"all of it", "requested: cpu=10, used: cpu=9, limited: cpu=10", false},
      {"more than all", "requested: cpu=11, used: cpu=0, limited: cpu=10",
       true},
      {"the second resource",
       "requested: cpu=1,memory=500Mi, used: cpu=0,memory=0, limited: "
       "cpu=2,memory=200Mi",
       true},
      {"units differ",
       "requested: memory=2Gi, used: memory=0, limited: memory=4096Mi", false},
      {"names with slashes",
       "requested: requests.nvidia.com/gpu=8, used: requests.nvidia.com/gpu=0, "
       "limited: requests.nvidia.com/gpu=4",
       true},
      {"another resource's limit",
       "requested: cpu=8, used: pods=1, limited: pods=4", false},
      {"no quantity", "requested: cpu=many, used: cpu=0, limited: cpu=4",
       false},
      {"no limit", "requested: cpu=8", false},
      {"nothing", "", false},
  };
  for (const auto& one : kCases) {
    const std::string message = "pods \"a\" is forbidden: exceeded quota: q, " +
                                std::string(one.amounts);
    EXPECT_EQ(NeverFitsQuota(message), one.never_fits) << one.name;
  }
}

}  // namespace
}  // namespace mulligan::demystify
