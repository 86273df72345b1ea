#include "policy/native/release.h"

#include <optional>
#include <string>
#include <vector>

#include "gmock/gmock.h"
#include "gtest/gtest.h"

namespace mulligan {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::IsEmpty;

TEST(MinorOfTest, ReadsTheUsualSpellings) {
  for (const char* const release :
       {"1.30", "v1.30", "1.30.4", "v1.30.0-rc.1"}) {
    EXPECT_EQ(MinorOf(release, 1), 30) << release;
  }
  EXPECT_EQ(MinorOf("0.11", 0), 11);
}

TEST(MinorOfTest, RefusesInvalidReleases) {
  for (const char* const release :
       {"", "1", "1.", "1.x", "1.-3", "2.30", "11.30", "1.30x", "one",
        "1.99999999999999999999"}) {
    EXPECT_EQ(MinorOf(release, 1), std::nullopt) << release;
  }
}

const Releases kKubernetes = {"kubernetes", 1, 33, 34};

int Choose(const char* version, std::vector<std::string>& warnings) {
  v1::NativeSemantics semantics;
  (*semantics.mutable_versions())["kubernetes"] = version;
  return ChosenMinor(semantics, kKubernetes, warnings);
}

TEST(ChosenMinorTest, AcceptsAKnownRelease) {
  std::vector<std::string> warnings;
  EXPECT_EQ(Choose("1.27", warnings), 27);
  EXPECT_EQ(ChosenMinor({}, kKubernetes, warnings), 33);
  EXPECT_THAT(warnings, IsEmpty());
}

TEST(ChosenMinorTest, WarnsOfUnknownReleases) {
  std::vector<std::string> warnings;
  EXPECT_EQ(Choose("1.35", warnings), 34);
  EXPECT_EQ(Choose("latest", warnings), 34);
  EXPECT_THAT(warnings, ElementsAre(HasSubstr("'1.35' is newer than"),
                                    HasSubstr("no release like 1.34")));
}

// The order of a message's map differs between processes.
TEST(ByNameTest, ListsTheMembersOfOneOperatorByName) {
  v1::NativeSemantics semantics;
  std::vector<std::string> expected;
  for (int i = 10; i < 40; ++i) {
    expected.push_back("kuberay." + std::to_string(i));
    (*semantics.mutable_settings())[expected.back()] = "x";
    (*semantics.mutable_settings())["spark." + std::to_string(i)] = "x";
  }
  std::vector<std::string> names;
  for (const auto& [name, value] : ByName(semantics.settings(), "kuberay.")) {
    names.emplace_back(name);
  }
  EXPECT_EQ(names, expected);
}

}  // namespace
}  // namespace mulligan
