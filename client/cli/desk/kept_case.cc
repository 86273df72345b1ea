#include "client/cli/desk/kept_case.h"

#include <algorithm>
#include <cstddef>
#include <utility>
#include <vector>

#include "absl/strings/str_cat.h"
#include "absl/strings/str_join.h"
#include "absl/strings/str_split.h"
#include "client/cli/base/errors.h"
#include "client/cli/base/proto_json.h"
#include "client/cli/base/utf8.h"
#include "client/cli/story/wording.h"
#include "client/cli/suite/suite.h"
#include "google/protobuf/util/message_differencer.h"
#include "policy/base/times.h"

namespace mulligan::cli {
namespace {

using Lines = std::vector<std::string>;

// The entries below a key, lines [from, to).
struct Block {
  std::size_t from = 0;
  std::size_t to = 0;
  std::size_t indent = 0;
};

Lines LinesOf(std::string_view text) {
  Lines lines =
      absl::StrSplit(absl::string_view(text.data(), text.size()), '\n');
  if (lines.back().empty()) lines.pop_back();
  return lines;
}

std::size_t IndentOf(const std::string& line) {
  return std::min(line.find_first_not_of(' '), line.size());
}

bool IsContent(const std::string& line) {
  const std::size_t at = line.find_first_not_of(" \t\r");
  return at != std::string::npos && line[at] != '#';
}

// Removes an empty list or map after a key.
std::string WithoutEmpty(std::string line, std::size_t from) {
  const std::size_t at = line.find_first_not_of(' ', from);
  if (at == std::string::npos) return line;
  if (line.compare(at, 2, "[]") == 0 || line.compare(at, 2, "{}") == 0) {
    line.erase(from, at + 2 - from);
  }
  return line;
}

// Returns whether a line is `key`, followed at most by a comment, or by an
// empty list or map, which it removes.
bool TakeKey(std::string& line, std::size_t indent, std::string_view key) {
  if (IndentOf(line) != indent ||
      line.compare(indent, key.size() + 1,
                   absl::StrCat(std::string(key), ":"))) {
    return false;
  }
  const std::size_t end = indent + key.size() + 1;
  std::string bare = WithoutEmpty(line, end);
  if (IsContent(bare.substr(end))) return false;
  line = std::move(bare);
  return true;
}

// Returns the block of the key in line `at`: all deeper lines, and list items
// at the key's own indentation.
Block BlockBelow(const Lines& lines, std::size_t at, std::size_t end) {
  const std::size_t key = IndentOf(lines[at]);
  Block block = {at + 1, at + 1, key + 2};
  bool is_first = true;
  for (std::size_t i = at + 1; i < end; ++i) {
    const std::size_t indent = IndentOf(lines[i]);
    const bool is_item = indent == key && lines[i][indent] == '-' &&
                         !lines[i].starts_with("---");
    if (IsContent(lines[i])) {
      if (indent <= key && !is_item) break;
      if (is_first) block.indent = indent;
      is_first = false;
    } else if (is_first || indent < block.indent || indent == lines[i].size()) {
      continue;  // a comment on what follows, or an empty line
    }
    block.to = i + 1;
  }
  return block;
}

std::size_t Find(Lines& lines, const Block& block, std::string_view key) {
  for (std::size_t i = block.from; i < block.to; ++i) {
    if (TakeKey(lines[i], block.indent, key)) return i;
  }
  return block.to;
}

// Returns `yaml` without those of spec.fixtures, spec.cases and spec that are
// empty, because a parser rejects them.
std::string WithoutEmptySections(std::string_view yaml) {
  Lines lines = LinesOf(yaml);
  const std::size_t top = Find(lines, {0, lines.size(), 0}, "spec");
  if (top == lines.size()) return std::string(yaml);
  const auto is_empty = [&](std::size_t at) {
    const Block block = BlockBelow(lines, at, lines.size());
    return block.from == block.to;
  };
  const auto erase = [&](std::size_t at) {
    lines.erase(lines.begin() + static_cast<std::ptrdiff_t>(at));
  };
  for (const char* section : {"fixtures", "cases"}) {
    const Block spec = BlockBelow(lines, top, lines.size());
    const std::size_t key = Find(lines, spec, section);
    if (key < spec.to && is_empty(key)) erase(key);
  }
  if (is_empty(top)) erase(top);
  return absl::StrJoin(lines, "\n");
}

// Returns whether `yaml` has only blank lines and comments.
bool HasNoContent(std::string_view yaml) {
  return std::ranges::none_of(LinesOf(yaml), IsContent);
}

// Returns `yaml` with `entry`, in block style, after the last entry of
// spec.SECTION; a missing section is added after the others. Existing lines and
// their line breaks stay; an empty list after SECTION is removed. Works by
// indentation, so the caller must parse the result to check it. Returns empty
// if "spec:" or "SECTION:" is not on a line of its own.
std::string WithEntry(std::string_view yaml, std::string_view section,
                      std::string_view entry) {
  Lines lines = LinesOf(yaml);
  const bool of_windows = std::ranges::all_of(
      lines, [](std::string_view line) { return line.ends_with('\r'); });
  const std::size_t top = Find(lines, {0, lines.size(), 0}, "spec");
  if (top == lines.size()) return "";
  const Block spec = BlockBelow(lines, top, lines.size());
  const std::size_t key = Find(lines, spec, section);
  Lines added;
  Block block = {spec.to, spec.to, spec.indent + 2};
  if (key < spec.to) {
    block = BlockBelow(lines, key, spec.to);
  } else {
    added.push_back(
        absl::StrCat(std::string(spec.indent, ' '), std::string(section), ":"));
  }
  for (const std::string& line : LinesOf(entry)) {
    added.push_back(absl::StrCat(std::string(block.indent, ' '), line));
  }
  if (of_windows) {
    for (std::string& line : added) line += '\r';
  }
  lines.insert(lines.begin() + static_cast<std::ptrdiff_t>(block.to),
               added.begin(), added.end());
  return absl::StrCat(absl::StrJoin(lines, "\n"), "\n");
}

// Returns the facts that a case should check: action, reason and payer.
v1::ExpectedAnswer ExpectationOf(const v1::DecideResponse& answer) {
  v1::ExpectedAnswer expect;
  const v1::Decision& decision = answer.decision();
  expect.set_action(decision.action());
  expect.set_scope(decision.scope());
  expect.set_cause(answer.diagnosis().cause());
  expect.set_rule(answer.explanation().matched_rule().rule());
  const v1::Accounting& accounting = answer.accounting();
  if (accounting.units() > 0) {
    expect.set_budget(accounting.charged_to());
  } else {
    expect.set_charged(false);
  }
  if (accounting.has_exhaustion()) {
    expect.set_exhausted(LimitName(accounting.exhaustion()));
  }
  if (accounting.duplicate()) expect.set_duplicate(true);
  if (decision.last_attempt()) expect.set_last_attempt(true);
  for (const v1::ResourceChange& change : decision.resources()) {
    if (change.factor() > 0) {
      (*expect.mutable_resources())[change.resource()] = change.factor();
    }
  }
  return expect;
}

v1::RetryPolicyTest NewSuite(const Question& question) {
  v1::RetryPolicyTest suite;
  suite.set_api_version("mulligan.dev/v1");
  suite.set_kind(std::string(kSuiteKind));
  suite.mutable_metadata()->set_name("playground");
  for (const PolicyText& policy : question.policies) {
    suite.mutable_spec()->add_policies(policy.file);
  }
  return suite;
}

absl::StatusOr<v1::RetryPolicyTest> SuiteOf(const Question& question) {
  if (HasNoContent(question.suite)) return NewSuite(question);
  Suite suite = ParseSuite("the suite", question.suite);
  if (!HasErrors(suite.issues)) return std::move(suite.test);
  // The suite may be valid except for lacking a first case.
  Suite empty = ParseSuite("", WithoutEmptySections(question.suite));
  if (empty.issues.size() == 1 && empty.issues[0].message == kNoCases) {
    return std::move(empty.test);
  }
  const Issue& first = suite.issues.front();
  return Invalid("the suite, line %d: %s", first.position.line, first.message);
}

// Returns `wanted`, with a number added if it is taken.
template <typename IsTaken>
std::string FreeName(const std::string& wanted, const IsTaken& is_taken) {
  std::string name = wanted;
  for (int number = 2; is_taken(name); ++number) {
    name = absl::StrCat(wanted, " ", number);
  }
  return name;
}

// Returns the name of the failure's fixture, which it adds to both specs if
// absent.
std::string AddFixture(const std::string& wanted, const Failure& failure,
                       v1::RetryPolicyTestSpec& spec,
                       v1::RetryPolicyTestSpec& added) {
  using google::protobuf::util::MessageDifferencer;
  auto& fixtures = *spec.mutable_fixtures();
  for (const auto& [name, fixture] : fixtures) {
    if (fixture.objects_size() == 1 && fixture.files().empty() &&
        MessageDifferencer::Equals(fixture.objects(0), failure.shown)) {
      return name;
    }
  }
  std::string name = FreeName(wanted, [&fixtures](const std::string& taken) {
    return fixtures.contains(taken);
  });
  *fixtures[name].add_objects() = failure.shown;
  (*added.mutable_fixtures())[name] = fixtures[name];
  return name;
}

std::string DefaultName(const v1::DecideResponse& answer) {
  return absl::StrCat(Words(v1::Cause_Name(answer.diagnosis().cause())), ": ",
                      ActionLine(answer.decision()));
}

// Returns the entries of `yaml`, a message with only spec.SECTION.
std::string EntriesIn(const std::string& yaml) {
  std::vector<std::string> lines = absl::StrSplit(yaml, '\n');
  lines.erase(lines.begin(), lines.begin() + 2);  // "spec:" and "SECTION:"
  const std::size_t indent = lines.front().find_first_not_of(' ');
  for (std::string& line : lines) line.erase(0, indent);
  return absl::StrJoin(lines, "\n");
}

// Returns `text` with `added` inserted; empty if that would not parse as
// `whole`.
absl::StatusOr<std::string> AddToText(const std::string& text,
                                      const v1::RetryPolicyTestSpec& added,
                                      const v1::RetryPolicyTest& whole) {
  v1::RetryPolicyTest fixtures;
  v1::RetryPolicyTest cases;
  *fixtures.mutable_spec()->mutable_fixtures() = added.fixtures();
  *cases.mutable_spec()->mutable_cases() = added.cases();
  std::string result = text;
  for (const auto& [section, part] :
       {std::pair("fixtures", fixtures), std::pair("cases", cases)}) {
    const absl::StatusOr<std::string> yaml =
        PrintProtoAs(OutputFormat::kYaml, part);
    if (!yaml.ok()) return yaml;
    if (part.spec().fixtures().empty() && part.spec().cases().empty()) continue;
    result = WithEntry(result, section, EntriesIn(*yaml));
    if (result.empty()) return result;
  }
  const Suite read = ParseSuite("the suite", result);
  const bool is_same =
      !HasErrors(read.issues) &&
      google::protobuf::util::MessageDifferencer::Equals(read.test, whole);
  return is_same ? result : "";
}

// Returns the suite's text with its comments, or the reprinted suite if it has
// none.
absl::StatusOr<std::string> TextOf(const std::string& text,
                                   const v1::RetryPolicyTestSpec& added,
                                   const v1::RetryPolicyTest& whole) {
  const absl::StatusOr<std::string> printed =
      PrintProtoAs(OutputFormat::kYaml, whole);
  if (!printed.ok() || IsBlankText(text)) return printed;
  if (HasNoContent(text)) {
    return absl::StrCat(text, text.ends_with('\n') ? "" : "\n", *printed);
  }
  absl::StatusOr<std::string> result = AddToText(text, added, whole);
  if (!result.ok() || !result->empty()) return result;
  if (text.find('#') == std::string::npos) return printed;
  return Invalid(
      "the suite would lose its comments: expected spec, fixtures and cases in "
      "block style, each key on its own line; write them so, or remove the "
      "comments");
}

}  // namespace

absl::StatusOr<std::string> AddCase(
    const Question& question, const Failure& failure,
    const std::vector<AnsweredAttempt>& attempts) {
  absl::StatusOr<v1::RetryPolicyTest> suite = SuiteOf(question);
  if (!suite.ok()) return suite.status();
  v1::RetryPolicyTestSpec& spec = *suite->mutable_spec();
  const v1::DecideResponse& last = attempts.back().response;
  v1::RetryPolicyTestSpec more;
  const std::string fixture = AddFixture(
      Words(v1::Cause_Name(last.diagnosis().cause())), failure, spec, more);
  const auto is_case = [&spec](const std::string& name) {
    return std::ranges::any_of(spec.cases(), [&name](const auto& test) {
      return test.name() == name;
    });
  };
  const std::string name =
      FreeName(question.case_name.empty() ? DefaultName(last)
                                          : Printable(question.case_name),
               is_case);
  v1::PolicyTestCase& added = *spec.add_cases();
  added.set_name(name);
  for (const AnsweredAttempt& attempt : attempts) {
    v1::PolicyTestStep& step = *added.add_steps();
    step.set_fixture(fixture);
    if (added.steps_size() == 1) {
      step.set_at(failure.at);
    } else {
      SetDuration(question.apart, *step.mutable_after());
    }
    *step.mutable_expect() = ExpectationOf(attempt.response);
  }
  *more.add_cases() = added;
  return TextOf(question.suite, more, *suite);
}

}  // namespace mulligan::cli
