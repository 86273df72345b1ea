#include "client/cli/report/report_parts.h"

#include <algorithm>
#include <array>
#include <cstdint>
#include <exception>
#include <nlohmann/json.hpp>
#include <stdexcept>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "absl/strings/str_cat.h"
#include "absl/strings/str_format.h"

namespace mulligan::cli {

using PartJson = nlohmann::ordered_json;

namespace {

// Of the lines; changes with any of their members.
constexpr int kPartVersion = 1;

std::int64_t Amount(const PartJson& json) {
  const auto amount = json.get<std::int64_t>();
  if (amount >= 0) return amount;
  throw std::invalid_argument(
      absl::StrCat(amount, " is not valid; expected an amount of at least 0"));
}

}  // namespace

// Found by the library for members, arrays and maps of these types.

static void to_json(PartJson& json, const Spent& spent) {
  json = {spent.accelerator, spent.core, spent.pod};
}
static void from_json(const PartJson& json, Spent& spent) {
  spent = {Amount(json.at(0)), Amount(json.at(1)), Amount(json.at(2))};
}

static void to_json(PartJson& json, const Cost& cost) {
  json = {cost.failures, cost.workloads, cost.lost};
}
static void from_json(const PartJson& json, Cost& cost) {
  cost = {Amount(json.at(0)), Amount(json.at(1)), json.at(2).get<Spent>()};
}

static void to_json(PartJson& json, const BudgetCost& cost) {
  json = {cost.charged, cost.ended, cost.lost};
}
static void from_json(const PartJson& json, BudgetCost& cost) {
  cost = {Amount(json.at(0)), Amount(json.at(1)), json.at(2).get<Spent>()};
}

static void to_json(PartJson& json, const CauseStep& step) {
  json = {step.failures, step.lost, step.begun, step.over};
}
static void from_json(const PartJson& json, CauseStep& step) {
  step = {Amount(json.at(0)), json.at(1).get<Spent>(), Amount(json.at(2)),
          Amount(json.at(3))};
}

static void to_json(PartJson& json, const Exhibits& exhibits) {
  json = PartJson::array();
  for (const Exhibit& one : exhibits.all()) {
    json.push_back({one.key, one.workload, one.observed, one.lost, one.problem,
                    one.first_step.text(), one.first_step.actor(),
                    one.first_step.command()});
  }
}
static void from_json(const PartJson& json, Exhibits& exhibits) {
  for (const PartJson& one : json) {
    Exhibit example = {
        one.at(0).get<std::uint64_t>(), one.at(1).get<std::string>(),
        one.at(2).get<std::int64_t>(),  one.at(3).get<Spent>(),
        one.at(4).get<std::string>(),   {}};
    example.first_step.set_text(one.at(5).get<std::string>());
    example.first_step.set_actor(
        static_cast<v1::FirstStep::Actor>(one.at(6).get<int>()));
    example.first_step.set_command(one.at(7).get<std::string>());
    exhibits.Add(std::move(example));
  }
}

static void to_json(PartJson& json, const Verdicts& verdicts) {
  json = {verdicts.in_vain,           verdicts.assumed,
          verdicts.given_up,          verdicts.completed,
          verdicts.given_up_examples, verdicts.completed_examples};
}
static void from_json(const PartJson& json, Verdicts& verdicts) {
  verdicts = {json.at(0).get<Cost>(),     json.at(1).get<Cost>(),
              json.at(2).get<Cost>(),     json.at(3).get<Cost>(),
              json.at(4).get<Exhibits>(), json.at(5).get<Exhibits>()};
}

namespace {

using Number = ReportTotals::Number;

// Keys of the sums: names by name, moments and days as they are.
PartJson KeyJson(Number number, const Names& names) {
  return names.NameOf(number);
}
PartJson KeyJson(std::int64_t moment, const Names&) { return moment; }
template <typename A, typename B>
PartJson KeyJson(const std::pair<A, B>& key, const Names& names) {
  return PartJson::array(
      {KeyJson(key.first, names), KeyJson(key.second, names)});
}

void ReadKey(const PartJson& json, Names& names, Number& number) {
  number = names.NumberOf(json.get<std::string>());
}
void ReadKey(const PartJson& json, Names&, std::int64_t& moment) {
  moment = json.get<std::int64_t>();
}
template <typename A, typename B>
void ReadKey(const PartJson& json, Names& names, std::pair<A, B>& key) {
  ReadKey(json.at(0), names, key.first);
  ReadKey(json.at(1), names, key.second);
}

template <typename Map>
PartJson MapJson(const Map& map, const Names& names) {
  std::vector<PartJson> rows;
  for (const auto& [key, value] : map) {
    rows.push_back(PartJson::array({KeyJson(key, names), value}));
  }
  std::sort(rows.begin(), rows.end(),
            [](const PartJson& a, const PartJson& b) { return a < b; });
  return rows;
}

template <typename Value>
void AddValue(const Value& from, Value& to) {
  to += from;
}
void AddValue(const std::array<Cost, kEnds>& from,
              std::array<Cost, kEnds>& to) {
  for (std::size_t i = 0; i < kEnds; ++i) to[i] += from[i];
}
void AddValue(const Exhibits& from, Exhibits& to) { to.Merge(from); }

// Names beyond the most that are known share one.
template <typename Map>
void ReadMap(const PartJson& rows, Names& names, Map& map) {
  for (const PartJson& row : rows) {
    typename Map::key_type key;
    ReadKey(row.at(0), names, key);
    AddValue(row.at(1).get<typename Map::mapped_type>(), map[key]);
  }
}

PartJson SumsJson(const ReportTotals& totals, const Names& names) {
  PartJson by = PartJson::array();
  for (const auto& rows : totals.by) by.push_back(MapJson(rows, names));
  return {{"all", totals.all},
          {"repeated", totals.repeated},
          {"withoutTimes", totals.without_times},
          {"first", totals.first},
          {"last", totals.last},
          {"by", std::move(by)},
          {"done", totals.done},
          {"verdicts", totals.verdicts},
          {"comparable", totals.comparable},
          {"ends", totals.ends},
          {"flows", MapJson(totals.flows, names)},
          {"budgets", MapJson(totals.budgets, names)},
          {"days", MapJson(totals.days, names)},
          {"nodes", MapJson(totals.nodes, names)},
          {"moments", MapJson(totals.moments, names)}};
}

ReportTotals SumsFrom(const PartJson& json, Names& names) {
  ReportTotals totals;
  json.at("all").get_to(totals.all);
  totals.repeated = Amount(json.at("repeated"));
  totals.without_times = Amount(json.at("withoutTimes"));
  json.at("first").get_to(totals.first);
  json.at("last").get_to(totals.last);
  for (std::size_t i = 0; i < kBys; ++i) {
    ReadMap(json.at("by").at(i), names, totals.by[i]);
  }
  json.at("done").get_to(totals.done);
  json.at("verdicts").get_to(totals.verdicts);
  json.at("comparable").get_to(totals.comparable);
  json.at("ends").get_to(totals.ends);
  ReadMap(json.at("flows"), names, totals.flows);
  ReadMap(json.at("budgets"), names, totals.budgets);
  ReadMap(json.at("days"), names, totals.days);
  ReadMap(json.at("nodes"), names, totals.nodes);
  ReadMap(json.at("moments"), names, totals.moments);
  return totals;
}

constexpr std::pair<const char*, Count Report::*> kLineCounts[] = {
    {"lines", &Report::lines},      {"badLines", &Report::bad_lines},
    {"leftOut", &Report::left_out}, {"repeated", &Report::repeated},
    {"notBroken", &Report::others}, {"goodEnds", &Report::good_ends},
};

// What is known of lines but not of failures.
PartJson ReadJson(const Gathered& gathered) {
  PartJson json = {{"reportPart", kPartVersion}};
  if (gathered.candidate.has_value()) json["candidate"] = *gathered.candidate;
  for (const auto& [name, count] : kLineCounts) {
    json[name] = gathered.read.*count;
  }
  PartJson& bad = json["bad"] = PartJson::array();
  for (const auto& [place, why] : gathered.read.bad.all()) {
    bad.push_back({place.file, place.line, why});
  }
  json["examples"] = MapJson(gathered.examples, gathered.names);
  return json;
}

void AddRead(const PartJson& json, Gathered& gathered) {
  for (const auto& [name, count] : kLineCounts) {
    gathered.read.*count += Amount(json.at(name));
  }
  for (const PartJson& bad : json.at("bad")) {
    gathered.read.bad.Add(
        {bad.at(0).get<std::string>(), bad.at(1).get<std::size_t>()},
        bad.at(2).get<std::string>());
  }
  SignExhibits examples;
  ReadMap(json.at("examples"), gathered.names, examples);
  for (const auto& [sign, more] : examples) {
    gathered.examples[sign].Merge(more);
  }
  if (json.contains("sums")) {
    gathered.totals.Merge(SumsFrom(json.at("sums"), gathered.names));
  }
}

constexpr std::pair<const char*, bool Entry::*> kEntryFlags[] = {
    {"completed", &Entry::completed}, {"byPlatform", &Entry::by_platform},
    {"lasting", &Entry::lasting},     {"exhausted", &Entry::exhausted},
    {"separate", &Entry::separate},
};

PartJson EntryJson(const KeptEntry& kept, const Names& names) {
  const Entry& entry = kept.entry;
  PartJson json = {{"key", entry.workload},      {"failure", entry.failure},
                   {"content", entry.content},   {"workload", kept.workload},
                   {"observed", entry.observed}, {"decided", entry.decided},
                   {"spent", entry.spent},       {"actions", entry.actions},
                   {"units", entry.units}};
  PartJson& by = json["by"] = PartJson::array();
  for (const Number number : entry.names) by.push_back(names.NameOf(number));
  for (const auto& [name, flag] : kEntryFlags) {
    if (entry.*flag) json[name] = true;
  }
  return json;
}

Entry EntryFrom(const PartJson& json, Names& names) {
  Entry entry;
  json.at("key").get_to(entry.workload);
  json.at("failure").get_to(entry.failure);
  json.at("content").get_to(entry.content);
  json.at("observed").get_to(entry.observed);
  json.at("decided").get_to(entry.decided);
  json.at("spent").get_to(entry.spent);
  json.at("actions").get_to(entry.actions);
  json.at("units").get_to(entry.units);
  for (std::size_t i = 0; i < kBys; ++i) {
    entry.names[i] =
        names.NumberOf(json.at("by").at(i).get_ref<const std::string&>());
  }
  for (const auto& [name, flag] : kEntryFlags) {
    entry.*flag = json.value(name, false);
  }
  return entry;
}

std::string Line(const PartJson& json) {
  // Names come from outside and may be any bytes.
  return json.dump(-1, ' ', false, PartJson::error_handler_t::replace) + "\n";
}

absl::Status TakeCandidate(const PartJson& json, Gathered& gathered) {
  if (!json.contains("candidate")) return absl::OkStatus();
  auto candidate = json.at("candidate").get<std::string>();
  if (gathered.candidate.value_or(candidate) != candidate) {
    return absl::InvalidArgumentError(absl::StrFormat(
        "candidate: \"%s\", and \"%s\" before; expected parts compared with "
        "the same policies",
        candidate, *gathered.candidate));
  }
  gathered.candidate = std::move(candidate);
  return absl::OkStatus();
}

// INVALID_ARGUMENT: why `line` is no part, or none that goes with the others.
absl::Status TakeLine(std::string_view line, Gathered& gathered) {
  try {
    const PartJson json = PartJson::parse(line);
    if (json.contains("key")) {
      gathered.stores.front()->Add(EntryFrom(json, gathered.names),
                                   json.at("workload").get<std::string>());
      return absl::OkStatus();
    }
    if (const int version = json.at("reportPart").get<int>();
        version != kPartVersion) {
      return absl::InvalidArgumentError(absl::StrCat(
          "reportPart: ", version, " is not known; expected ", kPartVersion));
    }
    if (const absl::Status taken = TakeCandidate(json, gathered); !taken.ok()) {
      return taken;
    }
    AddRead(json, gathered);
    return absl::OkStatus();
  } catch (const std::exception& error) {
    return absl::InvalidArgumentError(absl::StrCat(
        "is no line of mulligan report -o entries or sums: ", error.what()));
  }
}

}  // namespace

absl::Status GatherParts(LogBlocks& parts, const ReportSettings& settings,
                         Gathered& gathered) {
  gathered.stores.push_back(std::make_unique<EntryStore>(settings.most_bytes));
  LogBlock block;
  while (parts.Next(block)) {
    LogPosition place = {parts.files()[block.file], block.first_line};
    std::string_view text = block.text;
    for (; !text.empty(); ++place.line) {
      const std::size_t end = std::min(text.find('\n'), text.size());
      const std::string_view line = text.substr(0, end);
      text.remove_prefix(std::min(end + 1, text.size()));
      if (line.empty()) continue;
      const absl::Status taken = TakeLine(line, gathered);
      if (!taken.ok()) {
        return absl::InvalidArgumentError(
            absl::StrCat(place.Text(), ": ", std::string(taken.message())));
      }
    }
    if (!block.error.empty()) {
      return absl::InvalidArgumentError(
          absl::StrCat(place.Text(), ": ", block.error));
    }
  }
  gathered.read.compared = !gathered.candidate.value_or("").empty();
  return absl::OkStatus();
}

absl::Status WriteEntries(Gathered& gathered, std::ostream& out) {
  for (std::size_t part = 0; part < EntryStore::kParts; ++part) {
    std::string bytes;
    for (const auto& store : gathered.stores) store->AppendPart(part, bytes);
    std::vector<std::string> lines;
    for (const KeptEntry& kept : ReadEntries(bytes)) {
      lines.push_back(Line(EntryJson(kept, gathered.names)));
    }
    std::ranges::sort(lines);
    for (const std::string& line : lines) out << line;
  }
  for (const auto& store : gathered.stores) {
    if (!store->status().ok()) return store->status();
  }
  out << Line(ReadJson(gathered));
  return absl::OkStatus();
}

void WriteSums(const Gathered& gathered, std::ostream& out) {
  PartJson json = ReadJson(gathered);
  json["sums"] = SumsJson(gathered.totals, gathered.names);
  out << Line(json);
}

}  // namespace mulligan::cli
