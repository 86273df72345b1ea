#include <string>
#include <vector>

#include "gmock/gmock.h"
#include "gtest/gtest.h"
#include "policy/native/go_text.h"

namespace mulligan {
namespace {

using ::testing::ElementsAre;
using ::testing::EndsWith;
using ::testing::HasSubstr;
using ::testing::IsEmpty;
using ::testing::StartsWith;

TEST(FormatFieldErrorTest, PrintsLikeTheApiServer) {
  FieldErrors errors;
  errors.Required("a.b", "why");
  errors.Invalid("a[0]", -3, "why");
  errors.Invalid("a", "", "why");
  errors.NotSupported("a", "x", {"y", "z"});
  errors.Duplicate("a", 7);
  errors.TooMany("a", 3, 2);
  errors.Forbidden("a", "why");
  std::vector<std::string> texts;
  for (const FieldError& error : errors) {
    texts.push_back(FormatFieldError(error));
  }
  EXPECT_THAT(
      texts,
      ElementsAre("a.b: Required value: why", "a[0]: Invalid value: -3: why",
                  "a: Invalid value: why",
                  "a: Unsupported value: \"x\": supported values: \"y\", \"z\"",
                  "a: Duplicate value: 7",
                  "a: Too many: 3: must have at most 2 items",
                  "a: Forbidden: why"));
}

TEST(QuotedValueTest, EscapesLikeGo) {
  EXPECT_EQ(QuotedValue("a\"\\\n\t\x01"), "\"a\\\"\\\\\\n\\t\\x01\"");
}

TEST(FieldPathTest, JoinsPartsFromTheRoot) {
  EXPECT_EQ(ChildField("", "spec"), "spec");
  EXPECT_EQ(ChildField("spec", "rules"), "spec.rules");
  EXPECT_EQ(IndexField("spec.rules", 2), "spec.rules[2]");
}

std::vector<std::string> Faults(const std::string& name) {
  FieldErrors errors;
  CheckQualifiedName("f", name, errors);
  std::vector<std::string> details;
  for (const FieldError& error : errors) details.push_back(error.detail);
  return details;
}

TEST(CheckQualifiedNameTest, AcceptsNamesWithAndWithoutAPrefix) {
  for (const char* name : {"DisruptionTarget", "a", "a_b.c-d", "x.io/Name",
                           "sub-1.example.com/n0"}) {
    EXPECT_THAT(Faults(name), IsEmpty()) << name;
  }
  EXPECT_THAT(Faults(std::string(63, 'a')), IsEmpty());
}

TEST(CheckQualifiedNameTest, NamesTheInvalidPart) {
  EXPECT_THAT(Faults(""), ElementsAre("name part must be non-empty",
                                      StartsWith("name part must consist")));
  EXPECT_THAT(Faults("-a"), ElementsAre(StartsWith("name part must consist")));
  EXPECT_THAT(Faults(std::string(64, 'a')),
              ElementsAre("name part must be no more than 63 bytes"));
  EXPECT_THAT(Faults("/a"), ElementsAre("prefix part must be non-empty"));
  EXPECT_THAT(Faults("X.io/a"), ElementsAre(HasSubstr("RFC 1123 subdomain")));
  EXPECT_THAT(Faults("a..b/c"), ElementsAre(HasSubstr("RFC 1123 subdomain")));
  EXPECT_THAT(Faults(std::string(254, 'a') + "/c"),
              ElementsAre("prefix part must be no more than 253 bytes"));
  EXPECT_THAT(Faults("a/b/c"),
              ElementsAre(EndsWith("(e.g. 'example.com/MyName')")));
}

}  // namespace
}  // namespace mulligan
