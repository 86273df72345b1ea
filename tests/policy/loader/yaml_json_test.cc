#include "policy/loader/yaml_json.h"

#include <string>
#include <vector>

#include "gmock/gmock.h"
#include "gtest/gtest.h"

namespace mulligan {
namespace {

using ::testing::ElementsAre;

// tests/client/cli/base/yaml_to_json_test.cc tests the translation of scalars.
TEST(AppendYamlAsJsonTest, OmitsAndReportsWhatJsonCannotHold) {
  Issues issues;
  const YamlDocuments parsed = ParseYaml("f",
                                         "a: [b: {? [] : 1}, {<<: 1, c: 2}]\n"
                                         "d: {e: 1, f: 2, e: 3}\n",
                                         issues, YamlDialect::kAny);
  ASSERT_TRUE(issues.empty());
  std::string json;
  AppendYamlAsJson(parsed.documents[0], issues, json);
  EXPECT_EQ(json, R"({"a":[{"b":{}},{"c":2}],"d":{"e":1,"f":2}})");
  std::vector<std::string> reported;
  for (const Issue& issue : issues) reported.push_back(FormatIssue(issue));
  EXPECT_THAT(
      reported,
      ElementsAre(":1:11: error: expected a scalar as key",
                  ":1:21: error: merge keys (<<) are not supported: write the "
                  "members out",
                  ":2:17: error: duplicate key \"e\", first given at line 2"));
}

}  // namespace
}  // namespace mulligan
