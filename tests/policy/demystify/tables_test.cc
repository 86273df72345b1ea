// The signature tables: every row is reachable, every cause has a row, and the
// catalogue for users is complete.
#include "policy/demystify/signatures/tables.h"

#include <map>
#include <set>
#include <string>
#include <vector>

#include "absl/strings/str_cat.h"
#include "gmock/gmock.h"
#include "gtest/gtest.h"
#include "policy/demystify/causes.h"
#include "policy/demystify/demystify.h"
#include "policy/demystify/signatures/matching/keyword_matcher.h"
#include "policy/demystify/signatures/rows.h"
#include "policy/demystify/signatures/samples.h"
#include "tests/testing/files.h"
#include "tests/testing/status_matchers.h"

namespace mulligan::demystify {
namespace {

std::vector<const TextTable*> AllTexts() {
  return {&TaintTexts(),        &NodeConditionTexts(), &ApplicationTexts(),
          &ImageTexts(),        &StartTexts(),         &MountTexts(),
          &SchedulingTexts(),   &KubeletTexts(),       &KillingTexts(),
          &KernelTexts(),       &SchedulerTexts(),     &CreationTexts(),
          &QueueTexts(),        &OperatorTexts(),      &QueueWaitTexts(),
          &AnnouncementTexts(), &PassingTexts(),       &EndingTexts()};
}

std::vector<const Signature*> AllRows() {
  std::vector<const Signature*> all;
  for (const auto table : {rows::PodReasons(), rows::DisruptionReasons(),
                           rows::TerminatedReasons(), rows::WaitingReasons(),
                           rows::OperatorStates(), rows::SchedulerStates()}) {
    for (const Signature& row : table) all.push_back(&row);
  }
  for (const auto& row : rows::ExitCodes()) all.push_back(&row.row);
  for (const auto& row : rows::Events()) all.push_back(&row.row);
  for (const TextTable* table : AllTexts()) {
    for (const auto& row : table->rows()) all.push_back(&row.row);
  }
  return all;
}

// The tables' compiler has checked that each row matches its samples.
TEST(TextTables, NoRowTakesTheSampleOfAnother) {
  std::map<std::string_view, const TextTable*> tables;
  for (const TextTable* table : AllTexts()) tables[table->name()] = table;
  std::size_t rows = 0;
  for (const auto& [name, table] : tables) rows += table->rows().size();
  EXPECT_GE(TextSamples().size(), rows);
  for (const TextSample& sample : TextSamples()) {
    const auto table = tables.find(sample.table);
    ASSERT_NE(table, tables.end()) << sample.table << " is no table";
    const TextSignature* found = table->second->Find(sample.text);
    ASSERT_NE(found, nullptr) << sample.text;
    EXPECT_EQ(found->row.key, sample.name)
        << "in \"" << sample.text << "\" of " << sample.table;
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

TEST(Tables, FallbackCausesAreNeverCertain) {
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

// The order of causes is by rank, not by number.
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

// docs/causes.md is for users: they cannot look up a cause without a section.
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
  }
}

TEST(CausesDocument, HasTheTableOfCauses) {
  ASSERT_OK_AND_ASSIGN(const std::string table,
                       mulligan::testing::ReadFile(MULLIGAN_CAUSES_MD));
  ASSERT_OK_AND_ASSIGN(const std::string document,
                       mulligan::testing::ReadFile(
                           mulligan::testing::SourcePath("docs/causes.md")));
  EXPECT_THAT(document,
              ::testing::HasSubstr(absl::StrCat(
                  "<!-- begin: causes -->\n", table, "<!-- end: causes -->\n")))
      << "the block of docs/causes.md is " << MULLIGAN_CAUSES_MD;
}

}  // namespace
}  // namespace mulligan::demystify
