#include "tools/rows/searched_texts.h"

#include <re2/re2.h>

#include <algorithm>
#include <optional>
#include <utility>

#include "absl/strings/ascii.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_format.h"
#include "absl/strings/str_join.h"
#include "absl/strings/str_replace.h"
#include "policy/demystify/signatures/matching/pattern_options.h"
#include "tools/rows/keyword.h"

namespace mulligan::demystify {
namespace {

using signatures::Row;

bool AreWords(const google::protobuf::RepeatedPtrField<std::string>& patterns) {
  return !patterns.empty() &&
         std::ranges::all_of(patterns, [](const std::string& pattern) {
           return LiteralOf(pattern).has_value();
         });
}

// Parts may contain parts, in any order.
std::string WithParts(std::string pattern, const Parts& parts) {
  for (std::size_t depth = 0; depth < parts.size(); ++depth) {
    for (const auto& [name, part] : parts) {
      pattern =
          absl::StrReplaceAll(pattern, {{absl::StrCat("${", name, "}"), part}});
    }
  }
  return pattern;
}

// The patterns of one row, at `path`.
class PatternCompiler {
 public:
  PatternCompiler(const Row& row, const std::string& at,
                  const std::string& path, IssueReporter& report)
      : row_(row), at_(at), path_(path), report_(report) {}

  void Add(const std::string& pattern) {
    const re2::RE2 re(pattern, PatternOptions());
    if (pattern.find("${") != std::string::npos) {
      report_.Error(path_,
                    absl::StrFormat("\"%s\" has a part that the table "
                                    "does not, expected one of its parts",
                                    pattern));
    } else if (!re.ok()) {
      report_.Error(path_,
                    absl::StrFormat("\"%s\": %s, expected an RE2 expression",
                                    pattern, re.error()));
    } else if (row_.keyword().empty()) {
      AddByItsWords(pattern);
    } else {
      AddByKeyword(pattern);
    }
  }

  std::vector<SearchedText> Take() { return std::move(texts_); }

 private:
  void AddByItsWords(const std::string& pattern) {
    if (auto literal = LiteralOf(pattern)) {
      texts_.push_back({*std::move(literal), ""});
      return;
    }
    std::string keyword = RequiredWords(pattern);
    if (keyword.empty()) {
      report_.Error(path_,
                    absl::StrFormat("no words stand in every match of "
                                    "\"%s\", expected some, or a keyword",
                                    pattern));
    }
    texts_.push_back({std::move(keyword), pattern});
  }

  void AddByKeyword(const std::string& pattern) {
    texts_.push_back({absl::AsciiStrToLower(row_.keyword()), pattern});
    std::string problem =
        KeywordProblem(pattern, texts_.back().keyword, row_.keyword_beside());
    if (!problem.empty()) {
      report_.Error(at_ + ".keyword", std::move(problem));
    }
  }

  const Row& row_;
  const std::string& at_;
  const std::string& path_;
  IssueReporter& report_;
  std::vector<SearchedText> texts_;
};

}  // namespace

std::vector<SearchedText> SearchedTexts(const Row& row, const Parts& parts,
                                        const std::string& at,
                                        IssueReporter& report) {
  const auto& patterns = row.message_patterns();
  const bool is_one = !row.message_pattern().empty();
  if (is_one && !patterns.empty()) {
    report.Error(at + ".messagePatterns",
                 "beside messagePattern, expected one of the two");
    return {};
  }
  std::vector<SearchedText> texts;
  if (row.keyword().empty() && AreWords(patterns)) {
    for (const std::string& words : patterns) {
      texts.push_back({*LiteralOf(words), ""});
    }
    return texts;
  }
  const std::string path =
      at + (is_one ? ".messagePattern" : ".messagePatterns");
  PatternCompiler compiler(row, at, path, report);
  const std::string all = WithParts(
      is_one ? row.message_pattern() : absl::StrJoin(patterns, "|"), parts);
  const bool share_no_words = !is_one && row.keyword().empty() &&
                              re2::RE2(all, PatternOptions()).ok() &&
                              RequiredWords(all).empty();
  if (!share_no_words) {
    compiler.Add(all);
    return compiler.Take();
  }
  for (const std::string& pattern : patterns) {
    compiler.Add(WithParts(pattern, parts));
  }
  return compiler.Take();
}

}  // namespace mulligan::demystify
