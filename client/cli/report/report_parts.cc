// The lines of parts of a report, and reading them.
#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <exception>
#include <memory>
#include <nlohmann/json.hpp>
#include <stdexcept>
#include <string>
#include <string_view>
#include <tuple>
#include <type_traits>
#include <utility>
#include <vector>

#include "absl/strings/str_cat.h"
#include "absl/strings/str_format.h"
#include "absl/strings/str_replace.h"
#include "client/cli/base/errors.h"
#include "client/cli/base/json_text.h"
#include "client/cli/report/gathered.h"
#include "client/cli/report/report.h"
#include "policy/base/stable_hash.h"

namespace mulligan::cli {
namespace {

using PartJson = nlohmann::ordered_json;

std::int64_t Amount(const PartJson& json) {
  const auto amount = json.get<std::int64_t>();
  if (amount >= 0) return amount;
  throw std::invalid_argument(
      absl::StrCat(amount, " is not valid; expected an amount of at least 0"));
}

// Returns the library's message without its number.
std::string Reason(const std::exception& error) {
  const std::string text = error.what();
  return text.starts_with('[') ? text.substr(text.find(']') + 2) : text;
}

// Calls `read` with a member. Exceptions name the member.
template <typename Read>
void ReadMember(const PartJson& json, const char* name, const Read& read) {
  const auto member = json.find(name);
  if (member == json.end()) {
    throw std::invalid_argument(absl::StrCat(name, ": is missing"));
  }
  try {
    read(*member);
  } catch (const std::exception& error) {
    throw std::invalid_argument(absl::StrCat(name, ": ", Reason(error)));
  }
}

Count AmountAt(const PartJson& json, const char* name) {
  Count amount = 0;
  ReadMember(json, name, [&](const PartJson& at) { amount = Amount(at); });
  return amount;
}

}  // namespace

// Found by the library for these types. A type with Members() is an array of
// its members.

template <typename Sum>
requires requires(const Sum& sum) { Sum::Members(sum); }
void to_json(PartJson& json, const Sum& sum) {
  std::apply([&](const auto&... members) { json = {members...}; },
             Sum::Members(sum));
}

template <typename Sum>
requires requires(Sum& sum) { Sum::Members(sum); }
void from_json(const PartJson& json, Sum& sum) {
  std::size_t next = 0;
  const auto read = [&](auto& member) {
    const PartJson& at = json.at(next++);
    if constexpr (std::is_same_v<decltype(member), std::int64_t&>) {
      member = Amount(at);
    } else {
      at.get_to(member);
    }
  };
  std::apply([&](auto&... members) { (read(members), ...); },
             Sum::Members(sum));
}

void to_json(PartJson& json, const Exhibits& exhibits) {
  json = PartJson::array();
  for (const Exhibit& one : exhibits.all()) {
    json.push_back({one.key, one.workload, one.observed, one.lost, one.problem,
                    one.first_step.text(), one.first_step.actor(),
                    one.first_step.command()});
  }
}
void from_json(const PartJson& json, Exhibits& exhibits) {
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

namespace {

// The version of the lines; changes with any of their members.
constexpr int kPartVersion = 4;

using Number = ReportTotals::Number;

// Keys of the sums: names as strings, moments and days as numbers.
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

// Names beyond Names::kMax share an entry, so values are added.
template <typename Map>
void ReadMap(const PartJson& rows, Names& names, Map& map) {
  for (const PartJson& row : rows) {
    typename Map::key_type key;
    ReadKey(row.at(0), names, key);
    AddTo(map[key], row.at(1).get<typename Map::mapped_type>());
  }
}

template <typename Sum>
PartJson SumJson(const Sum& sum, const Names& names) {
  if constexpr (requires { typename Sum::mapped_type; }) {
    return MapJson(sum, names);
  } else if constexpr (std::is_same_v<Sum, decltype(ReportTotals::by)>) {
    PartJson json = PartJson::array();
    for (const auto& rows : sum) json.push_back(MapJson(rows, names));
    return json;
  } else {
    return sum;
  }
}

template <typename Sum>
void ReadSum(const PartJson& json, Names& names, Sum& sum) {
  if constexpr (requires { typename Sum::mapped_type; }) {
    ReadMap(json, names, sum);
  } else if constexpr (std::is_same_v<Sum, decltype(ReportTotals::by)>) {
    for (std::size_t i = 0; i < kBys; ++i) ReadMap(json.at(i), names, sum[i]);
  } else {
    json.get_to(sum);
  }
}

// Calls `use` with the name and value of each member.
template <typename Totals, typename Use>
void EachSum(Totals& totals, const Use& use) {
  use("all", totals.all);
  use("repeated", totals.repeated);
  use("withoutTimes", totals.without_times);
  use("first", totals.first);
  use("last", totals.last);
  use("by", totals.by);
  use("done", totals.done);
  use("verdicts", totals.verdicts);
  use("comparable", totals.comparable);
  use("ends", totals.ends);
  use("flows", totals.flows);
  use("budgets", totals.budgets);
  use("days", totals.days);
  use("nodes", totals.nodes);
  use("moments", totals.moments);
}

PartJson SumsJson(const ReportTotals& totals, const Names& names) {
  PartJson json;
  EachSum(totals, [&](const char* name, const auto& sum) {
    json[name] = SumJson(sum, names);
  });
  return json;
}

ReportTotals SumsFrom(const PartJson& json, Names& names) {
  ReportTotals totals;
  EachSum(totals, [&](const char* name, auto& sum) {
    ReadMember(json, name,
               [&](const PartJson& at) { ReadSum(at, names, sum); });
  });
  return totals;
}

constexpr std::pair<const char*, Count LineCounts::*> kLineCounts[] = {
    {"lines", &LineCounts::lines},       {"badLines", &LineCounts::bad_lines},
    {"leftOut", &LineCounts::left_out},  {"repeated", &LineCounts::repeated},
    {"notBroken", &LineCounts::others},  {"goodEnds", &LineCounts::good_ends},
    {"labelled", &LineCounts::labelled},
};

// Returns the last line of a part: counts of lines, and the entries to expect
// in any file.
PartJson RestJson(const Gathered& gathered) {
  PartJson json = {{"reportPart", kPartVersion},
                   {"entries", gathered.parts.stated}};
  if (gathered.made_with.has_value()) json["madeWith"] = *gathered.made_with;
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
    gathered.read.*count += AmountAt(json, name);
  }
  ReadMember(json, "bad", [&](const PartJson& all) {
    for (const PartJson& bad : all) {
      gathered.read.bad.Add(
          {bad.at(0).get<std::string>(), bad.at(1).get<std::size_t>()},
          bad.at(2).get<std::string>());
    }
  });
  ReadMember(json, "examples", [&](const PartJson& at) {
    ReadMap(at, gathered.names, gathered.examples);
  });
  if (json.contains("sums")) {
    ReadMember(json, "sums", [&](const PartJson& at) {
      gathered.totals.Merge(SumsFrom(at, gathered.names));
    });
  }
}

constexpr std::pair<const char*, bool Entry::*> kEntryFlags[] = {
    {"completed", &Entry::completed}, {"byPlatform", &Entry::by_platform},
    {"lasting", &Entry::lasting},     {"exhausted", &Entry::exhausted},
    {"separate", &Entry::separate},   {"braked", &Entry::braked},
};

// Like EachSum(); the key comes first.
template <typename AnEntry, typename Use>
void EachNumber(AnEntry& entry, const Use& use) {
  use("key", entry.workload);
  use("failure", entry.failure);
  use("content", entry.content);
  use("observed", entry.observed);
  use("decided", entry.decided);
  use("spent", entry.spent);
  use("actions", entry.actions);
  use("units", entry.units);
  use("left", entry.left);
}

PartJson EntryJson(const KeptEntry& kept, const Names& names) {
  const Entry& entry = kept.entry;
  PartJson json;
  EachNumber(entry, [&json](const char* name, const auto& number) {
    json[name] = number;
  });
  json["workload"] = kept.workload;
  PartJson& by = json["by"] = PartJson::array();
  for (const Number number : entry.names) by.push_back(names.NameOf(number));
  for (const auto& [name, flag] : kEntryFlags) {
    if (entry.*flag) json[name] = true;
  }
  return json;
}

Entry EntryFrom(const PartJson& json, Names& names) {
  Entry entry;
  EachNumber(entry, [&json](const char* name, auto& number) {
    ReadMember(json, name,
               [&number](const PartJson& at) { at.get_to(number); });
  });
  ReadMember(json, "by", [&](const PartJson& by) {
    for (std::size_t i = 0; i < kBys; ++i) {
      entry.names[i] = names.NumberOf(by.at(i).get_ref<const std::string&>());
    }
  });
  for (const auto& [name, flag] : kEntryFlags) {
    entry.*flag = json.value(name, false);
  }
  return entry;
}

std::string Line(const PartJson& json) {
  // Names come from outside and may be any bytes.
  return json.dump(-1, ' ', false, PartJson::error_handler_t::replace) + "\n";
}

std::string FlagText(const MadeWith& made_with, const std::string& flag) {
  const auto given = made_with.find(flag);
  return given == made_with.end()
             ? absl::StrCat("no ", flag)
             : absl::StrCat(flag, " \"", given->second, "\"");
}

absl::Status TakeMadeWith(const PartJson& json, Gathered& gathered) {
  if (!json.contains("madeWith")) return absl::OkStatus();
  MadeWith made_with;
  ReadMember(json, "madeWith",
             [&made_with](const PartJson& at) { at.get_to(made_with); });
  if (!gathered.made_with.has_value()) gathered.made_with = made_with;
  const MadeWith& before = *gathered.made_with;
  for (const MadeWith* flags : {&before, &std::as_const(made_with)}) {
    for (const auto& [flag, value] : *flags) {
      const std::string now = FlagText(made_with, flag);
      const std::string then = FlagText(before, flag);
      if (now == then) continue;
      return Invalid(
          "was made with %s, and a part before it with %s; expected parts made "
          "with the same flags",
          now, then);
    }
  }
  return absl::OkStatus();
}

EntryCount EntryCountAt(const PartJson& json, const char* name) {
  EntryCount count;
  ReadMember(json, name, [&count](const PartJson& at) { at.get_to(count); });
  return count;
}

absl::Status NoPart(const std::string& why) {
  return Invalid("is not a line of mulligan report -o entries or sums: %s",
                 why);
}

// Returns why `line` is not JSON.
absl::Status NoJson(std::string_view line) {
  const absl::StatusOr<size_t> end = CheckJsonValue(line);
  if (!end.ok()) {
    return NoPart(absl::StrReplaceAll(std::string(end.status().message()),
                                      {{"line 1, ", ""}}));
  }
  const size_t rest = SkipJsonSpace(line, *end);
  return NoPart(absl::StrFormat(
      "column %d: expected %s", rest + 1,
      rest < line.size() ? "the end of the line" : "UTF-8 before it"));
}

// Returns the count of one entry's line, given without its line break.
EntryCount CountOfLine(std::string_view entry_line) {
  return {1, StableHash().Add(entry_line).value()};
}

// Adds a line of any kind to `gathered`, whose first store must exist, and to
// `counts`. INVALID_ARGUMENT says why it is invalid or does not go with the
// others.
absl::Status TakePartLine(std::string_view line, PartCounts& counts,
                          Gathered& gathered) {
  const PartJson json = PartJson::parse(line, nullptr, false);
  if (json.is_discarded()) return NoJson(line);
  try {
    if (json.contains("key")) {
      const Entry entry = EntryFrom(json, gathered.names);
      ReadMember(json, "workload", [&](const PartJson& at) {
        gathered.stores.front()->Add(entry, at.get_ref<const std::string&>());
      });
      counts.read += CountOfLine(line);
      return absl::OkStatus();
    }
    if (!json.contains("reportPart")) {
      return NoPart(
          "expected an object with key or reportPart; decision logs are read "
          "without --merge");
    }
    const Count version = AmountAt(json, "reportPart");
    if (version != kPartVersion) {
      return Invalid(
          "reportPart: %d is not known; expected %d: make the "
          "part again with this release",
          version, kPartVersion);
    }
    const absl::Status taken = TakeMadeWith(json, gathered);
    if (!taken.ok()) return taken;
    AddRead(json, gathered);
    counts.stated += EntryCountAt(json, "entries");
    if (!json.contains("sums")) return absl::OkStatus();
    const EntryCount added = EntryCountAt(json, "added");
    counts.read += added;
    if (added.entries == 0 || gathered.sums.insert(added.lines).second) {
      return absl::OkStatus();
    }
    return Invalid("is the same part as one before it; expected each once");
  } catch (const std::exception& error) {
    return NoPart(Reason(error));
  }
}

struct PartFile {
  PartCounts counts;
  bool has_lines = false;
};

absl::Status TakeBlock(const std::string& name, const LogBlock& block,
                       PartFile& file, Gathered& gathered) {
  LogPosition place = {name, block.first_line};
  std::string_view text = block.text;
  for (; !text.empty(); ++place.line) {
    const std::size_t end = text.find('\n');
    const bool is_torn = end == std::string_view::npos;
    const std::string_view line = text.substr(0, end);
    text.remove_prefix(is_torn ? text.size() : end + 1);
    if (line.empty()) continue;
    file.has_lines = true;
    const absl::Status taken = TakePartLine(line, file.counts, gathered);
    if (taken.ok()) continue;
    return Invalid(
        "%s: %s%s", place.Text(), taken.message(),
        is_torn ? "; the file ends within this line: make the part again" : "");
  }
  if (block.error.empty()) return absl::OkStatus();
  return Invalid("%s: %s", place.Text(), block.error);
}

// Names the file whose entries differ from what the parts state.
absl::Status NotWhole(const std::vector<std::string>& names,
                      const std::vector<PartFile>& files,
                      const PartCounts& all) {
  const auto difference = [](const PartCounts& counts) {
    return counts.read.entries <=> counts.stated.entries;
  };
  const auto lacks = difference(all);
  const auto file = std::ranges::find_if(files, [&](const PartFile& part) {
    return lacks == 0 ? part.counts.read != part.counts.stated
                      : difference(part.counts) == lacks;
  });
  const std::string& name =
      names[static_cast<std::size_t>(file - files.begin())];
  return Invalid(
      "%s: %s; expected parts as mulligan report wrote them, each line once, "
      "up "
      "to the last (reportPart), which states the entries: %s read, %s stated. "
      "Make the part again, or name every file that has its lines, each once",
      name,
      lacks < 0   ? "lacks entries"
      : lacks > 0 ? "lacks its end, or has entries twice"
                  : "has other entries than its end states",
      Plural(all.read.entries, "entry", "entries"),
      Plural(all.stated.entries, "entry", "entries"));
}

}  // namespace

absl::Status GatherParts(LogBlocks& parts, const ReportSettings& settings,
                         bool whole, Gathered& gathered) {
  gathered.stores.push_back(std::make_unique<EntryStore>(settings.most_bytes));
  std::vector<PartFile> files(parts.files().size());
  LogBlock block;
  while (parts.Next(block)) {
    const absl::Status taken = TakeBlock(parts.files()[block.file], block,
                                         files[block.file], gathered);
    if (!taken.ok()) return taken;
  }
  for (std::size_t i = 0; i < files.size(); ++i) {
    gathered.parts.stated += files[i].counts.stated;
    gathered.parts.read += files[i].counts.read;
    if (!whole || files[i].has_lines) continue;
    return Invalid(
        "%s: is empty; expected what mulligan report -o entries or sums wrote, "
        "which has a line even of an empty log: make the part again",
        parts.files()[i]);
  }
  if (whole && gathered.parts.read != gathered.parts.stated) {
    return NotWhole(parts.files(), files, gathered.parts);
  }
  gathered.read.compared = gathered.made_with.has_value() &&
                           gathered.made_with->contains(kCompareFlag);
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
    for (const std::string& line : lines) {
      out << line;
      gathered.parts.stated +=
          CountOfLine(std::string_view(line).substr(0, line.size() - 1));
    }
  }
  for (const auto& store : gathered.stores) {
    if (!store->status().ok()) return store->status();
  }
  out << Line(RestJson(gathered));
  return absl::OkStatus();
}

void WriteSums(const Gathered& gathered, std::ostream& out) {
  PartJson json = RestJson(gathered);
  json["added"] = gathered.parts.read;
  json["sums"] = SumsJson(gathered.totals, gathered.names);
  out << Line(json);
}

}  // namespace mulligan::cli