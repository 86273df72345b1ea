#include "tools/rows/remedies.h"

#include <re2/re2.h>

#include <algorithm>
#include <cstddef>
#include <string_view>

#include "absl/strings/str_cat.h"
#include "absl/strings/str_format.h"
#include "policy/demystify/signatures/matching/pattern_options.h"

namespace mulligan::demystify {
namespace {

// Placeholders that policy/words/text_remedies.cc knows.
constexpr std::string_view kRemedyWords[] = {
    "{pod}",   "{container}", "{node}",     "{image}", "{space}", "{limit}",
    "{above}", "{tag}",       "{workload}", "{queue}", "{ask}"};

}  // namespace

void CheckWordsInBraces(std::string_view text,
                        std::span<const std::string_view> words,
                        const std::string& at, IssueReporter& report) {
  for (std::size_t brace = text.find('{'); brace != std::string_view::npos;
       brace = text.find('{', brace + 1)) {
    if (std::ranges::any_of(words, [&](std::string_view word) {
          return text.substr(brace).starts_with(word);
        })) {
      continue;
    }
    report.Error(
        at, absl::StrFormat(
                "\"%s\" has a word in braces that stands for nothing", text));
  }
}

void CheckRemedies(const signatures::Row& row, const std::string& at,
                   IssueReporter& report) {
  for (int i = 0; i < row.remedies_size(); ++i) {
    const signatures::Row::Remedy& remedy = row.remedies(i);
    const std::string path = absl::StrCat(at, ".remedies[", i, "]");
    if (remedy.names().empty()) {
      report.Error(path + ".names",
                   "names is missing, expected an RE2 expression that finds in "
                   "the text what the remedy names");
      continue;
    }
    const re2::RE2 names(remedy.names(), RemedyOptions());
    if (!names.ok()) {
      report.Error(path + ".names",
                   absl::StrFormat("\"%s\": %s, expected an RE2 expression",
                                   remedy.names(), names.error()));
    }
    if (remedy.remedy().empty() ||
        remedy.actor() == v1::FirstStep::ACTOR_UNSPECIFIED) {
      report.Error(path, "expected a remedy, and an actor who does it");
    }
    for (const std::string* text : {&remedy.problem(), &remedy.remedy(),
                                    &remedy.command(), &remedy.elsewhere()}) {
      std::string why;
      if (names.ok() && !names.CheckRewriteString(*text, &why)) {
        report.Error(
            path, absl::StrFormat("\"%s\": %s; expected \\1 to \\%d, the "
                                  "groups of names",
                                  *text, why, names.NumberOfCapturingGroups()));
      }
      CheckWordsInBraces(*text, kRemedyWords, path, report);
    }
  }
}

}  // namespace mulligan::demystify
