// The compiler of the signature tables: its output and its errors.
#include <optional>
#include <ostream>
#include <string>
#include <tuple>
#include <utility>
#include <vector>

#include "gmock/gmock.h"
#include "gtest/gtest.h"
#include "tools/rows/keyword.h"
#include "tools/rows/rows.h"
#include "tools/rows/write.h"

namespace mulligan::demystify {
namespace {

using ::testing::HasSubstr;

// Returns a table of texts with `rows`.
std::string TextsWith(const std::string& rows) {
  return "table: Gpus\nkind: TEXT\nevidence: text\n"
         "defaults: {confidence: MEDIUM, tier: SPECIFIC, weight: MESSAGE, "
         "cause: GPU_FAULT, meaning: it failed, source: CUDA}\nrows:\n" +
         rows;
}

std::vector<CompiledTable> CompileWell(const std::string& yaml) {
  Issues issues;
  std::vector<CompiledTable> tables = CompileTables("x.yaml", yaml, issues);
  CheckNames(tables, issues);
  for (const Issue& issue : issues) ADD_FAILURE() << FormatIssue(issue);
  return tables;
}

TEST(SignatureCompiler, RowsInheritFromTheirSections) {
  const auto tables = CompileWell(TextsWith(
      "- defaults: {tier: GENERIC, flags: [PEER_EFFECT], meaning: it left}\n"
      "  rows:\n"
      "  - {name: a, messagePattern: lost, sample: 'Lost', flags: [NONE]}\n"
      "  - {name: b, messagePatterns: [gone (far|away), 'gone\\b'],\n"
      "     sample: gone away, tier: HINT}\n"
      "- {name: c, messagePattern: 'a\\.b', sample: A.B}\n"));
  ASSERT_EQ(tables.size(), 1U);
  ASSERT_EQ(tables[0].rows.size(), 3U);
  const auto& [a, b, c] =
      std::tie(tables[0].rows[0], tables[0].rows[1], tables[0].rows[2]);
  EXPECT_EQ(a.row.tier(), signatures::Row::GENERIC);
  EXPECT_EQ(a.row.meaning(), "it left");
  EXPECT_THAT(a.row.flags(), ::testing::ElementsAre(signatures::Row::NONE));
  EXPECT_EQ(a.texts[0].keyword, "lost");
  EXPECT_EQ(a.texts[0].pattern, "");
  EXPECT_EQ(b.row.tier(), signatures::Row::HINT);
  EXPECT_THAT(b.row.flags(),
              ::testing::ElementsAre(signatures::Row::PEER_EFFECT));
  EXPECT_EQ(b.texts[0].pattern, "gone (far|away)|gone\\b");
  EXPECT_EQ(b.texts[0].keyword, "gone");
  EXPECT_EQ(c.texts[0].keyword, "a.b");
  EXPECT_EQ(c.row.cause(), v1::GPU_FAULT);
}

TEST(SignatureCompiler, PlainTextNeedsNoExpression) {
  const auto tables = CompileWell(
      TextsWith("- {name: a, messagePatterns: [GPU is lost, gpu_is_lost],\n"
                "   samples: [the GPU is lost, NVML_GPU_IS_LOST]}\n"));
  const auto& texts = tables[0].rows[0].texts;
  ASSERT_EQ(texts.size(), 2U);
  EXPECT_EQ(texts[0].keyword, "gpu is lost");
  EXPECT_EQ(texts[1].keyword, "gpu_is_lost");
  EXPECT_EQ(texts[1].pattern, "");
}

TEST(SignatureCompiler, PatternsWithoutCommonKeywordGetTheirOwn) {
  const auto tables = CompileWell(
      "parts: {all: '(all|both)'}\n" +
      TextsWith("- {name: a, messagePatterns: ['${all} lost', '${all} gone'],\n"
                "   samples: [all lost, both gone]}\n"));
  const auto& texts = tables[0].rows[0].texts;
  ASSERT_EQ(texts.size(), 2U);
  EXPECT_EQ(texts[0].keyword, " lost");
  EXPECT_EQ(texts[0].pattern, "(all|both) lost");
  EXPECT_EQ(texts[1].keyword, " gone");
}

TEST(SignatureCompiler, ExpandsParts) {
  const auto tables = CompileWell(
      "parts: {thing: '(file|folder)s?'}\n" +
      TextsWith("- {name: a, messagePattern: 'no such ${thing}\\b',\n"
                "   sample: No such folder}\n"));
  EXPECT_EQ(tables[0].rows[0].texts[0].pattern, "no such (file|folder)s?\\b");
  EXPECT_EQ(tables[0].rows[0].texts[0].keyword, "no such f");
}

TEST(SignatureCompiler, WritesConstants) {
  const auto tables = CompileWell(
      TextsWith("- {name: a, messagePattern: \"say \\\"lost\\\"\",\n"
                "   sample: say \"lost\", faultDomain: INFRASTRUCTURE}\n") +
      "---\nkind: SIGN\nrows:\n"
      "- {name: pod-gone, cause: NODE_LOST, confidence: LOW, tier: HINT,\n"
      "   weight: ABSENCE, meaning: gone, flags: [PASSES, RESTARTING]}\n"
      "---\ntable: Reasons\nkind: REASON\n"
      "defaults: {cause: DRAINED, confidence: HIGH, tier: DECISIVE,\n"
      "           weight: POD_REASON}\nrows:\n"
      "- {name: Zoned, meaning: z}\n"
      "- {name: Evicted, meaning: e, constant: Evicted}\n");
  const std::string header = HeaderOf(tables);
  EXPECT_THAT(header, HasSubstr("std::span<const TextSignature> Gpus();"));
  EXPECT_THAT(header, HasSubstr("extern const Signature kPodGone;"));
  EXPECT_THAT(header, HasSubstr("kEvicted = \"Evicted\";"));
  const std::string source = SourceOf(tables);
  EXPECT_THAT(source, HasSubstr("{\"say \\\"lost\\\"\", nullptr,"));
  EXPECT_THAT(source, HasSubstr("v1::Diagnosis::INFRASTRUCTURE"));
  EXPECT_THAT(source, HasSubstr("kNoFlags | kPasses | kRestarting"));
  // Sorted, because they are searched by name.
  EXPECT_LT(source.find("\"Evicted\""), source.find("\"Zoned\""));
  EXPECT_THAT(SamplesOf(tables),
              HasSubstr("{\"text\", \"a\",\n   \"say \\\"lost\\\"\"}"));
}

struct RefusedTable {
  const char* what;
  std::string yaml;
  const char* issue;
};

void PrintTo(const RefusedTable& refusal, std::ostream* out) {
  *out << refusal.what;
}

class SignatureCompilerTest : public ::testing::TestWithParam<RefusedTable> {};

TEST_P(SignatureCompilerTest, RejectsBadTables) {
  Issues issues;
  CheckNames(CompileTables("x.yaml", GetParam().yaml, issues), issues);
  ASSERT_FALSE(issues.empty());
  EXPECT_THAT(FormatIssue(issues.front()), HasSubstr(GetParam().issue));
}

INSTANTIATE_TEST_SUITE_P(
    Tables, SignatureCompilerTest,
    ::testing::Values(
        RefusedTable{
            "UnknownKey",
            TextsWith("- {name: a, messagePatern: x, sample: x}\n"),
            "x.yaml:6:13: error: unknown key \"messagePatern\", did you "
            "mean \"messagePattern\"?"},
        RefusedTable{"UnknownCause",
                     TextsWith("- {name: a, messagePattern: xy, sample: xy,\n"
                               "   cause: GPU_FALT}\n"),
                     "x.yaml:7:11: error: \"GPU_FALT\" is not one of"},
        RefusedTable{"NoName",
                     TextsWith("- {messagePattern: xy, sample: xy}\n"),
                     "x.yaml:6:3: error: name is missing"},
        RefusedTable{
            "NameTwice",
            TextsWith("- {name: a, messagePattern: xy, sample: xy}\n"
                      "- {name: a, messagePattern: yz, sample: yz}\n"),
            "x.yaml:7:3: error: name \"text/a\" is used twice, the first "
            "time at x.yaml:6"},
        RefusedTable{
            "BadPattern",
            TextsWith("- {name: a, messagePattern: 'x(y', sample: xy}\n"),
            "x.yaml:6:29: error: \"x(y\": missing ): x(y, expected an RE2 "
            "expression"},
        RefusedTable{"SampleDoesNotMatch",
                     TextsWith("- {name: a, messagePattern: xy, sample: yx}\n"),
                     "x.yaml:6:41: error: the row does not match \"yx\""},
        RefusedTable{"TextWithoutASample",
                     TextsWith("- {name: a, messagePatterns: [xy, yz],\n"
                               "   samples: [xy, xyx]}\n"),
                     "x.yaml:7:4: error: none has \"yz\", expected a sample of "
                     "each"},
        RefusedTable{
            "PatternWithoutASample",
            TextsWith("- {name: a, messagePatterns: ['x+yz', 'v+wx'],\n"
                      "   sample: xyz}\n"),
            "error: none has \"wx\", expected a sample of each"},
        RefusedTable{"NearMissFound",
                     TextsWith("- {name: a, messagePattern: xy, sample: xy,\n"
                               "   nearMisses: [xyz]}\n"),
                     "x.yaml:7:4: error: the row matches \"xyz\""},
        RefusedTable{
            "NoKeyword",
            TextsWith("- {name: a, messagePattern: 'a+|b+', sample: a}\n"),
            "x.yaml:6:29: error: no words stand in every match of "
            "\"a+|b+\""},
        RefusedTable{
            "NeedlessKeyword",
            TextsWith("- {name: a, messagePattern: 'xy[12]', sample: xy1,\n"
                      "   keyword: xy}\n"),
            "x.yaml:7:13: error: every match of the pattern has \"xy\" "
            "already"},
        RefusedTable{
            "KeywordOfOneAlternative",
            TextsWith("- {name: a, messagePattern: 'xy[12]|z[34]',\n"
                      "   sample: xy1, keyword: xy}\n"),
            "x.yaml:7:26: error: some matches of the pattern have \"xy\", and "
            "the others are never found without it"},
        RefusedTable{
            "NeedlessKeywordBeside",
            TextsWith("- {name: a, messagePattern: 'z[34]', sample: z3 xy,\n"
                      "   keyword: xy, keywordBeside: true}\n"),
            "no match of the pattern has \"xy\", expected no keywordBeside"},
        RefusedTable{
            "NoSource",
            "table: T\nkind: TEXT\nevidence: text\nrows:\n"
            "- {name: a, cause: DRAINED, confidence: LOW, tier: HINT,\n"
            "   weight: MESSAGE, meaning: m, messagePattern: xy,\n"
            "   sample: xy}\n",
            "x.yaml:5:3: error: source is missing in a table of the kind "
            "TEXT, expected who prints such a text"},
        RefusedTable{
            "RemedyWithoutNames",
            TextsWith("- {name: a, messagePattern: xy, sample: xy,\n"
                      "   remedies: [{remedy: do it, actor: USER}]}\n"),
            "names is missing, expected an RE2 expression"},
        RefusedTable{"RemedyOfTooManyGroups",
                     TextsWith("- {name: a, messagePattern: xy, sample: xy,\n"
                               "   remedies: [{names: 'x(y)', actor: USER,\n"
                               "               remedy: 'mend \\2'}]}\n"),
                     "expected \\1 to \\1, the groups of names"},
        RefusedTable{"CodesInTexts",
                     TextsWith("- {name: a, messagePattern: xy, sample: xy,\n"
                               "   exitCodes: [1]}\n"),
                     "exitCodes is not known in a table of the kind TEXT"},
        RefusedTable{
            "SectionWithAName",
            TextsWith("- name: a\n  defaults: {tier: HINT}\n  rows:\n"
                      "  - {name: b, messagePattern: xy, sample: xy}\n"),
            "x.yaml:6:3: error: expected a row, or a section of defaults "
            "and rows"},
        RefusedTable{"NoKind", "table: T\nrows:\n- {name: a}\n",
                     "error: missing, expected a kind of table"},
        RefusedTable{"NoTable", "", "x.yaml: error: empty file"},
        RefusedTable{"NoRows", "table: T\nkind: REASON\n",
                     "rows is missing, expected at least one"},
        RefusedTable{"NoTableName",
                     "table: a-b\nkind: REASON\nrows:\n- {name: a}\n",
                     "x.yaml:1:8: error: \"a-b\", expected the name of the "
                     "table in C++"},
        RefusedTable{"NoConstant",
                     "kind: SIGN\ndefaults: {cause: DRAINED, confidence: LOW,\n"
                     "  tier: HINT, weight: MESSAGE, meaning: m}\nrows:\n"
                     "- {name: a b}\n",
                     "x.yaml:5:3: error: \"\", expected a name in C++ for "
                     "\"a b\""},
        RefusedTable{"UnknownPart",
                     TextsWith("- {name: a, messagePattern: 'no ${thing}',\n"
                               "   sample: no thing}\n"),
                     "x.yaml:6:29: error: \"no ${thing}\" has a part that the "
                     "table does not"},
        RefusedTable{"NoYaml", "rows: [\n", "not valid YAML"}),
    [](const auto& test) { return std::string(test.param.what); });

TEST(Keyword, IsTheLongestTextInEveryMatch) {
  const std::vector<std::pair<std::string, std::string>> rows = {
      {"(received|got|caught) ?sigterm|sigterm (was )?received", "sigterm"},
      {"licen[sc]e (expired|invalid)", "licen"},
      {"\\b(?-i:NOAUTH)\\b", "noauth"},
      {"(^|\\n)usage: ", "usage: "},
      {"\\b50[0234]\\b", "50"},
      {"(a|b)+", ""},
      {"x|y", ""},
      {"[0-9]", ""}};
  for (const auto& [pattern, words] : rows) {
    EXPECT_EQ(RequiredWords(pattern), words) << pattern;
    if (words.empty()) continue;
    EXPECT_THAT(KeywordProblem(pattern, words, false),
                HasSubstr("every match of the pattern has"))
        << pattern;
  }
}

TEST(Keyword, MayBeMissingOnlyIfStated) {
  EXPECT_EQ(KeywordProblem("ssl|tls", "gpu", false), "");
  EXPECT_THAT(KeywordProblem("ssl|tls", "ssl", false),
              HasSubstr("the others are never found without it"));
  EXPECT_EQ(KeywordProblem("ssl|tls", "ssl", true), "");
}

TEST(Keyword, RecognizesLiterals) {
  EXPECT_EQ(LiteralOf("CUDA out of memory"), "cuda out of memory");
  EXPECT_EQ(LiteralOf("free\\(\\)"), "free()");
  EXPECT_EQ(LiteralOf("free()"), std::nullopt);
  EXPECT_EQ(LiteralOf("\\bfree"), std::nullopt);
  EXPECT_EQ(LiteralOf("free\\"), std::nullopt);
}

}  // namespace
}  // namespace mulligan::demystify
