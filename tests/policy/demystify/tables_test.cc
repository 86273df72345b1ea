// The signature tables themselves: every row can be reached, every cause has
// one, and the catalogue for people is complete.
#include "policy/demystify/signatures/tables.h"

#include <re2/re2.h>

#include <map>
#include <set>
#include <string>
#include <utility>
#include <vector>

#include "absl/strings/ascii.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_replace.h"
#include "absl/strings/str_split.h"
#include "gmock/gmock.h"
#include "gtest/gtest.h"
#include "policy/demystify/causes.h"
#include "policy/demystify/demystify.h"
#include "policy/demystify/signatures/keyword_matcher.h"
#include "tests/testing/files.h"
#include "tests/testing/status_matchers.h"

namespace mulligan::demystify {
namespace {

std::vector<const TextTable*> AllTexts() {
  return {&TaintTexts(),      &NodeConditionTexts(), &ApplicationTexts(),
          &ImageTexts(),      &StartTexts(),         &MountTexts(),
          &SchedulingTexts(), &KubeletTexts(),       &KillingTexts(),
          &KernelTexts(),     &CreationTexts(),      &QueueTexts(),
          &OperatorTexts(),   &QueueWaitTexts(),     &AnnouncementTexts(),
          &PassingTexts()};
}

std::vector<const Signature*> AllRows() {
  std::vector<const Signature*> rows;
  for (const auto table :
       {PodReasons(), DisruptionReasons(), TerminatedReasons(),
        WaitingReasons(), OperatorStates()}) {
    for (const Signature& row : table) rows.push_back(&row);
  }
  for (const auto& row : ExitCodes()) rows.push_back(&row.row);
  for (const auto& row : Events()) rows.push_back(&row.row);
  for (const TextTable* table : AllTexts()) {
    for (const auto& row : table->rows()) rows.push_back(&row.row);
  }
  return rows;
}

TEST(TextTables, KeywordsAreLowerCaseAndNamesUnique) {
  for (const TextTable* table : AllTexts()) {
    std::set<std::string_view> names;
    for (const TextSignature& row : table->rows()) {
      EXPECT_EQ(std::string(row.keyword),
                absl::AsciiStrToLower(std::string(row.keyword)))
          << table->name();
      EXPECT_FALSE(row.keyword.empty()) << table->name();
      EXPECT_TRUE(names.insert(row.row.key).second)
          << table->name() << "/" << row.row.key;
      EXPECT_FALSE(row.row.meaning.empty()) << row.row.key;
    }
  }
}

struct Sample {
  std::string cause;
  std::string text;
  std::string source;
};

// tests/testdata/text_samples.tsv, by "table/name".
absl::StatusOr<std::map<std::string, Sample>> ReadSamples() {
  absl::StatusOr<std::string> file = mulligan::testing::ReadFile(
      mulligan::testing::SourcePath("tests/testdata/text_samples.tsv"));
  if (!file.ok()) return file.status();
  std::map<std::string, Sample> samples;
  for (const absl::string_view line : absl::StrSplit(*file, '\n')) {
    if (line.empty() || line[0] == '#') continue;
    const std::vector<std::string> cells = absl::StrSplit(line, '\t');
    if (cells.size() != 4) {
      return absl::InvalidArgumentError(
          absl::StrCat("expected name, cause, text and source: ", line));
    }
    Sample sample{cells[1], absl::StrReplaceAll(cells[2], {{"\\n", "\n"}}),
                  cells[3]};
    if (!samples.insert({cells[0], std::move(sample)}).second) {
      return absl::InvalidArgumentError(absl::StrCat("twice: ", cells[0]));
    }
  }
  return samples;
}

// A row nobody can give a text for is a row that decides nothing.
TEST(TextTables, EveryRowHasASampleThatFindsIt) {
  ASSERT_OK_AND_ASSIGN(auto samples, ReadSamples());
  for (const TextTable* table : AllTexts()) {
    for (const TextSignature& row : table->rows()) {
      const std::string name = absl::StrCat(std::string(table->name()), "/",
                                            std::string(row.row.key));
      const auto sample = samples.find(name);
      if (sample == samples.end()) {
        ADD_FAILURE() << name << " lacks a line in text_samples.tsv";
        continue;
      }
      const TextSignature* found = table->Find(sample->second.text);
      EXPECT_EQ(found, &row)
          << name << " is not found in \"" << sample->second.text << "\", but "
          << (found == nullptr ? "nothing" : found->row.key);
      EXPECT_EQ(v1::Cause_Name(row.row.cause), sample->second.cause) << name;
      EXPECT_FALSE(sample->second.source.empty())
          << name << " lacks a source in text_samples.tsv: who prints it?";
      samples.erase(sample);
    }
  }
  for (const auto& [name, sample] : samples) {
    ADD_FAILURE() << name << " is no row of any table";
  }
}

TEST(TextTables, RowWithoutAPatternIsNotHiddenByAnEarlierOne) {
  for (const TextTable* table : AllTexts()) {
    for (std::size_t i = 0; i < table->rows().size(); ++i) {
      const TextSignature& row = table->rows()[i];
      if (row.pattern != nullptr) continue;
      for (std::size_t j = 0; j < i; ++j) {
        const TextSignature& earlier = table->rows()[j];
        if (earlier.pattern != nullptr) continue;
        EXPECT_EQ(row.keyword.find(earlier.keyword), std::string_view::npos)
            << table->name() << "/" << row.row.key << " is hidden by "
            << earlier.row.key;
      }
    }
  }
}

TEST(TextTables, TextsOfProgramsAreNeverProof) {
  for (const TextSignature& row : ApplicationTexts().rows()) {
    EXPECT_NE(row.row.confidence, v1::Diagnosis::HIGH) << row.row.key;
    EXPECT_LT(row.row.tier, Tier::kDecisive) << row.row.key;
  }
}

TEST(Tables, LeftOverCausesAreNeverSure) {
  for (const Signature* row : AllRows()) {
    if (row->cause == v1::SIGTERM_UNEXPLAINED ||
        row->cause == v1::SIGKILL_UNEXPLAINED || row->cause == v1::UNKNOWN) {
      EXPECT_EQ(row->confidence, v1::Diagnosis::LOW) << row->key;
      EXPECT_LE(row->tier, Tier::kConvention) << row->key;
    }
  }
}

TEST(Tables, EveryCauseOfAFailureHasARow) {
  std::set<v1::Cause> named;
  for (const Signature* row : AllRows()) named.insert(row->cause);
  for (const char* status : {"Forbidden", "AlreadyExists", "InternalError"}) {
    named.insert(FindStatusReason(status)->cause);
  }
  for (const char* evicted : {"Preempted", "Deactivated"}) {
    named.insert(FindEvictedReason(evicted)->cause);
  }
  for (int cause = v1::SUCCEEDED; cause <= v1::UNKNOWN; ++cause) {
    EXPECT_EQ(named.count(static_cast<v1::Cause>(cause)), 1U)
        << v1::Cause_Name(cause);
  }
}

TEST(Causes, HaveADomainAndSayWhatToFetch) {
  for (int number = 1; number <= v1::Cause_MAX; ++number) {
    const CauseRow& row = RowOf(static_cast<v1::Cause>(number));
    EXPECT_EQ(row.cause, number);
    EXPECT_NE(row.domain, v1::Diagnosis::FAULT_DOMAIN_UNSPECIFIED)
        << v1::Cause_Name(row.cause);
    for (const Alternative& other : row.alternatives) {
      EXPECT_NE(row.cause, other.other);
      EXPECT_FALSE(other.why_not.empty() || other.what.empty() ||
                   other.why.empty());
    }
  }
}

// A cause added last need not be considered last.
TEST(Causes, TiesAreBrokenByRank) {
  const CauseRow& unknown = RowOf(v1::UNKNOWN);
  EXPECT_LT(unknown.rank, RowOf(v1::NOT_FAILED).rank);
  EXPECT_EQ(RowOf(static_cast<v1::Cause>(999)).cause, v1::UNKNOWN);
}

TEST(KeywordMatcher, FindsOverlappingAndNestedWords) {
  const KeywordMatcher matcher({"he", "she", "hers", "his"});
  KeywordMatcher::Hits hits{};
  EXPECT_TRUE(matcher.Match("uSHErs", hits));
  EXPECT_EQ(hits[0], 0b0111U);
  KeywordMatcher::Hits none{};
  EXPECT_FALSE(matcher.Match("xyz", none));
  EXPECT_EQ(none[0], 0U);
}

TEST(KeywordMatcher, AgreesWithASimpleSearch) {
  std::vector<std::string_view> words;
  for (const TextSignature& row : ApplicationTexts().rows()) {
    words.push_back(row.keyword);
  }
  const KeywordMatcher matcher(words);
  for (const std::string_view text : words) {
    KeywordMatcher::Hits hits{};
    matcher.Match(text, hits);
    for (std::size_t i = 0; i < words.size(); ++i) {
      const bool expected = text.find(words[i]) != std::string_view::npos;
      EXPECT_EQ((hits[i / 64] >> (i % 64) & 1U) == 1U, expected)
          << words[i] << " in " << text;
    }
  }
}

TEST(TextTable, LongTextIsReadAtBothEnds) {
  const std::string filler(20000, '.');
  EXPECT_NE(ApplicationTexts().Find("CUDA out of memory" + filler), nullptr);
  EXPECT_NE(ApplicationTexts().Find(filler + "CUDA out of memory"), nullptr);
  EXPECT_EQ(ApplicationTexts().Find(filler + "CUDA out of memory" + filler),
            nullptr);
}

// docs/causes.md is for people; a cause that it lacks is a cause nobody can
// look up.
TEST(CausesDocument, HasASectionForEveryCause) {
  ASSERT_OK_AND_ASSIGN(const std::string document,
                       mulligan::testing::ReadFile(
                           mulligan::testing::SourcePath("docs/causes.md")));
  const auto* causes = v1::Cause_descriptor();
  for (int i = 0; i < causes->value_count(); ++i) {
    const std::string& name = causes->value(i)->name();
    if (name == "CAUSE_UNSPECIFIED") continue;
    const std::string heading = "\n### " + name + "\n";
    const std::size_t at = document.find(heading);
    ASSERT_NE(at, std::string::npos) << name;
    const std::string section =
        document.substr(at, document.find("\n### ", at + 1) - at);
    for (const char* part :
         {"**Looks like:**", "**Why:**", "**By default:**", "**Override:**"}) {
      EXPECT_NE(section.find(part), std::string::npos) << name << ": " << part;
    }
    const std::string domain = v1::Diagnosis::FaultDomain_Name(
        RowOf(static_cast<v1::Cause>(causes->value(i)->number())).domain);
    EXPECT_NE(section.find("`" + domain + "`"), std::string::npos) << name;
  }
}

}  // namespace
}  // namespace mulligan::demystify
