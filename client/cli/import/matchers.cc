#include "client/cli/import/matchers.h"

#include <algorithm>
#include <cstdint>
#include <iterator>
#include <set>
#include <utility>

#include "absl/status/status.h"
#include "absl/strings/numbers.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_format.h"
#include "absl/strings/str_join.h"
#include "absl/strings/str_replace.h"
#include "absl/strings/str_split.h"
#include "absl/time/time.h"
#include "client/cli/base/errors.h"
#include "re2/re2.h"

namespace mulligan::cli {
namespace {

constexpr int kMaxExitCode = 255;
// Batch services define codes beyond the shell's 255.
constexpr int kMaxServiceCode = 65535;

Alternatives Only(PolicyJson when) { return {{std::move(when)}}; }

Alternatives CodesIn(const std::set<int>& codes) {
  return Only({{"exitCodes",
                {{"operator", "In"},
                 {"values", std::vector<int>(codes.begin(), codes.end())}}}});
}

// Adds "3", "1-5" or "1,3-5".
absl::Status AddCodes(std::string_view text, std::set<int>& codes) {
  for (const std::string& part : Split(text, ',')) {
    const std::vector<std::string> ends = Split(part, '-');
    int first = 0;
    int last = 0;
    if (ends.size() > 2 || !absl::SimpleAtoi(ends.front(), &first) ||
        !absl::SimpleAtoi(ends.back(), &last) || first < 0 ||
        last > kMaxServiceCode || first > last || last - first > kMaxExitCode) {
      return Invalid("%s is not an exit code, expected 1 to %d, or a range",
                     Quote(part), kMaxServiceCode);
    }
    for (int code = first; code <= last; ++code) codes.insert(code);
  }
  return absl::OkStatus();
}

absl::StatusOr<Alternatives> MatchCodes(const YamlNode& value) {
  std::set<int> codes;
  const std::vector<YamlNode> one = {value};
  for (const YamlNode& item :
       value.kind == YamlNode::Kind::kList ? value.items : one) {
    if (item.kind != YamlNode::Kind::kScalar) {
      return Invalid("expected an exit code");
    }
    if (absl::Status added = AddCodes(item.text, codes); !added.ok()) {
      return added;
    }
  }
  codes.erase(0);
  if (codes.empty()) return Invalid("expected at least one exit code but 0");
  return CodesIn(codes);
}

// Returns the pattern of a glob in which "*" is any text.
std::string GlobPattern(std::string_view glob) {
  std::vector<std::string> parts;
  for (const std::string& part : Split(glob, '*')) {
    parts.push_back(RE2::QuoteMeta(part));
  }
  std::string pattern = "(?s)^";
  for (std::size_t i = 0; i < parts.size(); ++i) {
    absl::StrAppend(&pattern, i == 0 ? "" : ".*", parts[i]);
  }
  return pattern + "$";
}

absl::StatusOr<Alternatives> MatchCodeGlob(const std::string& glob) {
  if (glob == "*") return Alternatives{{}};
  const RE2 pattern(GlobPattern(glob));
  std::set<int> codes;
  for (int code = 1; code <= kMaxExitCode; ++code) {
    if (RE2::PartialMatch(absl::StrCat(code), pattern)) codes.insert(code);
  }
  if (codes.empty()) {
    return Invalid(
        "no exit code fits %s, expected 1 to 255, or its start and *",
        Quote(glob));
  }
  return CodesIn(codes);
}

// Replaces "{}" by `word`.
PolicyJson WithWord(const PolicyJson& when, const std::string& word) {
  if (when.is_string()) {
    const auto text = when.get<std::string>();
    return absl::StrReplaceAll(text, {{"{}", word}});
  }
  PolicyJson result = when;
  for (PolicyJson& part : result) {
    if (part.is_structured() || part.is_string()) part = WithWord(part, word);
  }
  return result;
}

// Returns the condition that an exception of these classes ended the program:
// it is in the last traceback of the log.
PolicyJson Raised(const std::string& classes, const std::string& word) {
  constexpr const char* kPattern =
      R"((?m)(?:^|[\s.(])(?:{})(?:[ \t:()][^\n]*)?)"
      R"((?:\n(?:[^T\n][^\n]*|T(?:[^r\n][^\n]*)?)?)*\z)";
  return {
      {"messagePattern",
       absl::StrReplaceAll(
           kPattern, {{"{}", absl::StrReplaceAll(
                                 classes, {{"{}", RE2::QuoteMeta(word)}})}})}};
}

absl::StatusOr<Alternatives> MatchWords(const PolicyJson& table,
                                        const YamlNode& value) {
  if (value.kind == YamlNode::Kind::kList) {
    absl::StatusOr<Alternatives> all = Alternatives();
    for (const YamlNode& item : value.items) {
      absl::StatusOr<Alternatives> one = MatchWords(table, item);
      if (!one.ok()) {
        // Words that no failure has add nothing to a list.
        if (one.status().code() != absl::StatusCode::kUnimplemented) return one;
        if (!all.ok() || all->empty()) all = one;
        continue;
      }
      if (!all.ok()) all = Alternatives();
      all->insert(all->end(), std::make_move_iterator(one->begin()),
                  std::make_move_iterator(one->end()));
    }
    return all;
  }
  if (value.kind != YamlNode::Kind::kScalar) return Invalid("expected a word");
  // "*" in the table means any other word. Classes may have their module.
  std::string word = value.text == "*" ? "any" : value.text;
  auto row = table.find(word);
  if (row == table.end() && word.starts_with("builtins.")) {
    row = table.find(word.substr(word.rfind('.') + 1));
  }
  word = word.substr(word.rfind('.') + 1);
  if (row == table.end()) row = table.find("*");
  if (row == table.end()) {
    std::vector<std::string> known;
    for (const auto& [name, unused] : table.items()) known.push_back(name);
    return Invalid("%s is not known, expected one of %s", Quote(value.text),
                   absl::StrJoin(known, ", "));
  }
  if (row->is_string()) {
    return absl::UnimplementedError(row->get<std::string>());
  }
  Alternatives all;
  for (const PolicyJson& when : *row) {
    all.push_back({when.contains("exception") ? Raised(when["exception"], word)
                                              : WithWord(when, word)});
  }
  return all;
}

}  // namespace

std::vector<std::string> Split(std::string_view text, char separator) {
  return absl::StrSplit(absl::string_view(text.data(), text.size()), separator);
}

absl::StatusOr<Alternatives> Match(const PolicyJson& matcher,
                                   const YamlNode& value,
                                   const PolicyJson& words) {
  if (matcher.is_object()) {
    const PolicyJson& table = words.at(matcher.at("words").get<std::string>());
    return MatchWords(table, value);
  }
  const auto name = matcher.get<std::string>();
  if (name == "exitCodes") return MatchCodes(value);
  if (value.kind != YamlNode::Kind::kScalar) return Invalid("expected a text");
  const std::string& text = value.text;
  if (name == "exitCodeGlob") return MatchCodeGlob(text);
  if (name == "state") return Only({{"reasons", {text}}});
  if (name == "reason") {
    if (text == "*") return Alternatives{{}};
    return Only({{"statusPattern", GlobPattern(text)}});
  }
  return MatchExpression(text);
}

absl::StatusOr<std::string> ReadForeignDuration(const std::string& text,
                                                bool nanoseconds) {
  double number = 0;
  if (absl::SimpleAtod(text, &number)) {
    const double milliseconds = nanoseconds ? number / 1e6 : number * 1e3;
    if (milliseconds >= 0 && milliseconds <= 3650.0 * 86'400'000) {
      return PolicyDuration(static_cast<long long>(milliseconds));
    }
  }
  absl::Duration duration;
  if (absl::ParseDuration(text, &duration) &&
      duration >= absl::ZeroDuration() && duration <= absl::Hours(24 * 3650)) {
    return PolicyDuration(absl::ToInt64Milliseconds(duration));
  }
  return Invalid("%s is not a duration, expected seconds, or as in 1m30s",
                 Quote(text));
}

std::string PolicyDuration(long long milliseconds) {
  const std::pair<long long, const char*> units[] = {{86'400'000, "d"},
                                                     {3'600'000, "h"},
                                                     {60'000, "m"},
                                                     {1000, "s"},
                                                     {1, "ms"}};
  std::string text;
  for (const auto& [size, unit] : units) {
    if (milliseconds >= size) absl::StrAppend(&text, milliseconds / size, unit);
    milliseconds %= size;
  }
  return text.empty() ? "0s" : text;
}

}  // namespace mulligan::cli
