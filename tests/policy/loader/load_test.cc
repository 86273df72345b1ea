#include "policy/loader/load.h"

#include <algorithm>
#include <cctype>
#include <filesystem>
#include <fstream>
#include <memory>
#include <string>
#include <vector>

#include "absl/strings/str_cat.h"
#include "absl/strings/str_format.h"
#include "absl/strings/str_join.h"
#include "absl/strings/str_replace.h"
#include "gmock/gmock.h"
#include "gtest/gtest.h"
#include "mulligan/v1/cause.pb.h"
#include "policy/loader/read_files.h"
#include "policy/loader/yaml_tree.h"
#include "tests/testing/files.h"

namespace mulligan {
namespace {

using ::mulligan::testing::ReadFile;
using ::mulligan::testing::SourcePath;
using ::testing::Contains;
using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::IsEmpty;
using ::testing::IsNull;
using ::testing::NotNull;
using ::testing::SizeIs;

// A policy that loads without issues. `selector` is a line of the spec.
std::string Policy(const std::string& name, const std::string& selector = "") {
  return absl::StrCat("apiVersion: mulligan.dev/v1\nkind: RetryPolicy\n",
                      "metadata: {name: ", name, "}\nspec:\n", selector,
                      "  budgets: {application: {limit: 3}}\n",
                      "  default: {action: RETRY, budget: application}\n");
}

constexpr char kForRayJobs[] = "  selector: {kinds: [RayJob]}\n";

std::vector<std::string> Names(const PolicySet& policies) {
  std::vector<std::string> names;
  for (const auto& policy : policies.policies()) {
    names.push_back(policy->name());
  }
  return names;
}

std::vector<std::string> Formatted(const Issues& issues) {
  std::vector<std::string> formatted;
  for (const Issue& issue : issues) formatted.push_back(FormatIssue(issue));
  return formatted;
}

TEST(LoadPoliciesTest, IsTheEmbeddedPolicyWithoutFiles) {
  Issues issues;
  const auto policies = LoadPolicies({}, issues);
  EXPECT_THAT(Formatted(issues), IsEmpty());
  ASSERT_THAT(policies, NotNull());
  EXPECT_THAT(Names(*policies), ElementsAre("default", "native"));
  EXPECT_EQ(policies->policies()[0]->positions().file(), "<embedded>");
}

TEST(LoadPoliciesTest, CompletesASetWithoutCatchAll) {
  Issues issues;
  const auto policies =
      LoadPolicies({{"ray.yaml", Policy("ray", kForRayJobs)}}, issues);
  EXPECT_THAT(Formatted(issues), IsEmpty());
  ASSERT_THAT(policies, NotNull());
  EXPECT_THAT(Names(*policies), ElementsAre("ray", "default", "native"));
}

TEST(LoadPoliciesTest, LeavesASetWithCatchAllAlone) {
  Issues issues;
  const auto policies = LoadPolicies({{"mine.yaml", Policy("mine")}}, issues);
  EXPECT_THAT(Formatted(issues), IsEmpty());
  ASSERT_THAT(policies, NotNull());
  EXPECT_THAT(Names(*policies), ElementsAre("mine", "native"));
}

constexpr char kNativeHeader[] =
    "apiVersion: mulligan.dev/v1\nkind: RetryPolicy\n"
    "metadata: {name: native}\nspec:\n";

TEST(LoadPoliciesTest, AFileMayConfigureTheNativePolicy) {
  Issues issues;
  const auto policies = LoadPolicies(
      {{"n.yaml", absl::StrCat(kNativeHeader,
                               "  onlyByName: true\n  native:\n"
                               "    useOwnSpec: true\n    semantics:\n"
                               "      versions: {kubernetes: \"1.30\"}\n"
                               "      featureGates: {RestartJob: true}\n")}},
      issues);
  EXPECT_THAT(Formatted(issues), IsEmpty());
  ASSERT_THAT(policies, NotNull());
  EXPECT_THAT(Names(*policies), ElementsAre("default", "native"));
  const Ruleset* native = policies->Find("native");
  ASSERT_THAT(native, NotNull());
  EXPECT_EQ(native->positions().file(), "n.yaml");
  EXPECT_TRUE(
      native->compiled().native->semantics.feature_gates().at("RestartJob"));
}

TEST(LoadPoliciesTest, TheNameOfTheNativePolicyKeepsItsMeaning) {
  Issues issues;
  EXPECT_THAT(LoadPolicies({{"n.yaml", Policy("native")}}, issues), IsNull());
  EXPECT_THAT(Formatted(issues),
              ElementsAre(HasSubstr("n.yaml:3:18: error: \"native\" is the")));
}

TEST(LoadPoliciesTest, TakesSeveralPoliciesFromOneFile) {
  Issues issues;
  const auto policies = LoadPolicies(
      {{"all.yaml", Policy("ray", kForRayJobs) + "---\n" + Policy("mine")}},
      issues);
  EXPECT_THAT(Formatted(issues), IsEmpty());
  ASSERT_THAT(policies, NotNull());
  EXPECT_THAT(Names(*policies), ElementsAre("ray", "mine", "native"));
  EXPECT_EQ(policies->Find("mine")->positions().Find("spec.default").line, 14);
}

TEST(LoadPoliciesTest, IsAllOrNothing) {
  Issues issues;
  EXPECT_THAT(LoadPolicies({{"good.yaml", Policy("good")},
                            {"bad.yaml", "kind: RetryPolicy\n"}},
                           issues),
              IsNull());
  EXPECT_TRUE(HasErrors(issues));
}

TEST(LoadPoliciesTest, ReportsFilesInTheGivenOrderAndLinesInTheirs) {
  Issues issues;
  LoadPolicies({{"z.yaml", Policy("z", "  ordre: 1\n  ordr: 2\n")},
                {"a.yaml", "- 1\n"},
                {"m.yaml", ""}},
               issues);
  EXPECT_THAT(Formatted(issues),
              ElementsAre(HasSubstr("z.yaml:5:3: error: unknown key \"ordre\""),
                          HasSubstr("z.yaml:6:3: error: unknown key \"ordr\""),
                          HasSubstr("a.yaml:1:1: error: expected a map"),
                          "m.yaml: error: empty file, expected a RetryPolicy"));
}

TEST(LoadPoliciesTest, KeepsEarlierIssues) {
  Issues issues = {{Issue::Severity::kError, "x", {}, "before"}};
  EXPECT_THAT(LoadPolicies({{"mine.yaml", Policy("mine")}}, issues), NotNull());
  EXPECT_THAT(Formatted(issues), ElementsAre("x: error: before"));
}

TEST(LoadPoliciesTest, RefusesTextBeyondTheSizeBound) {
  const std::string policy = Policy("mine");
  const std::string padding(kMaxPolicyFileBytes - policy.size() - 1, '#');
  Issues issues;
  EXPECT_THAT(LoadPolicies({{"f", policy + padding + "\n"}}, issues),
              NotNull());
  EXPECT_THAT(Formatted(issues), IsEmpty());
  EXPECT_THAT(LoadPolicies({{"f", policy + padding + "#\n"}}, issues),
              IsNull());
  EXPECT_THAT(Formatted(issues), ElementsAre("f: error: larger than 256 KiB"));
}

TEST(LoadPoliciesTest, StopsReportingAfterAHundredIssuesOfAFile) {
  std::string text = Policy("mine");
  for (int i = 0; i < 101; ++i) absl::StrAppend(&text, "  zzz", i, ": 1\n");
  Issues issues;
  LoadPolicies({{"f", text}, {"g", "kind: Pod"}}, issues);
  ASSERT_THAT(issues, SizeIs(102));
  EXPECT_EQ(FormatIssue(issues[100]),
            "f: error: further problems are not shown");
  EXPECT_EQ(issues[101].file, "g");
}

TEST(LoadPoliciesTest, DoesNotMissWhatASyntaxErrorHid) {
  Issues issues;
  LoadPolicies({{"f",
                 "apiVersion: mulligan.dev/v1\nkind: RetryPolicy\n"
                 "metadata: {nam: a}\nspec:\n  rules: ]\n"}},
               issues);
  EXPECT_THAT(Formatted(issues),
              ElementsAre("f:3:12: error: unknown key \"nam\", did you mean "
                          "\"name\"?",
                          HasSubstr("f:5:10: error: not valid YAML: ")));
}

TEST(LoadPoliciesTest, ReportsOneIssueForAnotherKindOfObject) {
  Issues issues;
  LoadPolicies({{"f", "apiVersion: v1\nkind: ConfigMap\ndata: {}\n"}}, issues);
  EXPECT_THAT(Formatted(issues),
              ElementsAre("f:2:7: error: kind is \"ConfigMap\", expected "
                          "RetryPolicy"));
}

std::string RevisionOf(const std::vector<PolicyText>& texts) {
  Issues issues;
  const auto policies = LoadPolicies(texts, issues);
  EXPECT_THAT(Formatted(issues), IsEmpty());
  return policies == nullptr ? "" : policies->revision();
}

TEST(RevisionTest, DependsOnNamesAndContentsNotOnFolders) {
  const std::string revision = RevisionOf({{"/etc/m/a.yaml", Policy("a")}});
  EXPECT_THAT(revision, ::testing::MatchesRegex("[0-9a-f]{16}"));
  EXPECT_EQ(RevisionOf({{"/etc/m/a.yaml", Policy("a")}}), revision);
  EXPECT_EQ(RevisionOf({{"elsewhere/a.yaml", Policy("a")}}), revision);
  EXPECT_NE(RevisionOf({{"/etc/m/b.yaml", Policy("a")}}), revision);
  EXPECT_NE(RevisionOf({{"/etc/m/a.yaml", Policy("a") + "#"}}), revision);
  EXPECT_NE(RevisionOf({}), revision);
}

std::vector<std::string> PolicyFiles(const std::string& folder) {
  std::vector<std::string> files;
  for (const auto& entry :
       std::filesystem::directory_iterator(SourcePath(folder))) {
    if (entry.path().extension() == ".yaml" &&
        !entry.path().stem().string().ends_with("_test")) {
      files.push_back(folder + "/" + entry.path().filename().string());
    }
  }
  std::sort(files.begin(), files.end());
  return files;
}

std::string TestName(const ::testing::TestParamInfo<std::string>& test) {
  std::string name = std::filesystem::path(test.param).stem().string();
  for (char& c : name) {
    if (!std::isalnum(static_cast<unsigned char>(c))) c = '_';
  }
  return name;
}

// Issues of a file of the repository, a line each, under its bare name.
std::string IssuesOf(const std::string& file, bool& loaded) {
  const auto text = ReadFile(SourcePath(file));
  EXPECT_TRUE(text.ok()) << text.status();
  Issues issues;
  loaded = LoadPolicies({{std::filesystem::path(file).filename().string(),
                          text.value_or("")}},
                        issues) != nullptr;
  std::string lines;
  for (const std::string& line : Formatted(issues)) lines += line + "\n";
  return lines;
}

class GoodPolicyTest : public ::testing::TestWithParam<std::string> {};

TEST_P(GoodPolicyTest, LoadsWithoutIssues) {
  bool loaded = false;
  EXPECT_EQ(IssuesOf(GetParam(), loaded), "");
  EXPECT_TRUE(loaded);
}

INSTANTIATE_TEST_SUITE_P(
    Files, GoodPolicyTest,
    ::testing::ValuesIn(PolicyFiles("tests/policies/good")), TestName);
INSTANTIATE_TEST_SUITE_P(Examples, GoodPolicyTest,
                         ::testing::ValuesIn(PolicyFiles("deploy/policies")),
                         TestName);

class BadPolicyTest : public ::testing::TestWithParam<std::string> {};

TEST_P(BadPolicyTest, HasExactlyTheWantedIssues) {
  const auto want = ReadFile(
      std::filesystem::path(SourcePath(GetParam())).replace_extension(".want"));
  ASSERT_TRUE(want.ok()) << want.status();
  bool loaded = false;
  const std::string issues = IssuesOf(GetParam(), loaded);
  EXPECT_EQ(issues, absl::StrReplaceAll(
                        *want, {{"{causes}", absl::StrCat(+v1::Cause_MAX)}}));
  EXPECT_EQ(loaded, issues.find(": error: ") == issues.npos);
}

INSTANTIATE_TEST_SUITE_P(Files, BadPolicyTest,
                         ::testing::ValuesIn(PolicyFiles("tests/policies/bad")),
                         TestName);

// Such a file took eleven seconds to load.
TEST(LoadBoundsTest, SlowPatternsAreRefusedWhereTheAllowanceEnds) {
  std::string text = Policy("slow") + "  rules:\n";
  for (int i = 0; i < 250; ++i) {
    text +=
        "  - {name: r" + std::to_string(i) + ", when: {messagePattern: '(?i)";
    for (int j = 0; j < 100; ++j) text += "\\PL";
    text += "'}, then: {action: FAIL}}\n";
  }
  Issues issues;
  EXPECT_THAT(LoadPolicies({{"slow.yaml", text}}, issues), IsNull());
  EXPECT_THAT(Formatted(issues),
              Contains(HasSubstr("beyond what all patterns together may")));
}

TEST(LoadBoundsTest, ManyTinyValuesAreNotRead) {
  std::string text = "a: [";
  for (int i = 0; i < kMaxYamlNodes; ++i) text += "1,";
  Issues issues;
  EXPECT_THAT(LoadPolicies({{"f.yaml", text + "1]"}}, issues), IsNull());
  EXPECT_THAT(Formatted(issues), Contains(HasSubstr("more than 50000 values")));
}

// yaml-cpp would store them all before the first is counted.
TEST(LoadBoundsTest, FarTooManyOnALineAreNotParsed) {
  for (const char* value : {"1,", "[", "{"}) {
    std::string text = "a: [";
    for (int i = 0; i < 2 * kMaxYamlNodes; ++i) text += value;
    Issues issues;
    EXPECT_THAT(LoadPolicies({{"f.yaml", text + "1]"}}, issues), IsNull());
    EXPECT_THAT(
        Formatted(issues),
        ElementsAre("f.yaml:1:1: error: more than 50000 values in a file"));
  }
}

TEST(LoadBoundsTest, AFolderThatIsTooLargeIsNotReadToItsEnd) {
  const std::filesystem::path folder =
      std::filesystem::path(::testing::TempDir()) / "large_policies";
  std::filesystem::create_directory(folder);
  const std::string file(kMaxPolicyFileBytes, '#');
  constexpr std::size_t kFiles =
      kMaxPolicyFolderBytes / kMaxPolicyFileBytes + 9;
  for (std::size_t i = 0; i < kFiles; ++i) {
    std::ofstream(folder / absl::StrFormat("%03d.yaml", i)) << file;
  }
  Issues issues;
  const auto texts = ReadPolicyDirectory(folder.string(), issues);
  std::filesystem::remove_all(folder);
  EXPECT_LT(texts.size(), kFiles - 4);
  EXPECT_THAT(Formatted(issues),
              ElementsAre(HasSubstr("holds policies of more than 16 MiB")));
}

// Files used to take a quarter of a megabyte each, whatever their content.
TEST(LoadBoundsTest, SmallFilesTakeLittleMemory) {
  Issues issues;
  const auto texts =
      ReadPolicyDirectory(SourcePath("deploy/policies").string(), issues);
  ASSERT_FALSE(texts.empty());
  for (const PolicyText& text : texts) {
    EXPECT_LT(text.yaml.capacity(), text.yaml.size() + 1024) << text.file;
  }
}

TEST(ExamplePoliciesTest, LoadTogetherAsOneSet) {
  Issues issues;
  const auto texts =
      ReadPolicyDirectory(SourcePath("deploy/policies").string(), issues);
  EXPECT_THAT(LoadPolicies(texts, issues), NotNull());
  EXPECT_THAT(Formatted(issues), IsEmpty());
}

}  // namespace
}  // namespace mulligan
