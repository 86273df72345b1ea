#include <nlohmann/json.hpp>
#include <utility>

#include "absl/strings/str_cat.h"
#include "client/cli/replay/replay_output.h"

namespace mulligan::cli {
namespace {

using Json = nlohmann::ordered_json;

// Raised when the members change their meaning.
constexpr int kVersion = 1;

struct CountMember {
  const char* name;
  Count ReplayResult::*count;
};
constexpr CountMember kCounts[] = {{"lines", &ReplayResult::lines},
                                   {"badLines", &ReplayResult::bad_lines},
                                   {"redacted", &ReplayResult::redacted},
                                   {"noAnswer", &ReplayResult::no_answer}};

struct TalliesMember {
  const char* name;
  Tallies ReplayResult::*tallies;
};
constexpr TalliesMember kTallies[] = {{"byCause", &ReplayResult::by_cause},
                                      {"byPolicy", &ReplayResult::by_policy},
                                      {"byKind", &ReplayResult::by_kind},
                                      {"byDay", &ReplayResult::by_day}};

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

Json ToJson(const LogPlace& place) {
  return {{"file", place.file}, {"line", place.line}};
}

LogPlace PlaceFrom(const Json& json) {
  return {json.at("file").get<std::string>(),
          json.at("line").get<std::size_t>()};
}

Json ExamplesJson(const ReplayResult& result) {
  Json examples = Json::array();
  for (const auto& [place, example] : result.examples.all()) {
    Json json = ToJson(place);
    json["decisionId"] = example.decision_id;
    json["workload"] = example.workload;
    json["change"] = example.change;
    json["recorded"] = example.recorded;
    json["replayed"] = example.replayed;
    examples.push_back(std::move(json));
  }
  return examples;
}

Json BadJson(const ReplayResult& result) {
  Json bad = Json::array();
  for (const auto& [place, why] : result.bad.all()) {
    Json json = ToJson(place);
    json["why"] = why;
    bad.push_back(std::move(json));
  }
  return bad;
}

Json BudgetsJson(const ReplayResult& result) {
  Json budgets = Json::object();
  for (const auto& [name, charges] : result.budgets) {
    budgets[name] = {{"recorded", charges.recorded},
                     {"replayed", charges.replayed}};
  }
  return budgets;
}

ReplayResult ResultFrom(const Json& json) {
  ReplayResult result;
  result.revision = json.at("revision").get<std::string>();
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
    const auto text = [&example](const char* name) {
      return example.at(name).get<std::string>();
    };
    result.examples.Add(PlaceFrom(example),
                        {text("decisionId"), text("workload"), text("change"),
                         text("recorded"), text("replayed")});
  }
  for (const Json& bad : json.at("bad")) {
    result.bad.Add(PlaceFrom(bad), bad.at("why").get<std::string>());
  }
  return result;
}

}  // namespace

std::string ReplayJson(const ReplayResult& result) {
  Json json = {{"replayVersion", kVersion}, {"revision", result.revision}};
  for (const auto& [name, count] : kCounts) json[name] = result.*count;
  json["all"] = ToJson(result.all);
  json["differences"] = result.differences;
  for (const auto& [name, tallies] : kTallies) {
    Json& by_name = json[name] = Json::object();
    for (const auto& [key, tally] : (result.*tallies).all()) {
      by_name[key] = ToJson(tally);
    }
  }
  json["budgets"] = BudgetsJson(result);
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
      return absl::InvalidArgumentError(
          absl::StrCat("replayVersion: ", json.at("replayVersion").get<int>(),
                       " is not known; expected ", kVersion));
    }
    return ResultFrom(json);
  } catch (const Json::exception& error) {
    return absl::InvalidArgumentError(absl::StrCat(
        "is not a result of mulligan replay -o json: ", error.what()));
  }
}

}  // namespace mulligan::cli
