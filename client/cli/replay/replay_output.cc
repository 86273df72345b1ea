#include <algorithm>
#include <nlohmann/json.hpp>
#include <utility>

#include "absl/strings/str_cat.h"
#include "absl/strings/str_format.h"
#include "client/cli/base/errors.h"
#include "client/cli/base/numbers.h"
#include "client/cli/base/utf8.h"
#include "client/cli/print/layout.h"
#include "client/cli/replay/replay.h"

namespace mulligan::cli {
namespace {

constexpr std::size_t kMaxTableRows = 20;
constexpr std::size_t kMaxChanges = 3;
constexpr std::size_t kMaxExamples = 5;

std::string ChangesText(const Tally& tally) {
  std::string text;
  std::size_t shown = 0;
  for (const auto& [change, count] : MostFirst(tally.changes)) {
    if (shown++ == kMaxChanges) return text + ", ...";
    absl::StrAppend(&text, text.empty() ? "" : ", ", change, " ",
                    WithCommas(count));
  }
  return text;
}

template <typename Rows>
std::size_t NameWidth(const Rows& rows, std::size_t least) {
  std::size_t width = least;
  for (const auto& row : rows) {
    width = std::max(width, DisplayWidth(Printable(row.first)));
  }
  return std::min<std::size_t>(width, 40);
}

std::string TallyTable(std::string_view title, const Tallies& tallies) {
  const auto rows = MostChangedFirst(tallies);
  const std::size_t width = NameWidth(rows, title.size());
  std::string text =
      absl::StrCat("\n", Padded(title, width), "  DECISIONS    CHANGED\n");
  std::size_t shown = 0;
  for (const auto& [name, tally] : rows) {
    if (shown++ == kMaxTableRows) {
      absl::StrAppendFormat(&text, "and %d more\n",
                            rows.size() - kMaxTableRows);
      break;
    }
    const Count changed = tally.changed();
    absl::StrAppendFormat(&text, "%s %10s %10s", Padded(name, width),
                          WithCommas(tally.decisions), WithCommas(changed));
    if (changed > 0) {
      absl::StrAppendFormat(&text, " %7s  %s",
                            Percent(changed, tally.decisions),
                            ChangesText(tally));
    }
    text += '\n';
  }
  return text;
}

std::string BudgetTable(const std::map<std::string, Charges>& budgets) {
  if (budgets.empty()) return "";
  const std::size_t width = NameWidth(budgets, 6);
  std::string text =
      absl::StrCat("\n", Padded("BUDGET", width), "    CHARGED   WOULD BE\n");
  for (const auto& [name, charges] : budgets) {
    absl::StrAppendFormat(&text, "%s %10s %10s\n", Padded(name, width),
                          WithCommas(charges.recorded),
                          WithCommas(charges.replayed));
  }
  return text;
}

std::string DifferenceLine(const ReplayResult& result) {
  std::string text;
  for (const auto& [name, count] : MostFirst(result.differences)) {
    absl::StrAppend(&text, text.empty() ? "Differing in: " : ", ", name, " ",
                    WithCommas(count));
  }
  return text.empty() ? text : text + "\n";
}

std::string ExampleLines(const ReplayResult& result) {
  std::string text;
  std::size_t shown = 0;
  for (const auto& [place, example] : result.examples.all()) {
    if (shown++ == kMaxExamples) break;
    absl::StrAppend(&text, "\n", Printable(place.Text()), ", ",
                    Printable(example.workload), ": ", example.change,
                    "\n  was  ", Printable(example.recorded), "\n  now  ",
                    Printable(example.replayed), "\n");
  }
  return text;
}

std::string BadLines(const ReplayResult& result) {
  if (result.bad_lines == 0) return "";
  std::string text = absl::StrCat(
      "\n", Plural(result.bad_lines, "line", "lines"), " could not be read:\n");
  for (const auto& [place, why] : result.bad.all()) {
    absl::StrAppend(&text, "  ", Printable(place.Text()), ": ", Printable(why),
                    "\n");
  }
  return text;
}

std::string Notes(const ReplayResult& result) {
  std::string text;
  if (result.redacted > 0) {
    absl::StrAppend(&text, WithCommas(result.redacted),
                    " of them have blanked fields and may differ for that "
                    "alone.\n");
  }
  if (result.no_answer > 0) {
    absl::StrAppend(&text, WithCommas(result.no_answer),
                    " would have no answer.\n");
  }
  return text;
}

using Json = nlohmann::ordered_json;

// Incremented when a member changes its meaning.
constexpr int kVersion = 1;

constexpr std::pair<const char*, Count ReplayResult::*> kCounts[] = {
    {"lines", &ReplayResult::lines},
    {"badLines", &ReplayResult::bad_lines},
    {"redacted", &ReplayResult::redacted},
    {"noAnswer", &ReplayResult::no_answer}};

constexpr std::pair<const char*, Tallies ReplayResult::*> kTallies[] = {
    {"byCause", &ReplayResult::by_cause},
    {"byPolicy", &ReplayResult::by_policy},
    {"byKind", &ReplayResult::by_kind},
    {"byDay", &ReplayResult::by_day}};

constexpr std::pair<const char*, std::string Example::*> kTexts[] = {
    {"decisionId", &Example::decision_id},
    {"workload", &Example::workload},
    {"change", &Example::change},
    {"recorded", &Example::recorded},
    {"replayed", &Example::replayed}};

Json ToJson(const Tally& tally) {
  return {{"decisions", tally.decisions},
          {"changed", tally.changed()},
          {"changes", tally.changes}};
}

Tally TallyFrom(const Json& json) {
  Tally tally;
  tally.decisions = json.at("decisions").get<Count>();
  tally.changes = json.at("changes").get<std::map<std::string, Count>>();
  return tally;
}

Json ToJson(const LogPosition& place) {
  return {{"file", place.file}, {"line", place.line}};
}

LogPosition PlaceFrom(const Json& json) {
  return {json.at("file").get<std::string>(),
          json.at("line").get<std::size_t>()};
}

Json ExamplesJson(const ReplayResult& result) {
  Json examples = Json::array();
  for (const auto& [place, example] : result.examples.all()) {
    Json& json = examples.emplace_back(ToJson(place));
    for (const auto& [name, text] : kTexts) json[name] = example.*text;
  }
  return examples;
}

Json BadJson(const ReplayResult& result) {
  Json bad = Json::array();
  for (const auto& [place, why] : result.bad.all()) {
    bad.emplace_back(ToJson(place))["why"] = why;
  }
  return bad;
}

ReplayResult ResultFrom(const Json& json) {
  ReplayResult result;
  result.revision = json.at("revision").get<std::string>();
  result.parts = json.value("parts", decltype(result.parts)());
  for (const auto& [name, count] : kCounts) {
    result.*count = json.at(name).get<Count>();
  }
  result.all = TallyFrom(json.at("all"));
  result.differences =
      json.at("differences").get<std::map<std::string, Count>>();
  for (const auto& [name, tallies] : kTallies) {
    for (const auto& [key, tally] : json.at(name).items()) {
      (result.*tallies).At(key) = TallyFrom(tally);
    }
  }
  for (const auto& [name, charges] : json.at("budgets").items()) {
    result.budgets[name] = {charges.at("recorded").get<Count>(),
                            charges.at("replayed").get<Count>()};
  }
  result.recorded_revisions =
      json.at("recordedRevisions").get<std::map<std::string, Count>>();
  for (const Json& example : json.at("examples")) {
    Example read;
    for (const auto& [name, text] : kTexts) {
      example.at(name).get_to(read.*text);
    }
    result.examples.Add(PlaceFrom(example), std::move(read));
  }
  for (const Json& bad : json.at("bad")) {
    result.bad.Add(PlaceFrom(bad), bad.at("why").get<std::string>());
  }
  return result;
}

}  // namespace

std::vector<std::pair<std::string, Tally>> MostChangedFirst(
    const Tallies& tallies) {
  std::vector<std::pair<std::string, Tally>> rows(tallies.all().begin(),
                                                  tallies.all().end());
  std::ranges::stable_sort(rows, [](const auto& a, const auto& b) {
    return std::pair(a.second.changed(), a.second.decisions) >
           std::pair(b.second.changed(), b.second.decisions);
  });
  return rows;
}

std::vector<std::pair<std::string, Count>> MostFirst(
    const std::map<std::string, Count>& counts) {
  std::vector<std::pair<std::string, Count>> rows(counts.begin(), counts.end());
  std::ranges::stable_sort(rows, std::ranges::greater(),
                           &std::pair<std::string, Count>::second);
  return rows;
}

std::string ReplayText(const ReplayResult& result, std::string_view policies) {
  const Count changed = result.all.changed();
  std::string text = absl::StrFormat(
      "%s decisions replayed under %s (revision %s)\n%s would change (%s)\n",
      WithCommas(result.all.decisions), Printable(policies),
      Printable(result.revision), WithCommas(changed),
      Percent(changed, result.all.decisions));
  absl::StrAppend(&text, Notes(result));
  if (result.all.decisions > 0) {
    absl::StrAppend(&text, DifferenceLine(result),
                    TallyTable("CAUSE", result.by_cause),
                    TallyTable("POLICY", result.by_policy),
                    TallyTable("KIND", result.by_kind));
    absl::StrAppend(&text, BudgetTable(result.budgets), ExampleLines(result));
  }
  return text + BadLines(result);
}

std::string ReplayJson(const ReplayResult& result) {
  Json json = {{"replayVersion", kVersion},
               {"revision", result.revision},
               {"parts", result.parts}};
  for (const auto& [name, count] : kCounts) json[name] = result.*count;
  json["all"] = ToJson(result.all);
  json["differences"] = result.differences;
  for (const auto& [name, tallies] : kTallies) {
    Json& by_name = json[name] = Json::object();
    for (const auto& [key, tally] : (result.*tallies).all()) {
      by_name[key] = ToJson(tally);
    }
  }
  Json& budgets = json["budgets"] = Json::object();
  for (const auto& [name, charges] : result.budgets) {
    budgets[name] = {{"recorded", charges.recorded},
                     {"replayed", charges.replayed}};
  }
  json["recordedRevisions"] = result.recorded_revisions;
  json["examples"] = ExamplesJson(result);
  json["bad"] = BadJson(result);
  // Names come from outside and may be any bytes.
  return json.dump(2, ' ', false, Json::error_handler_t::replace) + "\n";
}

absl::StatusOr<ReplayResult> ParseReplayJson(std::string_view text) {
  try {
    const Json json = Json::parse(text);
    if (json.at("replayVersion").get<int>() != kVersion) {
      return Invalid("replayVersion: %d is not known; expected %d",
                     json.at("replayVersion").get<int>(), kVersion);
    }
    return ResultFrom(json);
  } catch (const Json::exception& error) {
    return Invalid("is not a result of mulligan replay -o json: %s",
                   error.what());
  }
}

}  // namespace mulligan::cli
