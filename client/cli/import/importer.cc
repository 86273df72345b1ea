#include "client/cli/import/importer.h"

#include <algorithm>
#include <cstdint>
#include <functional>
#include <iterator>
#include <map>
#include <set>
#include <utility>

#include "absl/status/status.h"
#include "absl/strings/ascii.h"
#include "absl/strings/match.h"
#include "absl/strings/numbers.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_format.h"
#include "absl/strings/str_join.h"
#include "client/cli/base/json_text.h"
#include "client/cli/import/matchers.h"
#include "policy/loader/yaml_json.h"
#include "policy/loader/yaml_tree.h"
#include "re2/re2.h"

namespace mulligan::cli {
namespace {

using NodeKind = YamlNode::Kind;

// The limit for unbounded settings, because every budget has one.
constexpr int kUnbounded = 10000;
constexpr int kMaxBudget = 1'000'000;
constexpr std::size_t kMaxIssues = 100;

const PolicyJson& Systems() {
  static const PolicyJson* const systems = [] {
    const auto documents = YamlToJson(std::string(ImportTable()));
    return new PolicyJson(
        PolicyJson::parse(documents.value().at(0)).at("systems"));
  }();
  return *systems;
}

std::string Text(const PolicyJson& value) { return value.get<std::string>(); }

char Lower(char c) {
  return static_cast<char>(absl::ascii_tolower(static_cast<unsigned char>(c)));
}

// Returns a key's form for comparison: "max_retry-count" equals
// "maxRetryCount".
std::string Plain(std::string_view key) {
  std::string plain;
  for (const char c : key) {
    if (c != '_' && c != '-') plain += Lower(c);
  }
  return plain;
}

const YamlNode* Member(const YamlNode& map, std::string_view key) {
  if (map.kind != NodeKind::kMap) return nullptr;
  for (const auto& [name, value] : map.entries) {
    if (Plain(name.text) == Plain(key)) {
      return value.kind == NodeKind::kNull ? nullptr : &value;
    }
  }
  return nullptr;
}

// Returns the value at a path of systems.yaml; null if absent.
const YamlNode* At(const YamlNode& node, const std::string& path) {
  for (const std::string& one : Split(path, '|')) {
    const YamlNode* at = &node;
    const std::vector<std::string> keys = Split(one, '.');
    for (std::size_t i = 0; i < keys.size() && at != nullptr; ++i) {
      std::string key = keys[i];
      const bool only = key.ends_with("[]");
      if (only) key.resize(key.size() - 2);
      at = Member(*at, key);
      if (at == nullptr || !only) continue;
      at = at->items.size() == 1 ? &at->items[0] : nullptr;
    }
    if (at != nullptr) return at;
  }
  return nullptr;
}

// Reports duplicate keys, because readers differ in which one they take.
void RefuseDuplicates(const YamlNode& node, const std::string& file,
                      Issues& issues) {
  std::set<std::string_view> keys;
  for (const auto& [key, value] : node.entries) {
    if (!keys.insert(key.text).second) {
      issues.push_back({Issue::Severity::kError, file, key.position,
                        absl::StrCat(Quote(key.text), " is given twice")});
    }
    RefuseDuplicates(value, file, issues);
  }
  for (const YamlNode& item : node.items) RefuseDuplicates(item, file, issues);
}

// Merges the maps that "<<" refers to, as YAML 1.1 does.
void Merge(YamlNode& node) {
  for (YamlNode& item : node.items) Merge(item);
  std::vector<YamlNode> sources;
  for (auto& [key, value] : node.entries) {
    Merge(value);
    if (key.text != "<<") continue;
    if (value.kind == NodeKind::kList) {
      sources.insert(sources.end(), value.items.begin(), value.items.end());
    } else {
      sources.push_back(value);
    }
  }
  if (sources.empty()) return;
  std::erase_if(node.entries,
                [](const auto& entry) { return entry.first.text == "<<"; });
  for (const YamlNode& source : sources) {
    for (const auto& entry : source.entries) {
      const bool known =
          std::ranges::any_of(node.entries, [&entry](const auto& own) {
            return own.first.text == entry.first.text;
          });
      if (!known) node.entries.push_back(entry);
    }
  }
}

bool HasOneOf(const YamlNode& node, const PolicyJson& paths) {
  return std::ranges::any_of(paths, [&](const PolicyJson& path) {
    return At(node, Text(path)) != nullptr;
  });
}

// The settings of one system in a file.
struct Block {
  const PolicyJson* system = nullptr;
  // The row of `blocks`.
  const PolicyJson* row = nullptr;
  YamlNode node;
  // "spec.templates[0].retryStrategy".
  std::string path;
  // The name of what it belongs to, for the policy's name; may be empty.
  std::string owner;
};

struct ObjectType {
  std::string group;
  std::string kind;
};

// Returns whether `node` at `path` is a block of `row`. A block of a `named`
// system may be empty.
bool Fits(const PolicyJson& row, const ObjectType& type,
          const std::string& path, bool named, const YamlNode& node) {
  if (row.contains("api") && row["api"] != type.group) return false;
  if (row.contains("kind") && row["kind"] != type.kind) return false;
  const std::string wanted = row.value("key", "");
  // Terraform writes a block as a list of one.
  const std::string place =
      "." + Plain(path.substr(
                0, path.ends_with("[0]") ? path.size() - 3 : path.size()));
  if (!wanted.empty() && !absl::EndsWith(place, "." + Plain(wanted))) {
    return false;
  }
  if (node.kind == NodeKind::kScalar) return row.contains("scalar");
  if (node.kind != NodeKind::kMap) return false;
  if (!row.contains("has")) return !wanted.empty();
  return HasOneOf(node, row["has"]) || (named && !wanted.empty());
}

// The blocks from `first` on are alternatives for one place. Keeps only those
// of systems that name the object's type, if any.
void PreferTyped(std::size_t first, std::vector<Block>& blocks) {
  const auto begin = blocks.begin() + static_cast<std::ptrdiff_t>(first);
  const auto is_typed = [](const Block& block) {
    return block.row->contains("api");
  };
  if (std::none_of(begin, blocks.end(), is_typed)) return;
  blocks.erase(std::remove_if(begin, blocks.end(), std::not_fn(is_typed)),
               blocks.end());
}

// Returns the block that `scalar` abbreviates: {max: 2} for 2.
YamlNode MapOf(const std::string& key, const YamlNode& scalar) {
  YamlNode map{.kind = NodeKind::kMap, .position = scalar.position};
  map.entries.emplace_back(
      YamlNode{
          .kind = NodeKind::kScalar, .position = scalar.position, .text = key},
      scalar);
  return map;
}

// Finds the blocks below `node` at `path`, which is in an object of `type`.
void FindBlocks(const YamlNode& node, const std::string& path,
                std::string owner, ObjectType type, std::string_view from,
                std::vector<Block>& found) {
  const std::size_t before = found.size();
  if (const YamlNode* const version = Member(node, "apiVersion")) {
    type.group = version->text.substr(0, version->text.find('/'));
    const YamlNode* const kind = Member(node, "kind");
    type.kind = kind == nullptr ? "" : kind->text;
  }
  for (const PolicyJson& system : Systems()) {
    if (!from.empty() && system["name"] != from) continue;
    for (const PolicyJson& row : system["blocks"]) {
      if (!Fits(row, type, path, !from.empty(), node)) continue;
      found.push_back({&system, &row,
                       node.kind == NodeKind::kScalar
                           ? MapOf(Text(row["scalar"]), node)
                           : node,
                       path, owner});
      break;
    }
  }
  if (found.size() > before) return PreferTyped(before, found);
  if (const YamlNode* const name = Member(node, "name")) {
    if (name->kind == NodeKind::kScalar) owner = name->text;
  }
  for (const auto& [name, value] : node.entries) {
    FindBlocks(value,
               path.empty() ? name.text : absl::StrCat(path, ".", name.text),
               owner.empty() ? name.text : owner, type, from, found);
  }
  for (std::size_t i = 0; i < node.items.size(); ++i) {
    FindBlocks(node.items[i], absl::StrCat(path, "[", i, "]"), owner, type,
               from, found);
  }
}

// Maps the lines of `written` to the places of the same values in `source`.
void LocateEntries(const YamlNode& written, const YamlNode& source,
                   std::map<int, Position>& places) {
  for (const auto& [key, value] : written.entries) {
    const YamlNode* const from = Member(source, key.text);
    if (from == nullptr) continue;
    places[key.position.line] = from->position;
    LocateEntries(value, *from, places);
  }
  for (std::size_t i = 0; i < written.items.size() && i < source.items.size();
       ++i) {
    places[written.items[i].position.line] = source.items[i].position;
    LocateEntries(written.items[i], source.items[i], places);
  }
}

// Converts one block.
class Converter {
 public:
  Converter(const Block& block, const std::string& file, Issues& issues)
      : block_(block), system_(*block.system), file_(file), issues_(issues) {}

  // Returns `spec` of the policy. Sets the place that each rule is from.
  PolicyJson Convert(std::vector<Position>& places) {
    PolicyJson spec = ConvertBlock();
    places = std::move(places_);
    return spec;
  }

 private:
  PolicyJson ConvertBlock() {
    for (const PolicyJson& note : system_.value("notes", PolicyJson::array())) {
      if (note.contains("if") && !Applies(note["if"])) continue;
      Report(Issue::Severity::kNote, block_.node.position, Text(note["says"]));
    }
    if (block_.row->contains("pasted")) return Pasted();
    spec_["budgets"] = PolicyJson::object();
    for (const auto& [name, row] : system_["budgets"].items()) {
      AddBudget(name, row);
    }
    if (system_.contains("attempts")) {
      spec_["maxAttempts"] = system_["attempts"];
    }
    // The system never stops because a failure repeats.
    spec_["derivation"] = {{"sameFingerprint", 0},  {"crashLoopFailures", 0},
                           {"badNodeFailures", 0},  {"poisonNodes", 0},
                           {"badNodeWorkloads", 0}, {"incidentWorkloads", 0},
                           {"sameArtifact", 0}};
    spec_["brake"] = {{"mode", "NEVER"}};
    spec_["rules"] = PolicyJson::array();
    const PolicyJson values = system_.value("values", PolicyJson::object());
    for (const auto& [path, known] : values.items()) CheckWord(path, known);
    for (const PolicyJson& row : system_["rules"]) {
      if (closed_ && row.contains("at")) Take(Text(row["at"]));
      if (closed_ || !Applies(row.value("if", PolicyJson()))) continue;
      if (row.contains("at")) {
        AddRulesAt(row);
      } else {
        AddRule(Text(row["name"]), row["when"], OutcomeOf(row["does"]),
                Text(system_["title"]), block_.node.position);
      }
    }
    if (!closed_) spec_["default"] = Otherwise();
    if (spec_["budgets"].empty()) spec_.erase("budgets");
    if (spec_["rules"].empty()) spec_.erase("rules");
    ReportLeftOut(block_.node, "", /*foreign=*/false);
    return std::move(spec_);
  }

  void Report(Issue::Severity severity, Position position,
              std::string message) {
    // Several retries may have read the setting.
    const bool again = std::ranges::any_of(issues_, [&](const Issue& issue) {
      return issue.message == message && issue.position.line == position.line &&
             issue.position.column == position.column;
    });
    if (again) return;
    issues_.push_back({severity, file_, position, std::move(message)});
  }
  void Error(const YamlNode& node, const std::string& message) {
    Report(Issue::Severity::kError, node.position, message);
  }
  void LeftOut(const YamlNode& node, const std::string& path,
               std::string_view why) {
    if (why.empty()) return;
    Report(Issue::Severity::kWarning, node.position,
           absl::StrCat(path, " is not carried over: ", std::string(why)));
  }

  // Returns the value at `path` and marks it as carried over; null if absent.
  const YamlNode* Take(const std::string& path) {
    return Take(block_.node, path);
  }
  const YamlNode* Take(const YamlNode& map, const std::string& path) {
    const YamlNode* const node = At(map, path);
    if (node != nullptr) TakeAll(*node);
    return node;
  }

  // Returns whether the value at `path`, or a word of it, is one of `values`.
  bool IsOneOf(const YamlNode& map, const std::string& path,
               const PolicyJson& values) {
    const YamlNode* const node = Take(map, path);
    return std::ranges::any_of(values, [node](const PolicyJson& value) {
      if (node == nullptr) return value == "";
      const auto is_value = [&value](const std::string& word) {
        return absl::EqualsIgnoreCase(word, Text(value)) && value != "";
      };
      return value == "*" ||
             std::ranges::any_of(Split(node->text, ','), is_value);
    });
  }

  // Reports an invalid word at `path`.
  void UnknownWord(const YamlNode& node, const std::string& path,
                   const std::vector<std::string>& known) {
    Error(node, absl::StrCat(path, ": ", Quote(node.text),
                             " is not known, expected one of ",
                             absl::StrJoin(known, ", ")));
  }

  void CheckWord(const std::string& path,
                 const std::vector<std::string>& known) {
    const YamlNode* const node = Take(path);
    if (node == nullptr) return;
    const auto is_known = [&known](const std::string& word) {
      return std::ranges::find(known, word) != known.end();
    };
    if (!std::ranges::all_of(Split(node->text, ','), is_known)) {
      UnknownWord(*node, Split(path, '|')[0], known);
    }
  }

  bool Applies(const PolicyJson& condition) {
    return Applies(condition, block_.node);
  }
  bool Applies(const PolicyJson& condition, const YamlNode& map) {
    if (condition.is_null()) return true;
    if (condition.is_array()) {
      return std::ranges::any_of(
          condition, [&](const PolicyJson& one) { return Applies(one, map); });
    }
    const auto items = condition.items();
    return std::all_of(items.begin(), items.end(), [&](const auto& item) {
      return IsOneOf(map, item.key(), item.value());
    });
  }

  // Returns whether it is a template's argument: "{{inputs.parameters.n}}",
  // "${n}".
  static bool IsSetElsewhere(const YamlNode& node) {
    return node.text.find("{{") != std::string::npos ||
           node.text.starts_with('$');
  }

  // Airflow's REST API writes 2 as 2.0.
  static bool ReadWhole(const YamlNode& node, std::int64_t& number) {
    double value = 0;
    if (!absl::SimpleAtod(node.text, &value)) return false;
    number = static_cast<std::int64_t>(
        std::clamp<double>(value, -kMaxBudget - 1, kMaxBudget + 1));
    return static_cast<double>(number) == value;
  }

  void AddBudget(const std::string& name, const PolicyJson& row) {
    PolicyJson& budget = budgets_[name];
    const YamlNode* const node =
        row.contains("at") ? Take(Text(row["at"])) : nullptr;
    std::int64_t limit = row.value("absent", 0);
    const PolicyJson unbounded = row.value("unbounded", PolicyJson());
    bool bounded = node != nullptr || unbounded != PolicyJson(true);
    if (node != nullptr && IsSetElsewhere(*node)) {
      LeftOut(*node, Text(row["at"]), "its value is not in the file");
    } else if (node != nullptr) {
      const std::int64_t from = row.value("from", 0);
      const std::int64_t to = row.value("to", kMaxBudget);
      if (!ReadWhole(*node, limit) || limit < from || limit > to) {
        Error(*node, absl::StrFormat(
                         "%s: expected a whole number from %d to %d, not %s",
                         Text(row["at"]), from, to, Quote(node->text)));
        limit = 0;
      }
      const PolicyJson defaulted = row.value("defaulted", PolicyJson::array());
      if (std::ranges::find(defaulted, PolicyJson(limit)) != defaulted.end()) {
        limit = row.value("absent", 0);
      }
    }
    if (unbounded.is_array()) {
      bounded =
          std::ranges::find(unbounded, PolicyJson(limit)) == unbounded.end();
    }
    if (row.contains("unboundedIf") && Applies(row["unboundedIf"])) {
      bounded = false;
    }
    if (!bounded) {
      budget["description"] =
          absl::StrFormat("without a bound in %s", Text(system_["title"]));
    }
    limit = std::max<std::int64_t>(0, limit - row.value("less", 0));
    // A limit of attempts that have retries of their own.
    if (row.contains("each")) {
      limit *= 1 + budgets_[Text(row["each"])]["limit"].get<std::int64_t>();
    }
    budget["limit"] =
        bounded ? std::min<std::int64_t>(limit, kMaxBudget) : kUnbounded;
    if (row.contains("window")) {
      const YamlNode* const window = Take(Text(row["window"]["at"]));
      const std::string length = window != nullptr
                                     ? DurationAt(*window)
                                     : row["window"].value("absent", "0s");
      if (length != "0s") budget["window"] = length;
    }
    if (row.contains("next")) {
      budget["onExhausted"] = {{"action", "RETRY"}, {"budget", row["next"]}};
    }
  }

  std::string DurationAt(const YamlNode& node) {
    absl::StatusOr<std::string> duration = absl::InvalidArgumentError(
        "is not a duration, expected seconds, or as in 1m30s");
    if (node.kind == NodeKind::kScalar) {
      duration =
          ReadForeignDuration(node.text, system_.value("unit", "s") == "ns");
    } else if (node.kind == NodeKind::kMap) {
      // A timedelta of Python.
      duration = ReadTimedelta(node);
      for (const auto& [key, value] : node.entries) carried_.insert(&value);
    }
    if (!duration.ok()) {
      Error(node, std::string(duration.status().message()));
      return "0s";
    }
    return *std::move(duration);
  }

  static absl::StatusOr<std::string> ReadTimedelta(const YamlNode& node) {
    static const std::map<std::string, double> kUnits = {
        {"weeks", 604800},     {"days", 86400}, {"hours", 3600},
        {"minutes", 60},       {"seconds", 1},  {"milliseconds", 1e-3},
        {"microseconds", 1e-6}};
    double seconds = 0;
    for (const auto& [key, value] : node.entries) {
      // "__type" of a serialized DAG.
      if (key.text.starts_with('_')) continue;
      double number = 0;
      const auto unit = kUnits.find(key.text);
      if (unit == kUnits.end() || !absl::SimpleAtod(value.text, &number)) {
        return absl::InvalidArgumentError(absl::StrCat(
            Quote(key.text), ": ", Quote(value.text),
            " is not a duration, expected weeks to microseconds and a number"));
      }
      seconds += unit->second * number;
    }
    return ReadForeignDuration(absl::StrCat(seconds), /*nanoseconds=*/false);
  }

  // Returns the outcome for a word of systems.yaml.
  PolicyJson OutcomeOf(const PolicyJson& word) {
    const auto name = Text(word);
    PolicyJson outcome = system_.value("outcomes", PolicyJson::object())
                             .value(name, PolicyJson());
    if (outcome.is_null()) outcome = {{"action", name}};
    if (outcome["action"] == "RETRY") {
      if (!outcome.contains("budget")) {
        outcome["budget"] = budgets_.begin().key();
      }
      Pay(outcome);
      const PolicyJson backoff = Backoff();
      if (!backoff.is_null()) outcome["backoff"] = backoff;
      AddOptions(system_, block_.node, outcome);
    }
    return outcome;
  }

  // Adds the budgets that pay for an outcome; unused ones would cause warnings.
  void Pay(const PolicyJson& outcome) {
    if (!outcome.is_object() || !outcome.contains("budget")) return;
    const auto name = Text(outcome["budget"]);
    spec_["budgets"][name] = budgets_[name];
    Pay(budgets_[name].value("onExhausted", PolicyJson()));
  }

  PolicyJson Backoff() {
    const PolicyJson row = system_.value("backoff", PolicyJson());
    if (row.is_null()) return row;
    PolicyJson backoff;
    for (const char* const key : {"initial", "factor", "max", "kind"}) {
      const PolicyJson part = row.value(key, PolicyJson());
      if (part.is_null()) continue;
      const YamlNode* const node =
          part.contains("at") ? Take(Text(part["at"])) : nullptr;
      PolicyJson value = part.value("absent", PolicyJson());
      const std::string_view name = key;
      double factor = 0;
      if (node == nullptr) {
        // Unchanged.
      } else if (name == "kind") {
        value = part["words"].value(absl::AsciiStrToLower(node->text),
                                    PolicyJson("EXPONENTIAL"));
      } else if (name != "factor") {
        value = DurationAt(*node);
      } else if (absl::SimpleAtod(node->text, &factor)) {
        if (factor >= 1) value = factor;
      } else if (!part.contains("words") ||
                 !part["words"].contains(absl::AsciiStrToLower(node->text))) {
        Error(*node, absl::StrCat(Text(part["at"]), ": ", Quote(node->text),
                                  " is not a factor, expected a number"));
      }
      if (name == "initial" && (value.is_null() || value == "0s")) return {};
      if (!value.is_null()) backoff[key] = value;
    }
    if (backoff.value("kind", "EXPONENTIAL") != "EXPONENTIAL") {
      backoff.erase("factor");
    }
    backoff["jitter"] = 0;
    return backoff;
  }

  // Returns the outcome that `row`, a `does` or `otherwise`, gives an entry or
  // the block; null after an error.
  PolicyJson OutcomeIn(const YamlNode& entry, const PolicyJson& row) {
    if (row.is_string()) return OutcomeOf(row);
    const auto path = Text(row["at"]);
    const YamlNode* const node = At(entry, path);
    std::vector<std::string> known;
    for (const auto& [word, outcome] : row["words"].items()) {
      if (node != nullptr && absl::EqualsIgnoreCase(node->text, word)) {
        carried_.insert(node);
        return OutcomeOf(outcome);
      }
      known.push_back(word);
    }
    if (node != nullptr) {
      UnknownWord(*node, path, known);
    } else {
      Error(entry, absl::StrCat(path, " is missing, expected one of ",
                                absl::StrJoin(known, ", ")));
    }
    return {};
  }

  PolicyJson Otherwise() {
    const PolicyJson& row = system_["otherwise"];
    if (!row.is_array()) return OutcomeIn(block_.node, row);
    for (const PolicyJson& one : row) {
      if (Applies(one.value("if", PolicyJson()))) return OutcomeOf(one["does"]);
    }
    return OutcomeOf("FAIL");
  }

  // An empty `when` always holds, so later rules are unreachable.
  void AddRule(const std::string& name, const PolicyJson& when,
               const PolicyJson& outcome, const std::string& description,
               Position position) {
    if (closed_ || outcome.is_null()) return;
    if (when.empty()) {
      spec_["default"] = outcome;
      closed_ = true;
      return;
    }
    std::string unique = name;
    for (int i = 2; !names_.insert(unique).second; ++i) {
      unique = absl::StrCat(name, "/", i);
    }
    spec_["rules"].push_back({{"name", unique},
                              {"description", description},
                              {"when", when},
                              {"then", outcome}});
    places_.push_back(position);
  }

  void AddRulesAt(const PolicyJson& row) {
    const auto path = Text(row["at"]);
    const YamlNode* const node = Take(path);
    if (node == nullptr) return;
    if (row.contains("leftOut")) {
      LeftOut(*node, path, Text(row["leftOut"]));
      return;
    }
    const bool many = node->kind == NodeKind::kList && row.contains("fields");
    const std::size_t most = row.value("most", std::size_t{1000});
    if (many && node->items.size() > most) {
      Error(*node, absl::StrFormat("%s has %d entries, expected at most %d",
                                   path, node->items.size(), most));
      return;
    }
    if (row.contains("fields") && !many) {
      Error(*node, absl::StrCat(path, ": expected a list of maps"));
      return;
    }
    if (!many) {
      return AddAlternatives(path, *node, Match(row["is"], *node, Words()),
                             OutcomeIn(*node, row["does"]));
    }
    for (std::size_t i = 0; i < node->items.size(); ++i) {
      AddEntry(absl::StrCat(path, "[", i, "]"), node->items[i], row);
    }
  }

  const PolicyJson& Words() {
    static const PolicyJson kNone = PolicyJson::object();
    const auto words = system_.find("words");
    return words == system_.end() ? kNone : *words;
  }

  // Returns the matcher for `entry`, on which it may depend.
  const PolicyJson& MatcherIn(const PolicyJson& matcher,
                              const YamlNode& entry) {
    if (!matcher.contains("if")) return matcher;
    return matcher[Applies(matcher["if"], entry) ? "is" : "else"];
  }

  void AddEntry(const std::string& path, const YamlNode& entry,
                const PolicyJson& row) {
    if (entry.kind != NodeKind::kMap) {
      return Error(entry, absl::StrCat(path, ": expected a map"));
    }
    absl::StatusOr<Alternatives> all = Alternatives{{}};
    bool any = false;
    for (const auto& [field, matcher] : row["fields"].items()) {
      const YamlNode* const node = At(entry, field);
      if (node == nullptr) continue;
      TakeAll(*node);
      any = true;
      all = Both(*all, Match(MatcherIn(matcher, entry), *node, Words()));
      if (!all.ok()) {
        TakeEntry(entry);
        if (all.status().code() == absl::StatusCode::kUnimplemented) {
          const std::string why(all.status().message());
          return LeftOut(*node, path,
                         why.empty()
                             ? why
                             : absl::StrCat(field, ": ", why,
                                            "; the whole entry is left out"));
        }
        return AddAlternatives(absl::StrCat(path, ".", field), *node, all, {});
      }
    }
    if (!any) {
      std::vector<std::string> known;
      for (const auto& [field, matcher] : row["fields"].items()) {
        known.push_back(field);
      }
      return Error(entry, absl::StrCat(path, " has no condition, expected ",
                                       absl::StrJoin(known, ", ")));
    }
    PolicyJson outcome = OutcomeIn(entry, row["does"]);
    if (outcome.is_null()) return;
    AddOptions(row, entry, outcome);
    AddAlternatives(path, entry, all, outcome);
  }

  // Adds to a retry what the `options` of `row` find in `map`.
  void AddOptions(const PolicyJson& row, const YamlNode& map,
                  PolicyJson& outcome) {
    if (outcome["action"] != "RETRY") return;
    const PolicyJson options = row.value("options", PolicyJson::object());
    for (const auto& [path, option] : options.items()) {
      const YamlNode* const node = At(map, path);
      if (node != nullptr) AddOption(Text(option), *node, outcome);
    }
  }

  void AddOption(const std::string& option, const YamlNode& node,
                 PolicyJson& outcome) {
    carried_.insert(&node);
    double factor = 0;
    if (option == "delay") {
      const std::string delay = DurationAt(node);
      if (delay != "0s") {
        outcome["backoff"] = {
            {"kind", "CONSTANT"}, {"initial", delay}, {"jitter", 0}};
      }
    } else if (option == "avoidNode") {
      if (node.text == "true" || node.kind == NodeKind::kMap) {
        outcome["placement"] = {{"avoidFailedNode", {{"hard", true}}}};
      }
    } else if (absl::SimpleAtod(node.text, &factor) && factor > 1) {
      outcome["resources"] = {{"memoryFactor", factor}};
    } else {
      Error(node,
            absl::StrCat(Quote(node.text),
                         " is not a factor, expected a number greater than 1"));
    }
  }

  // Returns all combinations of one alternative of each.
  static absl::StatusOr<Alternatives> Both(
      const Alternatives& left, const absl::StatusOr<Alternatives>& right) {
    if (!right.ok()) return right;
    Alternatives all;
    for (const Alternative& one : left) {
      for (const Alternative& other : *right) {
        PolicyJson when = one.when;
        for (const auto& [key, value] : other.when.items()) {
          if (when.contains(key)) {
            return absl::UnimplementedError(
                absl::StrCat("a rule has one ", key));
          }
          when[key] = value;
        }
        all.push_back({std::move(when)});
      }
    }
    return all;
  }

  void AddAlternatives(const std::string& path, const YamlNode& node,
                       const absl::StatusOr<Alternatives>& all,
                       const PolicyJson& outcome) {
    if (all.status().code() == absl::StatusCode::kUnimplemented) {
      return LeftOut(node, path, std::string(all.status().message()));
    }
    if (!all.ok()) {
      return Error(
          node, absl::StrCat(path, ": ", std::string(all.status().message())));
    }
    for (const Alternative& one : *all) {
      AddRule(path, one.when, one.negative ? OutcomeOf("FAIL") : outcome,
              absl::StrFormat("%s, %s line %d", Text(system_["title"]), file_,
                              node.position.line),
              node.position);
    }
  }

  // Marks all values of an entry that is left out as a whole.
  void TakeEntry(const YamlNode& entry) {
    TakeAll(entry);
    for (const auto& [key, value] : entry.entries) TakeEntry(value);
  }

  // Marks a value and the elements of a list as read, but not members of maps.
  void TakeAll(const YamlNode& node) {
    carried_.insert(&node);
    for (const YamlNode& item : node.items) TakeAll(item);
  }

  // Returns the row of `leftOut` for a path; null if absent.
  const PolicyJson* LeftOutRow(std::string path) const {
    static const RE2 kIndex(R"(\[\d+\])");
    RE2::GlobalReplace(&path, kIndex, "[]");
    const auto rows = system_.find("leftOut");
    if (rows == system_.end()) return nullptr;
    for (const auto& [row, why] : rows->items()) {
      for (const std::string& one : Split(row, '|')) {
        const std::string plain = Plain(path);
        const std::string whole = Plain(one);
        if (plain.starts_with(whole) &&
            (plain.size() == whole.size() || plain[whole.size()] == '.' ||
             plain[whole.size()] == '[')) {
          return &why;
        }
      }
    }
    return nullptr;
  }

  bool HasCarried(const YamlNode& node) const {
    if (carried_.contains(&node)) return true;
    return std::ranges::any_of(
               node.items,
               [this](const auto& item) { return HasCarried(item); }) ||
           std::ranges::any_of(node.entries, [this](const auto& entry) {
             return HasCarried(entry.second);
           });
  }

  // Reports unread values, each at its highest path. In a `foreign` part, such
  // as most of an object without its own block, reports only what the table
  // names.
  void ReportLeftOut(const YamlNode& node, const std::string& path,
                     bool foreign) {
    if (!path.empty() && !HasCarried(node) && node.kind != NodeKind::kNull) {
      const PolicyJson* const row = LeftOutRow(path);
      if (row != nullptr) return LeftOut(node, path, Text(*row));
      static const RE2 kOfRetries(
          "(?i)^[a-z_-]*(retr|backoff|resched)[a-z_-]*$");
      if (!foreign || RE2::FullMatch(path, kOfRetries)) {
        return LeftOut(node, path, "this importer does not know it");
      }
    }
    const bool below = foreign && (path.empty() || !HasCarried(node));
    for (const auto& [key, value] : node.entries) {
      ReportLeftOut(value,
                    path.empty() ? key.text : absl::StrCat(path, ".", key.text),
                    path.empty() ? !block_.row->contains("key") : below);
    }
    for (std::size_t i = 0; i < node.items.size(); ++i) {
      ReportLeftOut(node.items[i], absl::StrCat(path, "[", i, "]"), below);
    }
  }

  // Returns an operator's own settings, without those of pods.
  PolicyJson Pasted() {
    PolicyJson settings = PolicyJson::object();
    for (const auto& [key, value] : block_.node.entries) {
      for (const PolicyJson& kept : (*block_.row)["keep"]) {
        const auto name = Text(kept);
        const bool fits = name.starts_with('*')
                              ? key.text.ends_with(name.substr(1))
                              : key.text == name;
        if (!fits) continue;
        std::string text;
        AppendYamlAsJson(value, issues_, text);
        settings[key.text] = PolicyJson::parse(text);
        for (PolicyJson& part : settings[key.text]) {
          if (part.is_object()) part.erase("template");
        }
      }
    }
    return {{"pasted", {{Text((*block_.row)["pasted"]), settings}}}};
  }

  const Block& block_;
  const PolicyJson& system_;
  const std::string& file_;
  Issues& issues_;
  PolicyJson spec_;
  PolicyJson budgets_ = PolicyJson::object();
  // The last rule is unconditional.
  bool closed_ = false;
  std::set<std::string> names_;
  // Where each rule comes from.
  std::vector<Position> places_;
  std::set<const YamlNode*> carried_;
};

// Reads lines "Key=Value" of slurm.conf, or "#SBATCH --key=value" of a script,
// with one of `keys`.
YamlNode ReadAssignments(std::string_view text, const PolicyJson& keys) {
  static const RE2 kLine(
      R"(\s*([A-Za-z][\w-]*)\s*(?:=\s*([^#]*?))?\s*(?:#.*)?)");
  static const RE2 kOption(R"([^#]*?\s--([\w-]+)(?:=([^\s#]*))?)");
  YamlNode map{.kind = NodeKind::kMap, .position = {1, 1}};
  int line = 0;
  const auto add = [&](const std::string& whole, const std::string& key,
                       const std::string& value) {
    const bool known = std::ranges::any_of(keys, [&key](const PolicyJson& of) {
      return Plain(Text(of)) == Plain(key);
    });
    if (!known) return;
    // The last one counts; --requeue and --no-requeue are one setting.
    std::erase_if(map.entries, [&key](const auto& entry) {
      const std::string other = Plain(entry.first.text);
      return other == Plain(key) || other == "no" + Plain(key) ||
             "no" + other == Plain(key);
    });
    const Position position{line, static_cast<int>(whole.find(key)) + 1};
    const auto scalar = [&position](const std::string& of) {
      return YamlNode{
          .kind = NodeKind::kScalar, .position = position, .text = of};
    };
    // Slurm's words have any case.
    map.entries.emplace_back(
        scalar(key),
        scalar(value.empty() ? "true" : absl::AsciiStrToUpper(value)));
  };
  for (const std::string& whole : Split(text, '\n')) {
    ++line;
    std::string key, value;
    if (re2::StringPiece rest(whole); RE2::Consume(&rest, R"(#SBATCH\b)")) {
      while (RE2::Consume(&rest, kOption, &key, &value)) add(whole, key, value);
    } else if (RE2::FullMatch(whole, kLine, &key, &value)) {
      add(whole, key, value);
    }
  }
  return map;
}

std::vector<Block> BlocksIn(const PolicyText& file, std::string_view from,
                            Issues& issues) {
  std::vector<Block> found;
  if (from.empty() || from == "slurm") {
    const PolicyJson& slurm = *std::ranges::find_if(
        Systems(),
        [](const PolicyJson& system) { return system["name"] == "slurm"; });
    const PolicyJson& row = slurm["blocks"][0];
    YamlNode map = ReadAssignments(file.yaml, row["has"]);
    if (!map.entries.empty()) return {{&slurm, &row, std::move(map), "", ""}};
  }
  YamlDocuments read =
      ParseYaml(file.file, file.yaml, issues, YamlDialect::kAny);
  for (YamlNode& document : read.documents) {
    RefuseDuplicates(document, file.file, issues);
    Merge(document);
    FindBlocks(document, "", "", {}, from, found);
  }
  return found;
}

// Returns the text as a DNS label.
std::string Label(std::string_view text) {
  std::string label;
  for (const char c : text) {
    if (absl::ascii_isalnum(static_cast<unsigned char>(c))) {
      label += Lower(c);
    } else if (!label.empty() && label.back() != '-') {
      label += '-';
    }
  }
  label = label.substr(0, 50);
  while (label.ends_with('-')) label.pop_back();
  return label.empty() ? "imported" : label;
}

// Adds an error if there is nothing to import, or if a block is ambiguous
// between two systems.
void CheckBlocks(const std::vector<Block>& blocks, const std::string& file,
                 std::string_view from, Issues& issues) {
  if (blocks.empty()) {
    issues.push_back(
        {Issue::Severity::kError,
         file,
         {},
         absl::StrCat("no retry settings were found of ",
                      from.empty() ? absl::StrJoin(ImportableSystems(), ", ")
                                   : std::string(from))});
  }
  for (std::size_t i = 1; i < blocks.size(); ++i) {
    const Block& one = blocks[i - 1];
    const Block& other = blocks[i];
    if (one.system == other.system || one.path != other.path ||
        one.node.position.line != other.node.position.line) {
      continue;
    }
    issues.push_back(
        {Issue::Severity::kError, file, one.node.position,
         absl::StrFormat("may be of %s or %s, expected one of them as --from",
                         Text((*one.system)["name"]),
                         Text((*other.system)["name"]))});
  }
}

// A policy, and the blocks with its settings.
struct ImportedBlocks {
  const PolicyJson* system;
  std::string owner;
  // "ci.yml: build.retry, test.retry"
  std::string places;
  PolicyJson spec;
  std::string file;
  YamlNode node;
  std::vector<Position> of_rules;
};

// Adds the places of the lines of `yaml`, a policy that begins at `line`.
void Locate(const ImportedBlocks& from, const std::string& yaml, int line,
            std::map<int, ImportedPolicies::Place>& places) {
  Issues none;
  const YamlDocuments written = ParseYaml("", yaml, none, YamlDialect::kPolicy);
  const YamlNode& policy = written.documents.at(0);
  std::map<int, Position> of_lines = {{1, from.node.position}};
  const YamlNode* const rules = At(policy, "spec.rules");
  for (std::size_t i = 0; i < from.of_rules.size(); ++i) {
    if (rules != nullptr) {
      of_lines[rules->items[i].position.line] = from.of_rules[i];
    }
  }
  if (const YamlNode* const pasted = At(policy, "spec.pasted")) {
    LocateEntries(pasted->entries[0].second, from.node, of_lines);
  }
  for (const auto& [at, position] : of_lines) {
    places[line + at - 1] = {from.file, position};
  }
}

// Adds the policies of a file to `all`.
void AddPoliciesOf(const PolicyText& file, std::string_view from,
                   std::vector<ImportedBlocks>& all, Issues& issues) {
  Issues of_file;
  const std::vector<Block> blocks = BlocksIn(file, from, of_file);
  if (!HasErrors(of_file)) CheckBlocks(blocks, file.file, from, of_file);
  std::map<std::string, std::size_t> known;
  for (const Block& block : blocks) {
    if (HasErrors(of_file) && of_file.size() > kMaxIssues) break;
    Issues of_block;
    std::vector<Position> of_rules;
    PolicyJson spec = Converter(block, file.file, of_block).Convert(of_rules);
    // Equal settings at other lines share a policy.
    PolicyJson plain = spec;
    for (PolicyJson& rule : plain["rules"]) rule.erase("description");
    const auto [at, is_new] =
        known.emplace(Text((*block.system)["name"]) + plain.dump(), all.size());
    if (!is_new && !HasErrors(of_block)) {
      absl::StrAppend(&all[at->second].places, ", ", block.path);
      continue;
    }
    of_file.insert(of_file.end(), of_block.begin(), of_block.end());
    all.push_back(
        {block.system, block.owner,
         absl::StrCat(file.file, block.path.empty() ? "" : ": ", block.path),
         std::move(spec), file.file, block.node, std::move(of_rules)});
  }
  // Warnings about invalid settings would only hide the errors.
  if (HasErrors(of_file)) {
    std::erase_if(of_file, [](const Issue& issue) {
      return issue.severity != Issue::Severity::kError;
    });
  }
  for (Issue& issue : of_file) {
    const bool again = issue.severity == Issue::Severity::kNote &&
                       std::ranges::find(issues, issue.message,
                                         &Issue::message) != issues.end();
    if (!again) issues.push_back(std::move(issue));
  }
}

}  // namespace

ImportedPolicies::Place ImportedPolicies::PlaceOf(int line) const {
  const auto after = places.upper_bound(line);
  return after == places.begin() ? Place() : std::prev(after)->second;
}

std::vector<std::string> ImportableSystems() {
  std::vector<std::string> names;
  for (const PolicyJson& system : Systems())
    names.push_back(Text(system["name"]));
  return names;
}

std::string DescribeImports() {
  std::string page;
  for (const PolicyJson& system : Systems()) {
    absl::StrAppend(&page, "## ", Text(system["title"]), " (`",
                    Text(system["name"]), "`)\n\n",
                    system.contains("source")
                        ? "Source: " + Text(system["source"])
                        : "Pasted as it stands, for the operator's own rules",
                    ".");
    for (const char* const field : {"state", "reason"}) {
      if (!system.contains(field)) continue;
      absl::StrAppend(&page, " Report as `", field, "`: ", Text(system[field]),
                      ".");
    }
    page += "\n";
    for (const PolicyJson& note : system.value("notes", PolicyJson::array())) {
      absl::StrAppend(&page, "Not here: ", Text(note["says"]), ".\n");
    }
    PolicyJson left_out = system.value("leftOut", PolicyJson::object());
    for (const PolicyJson& rule : system.value("rules", PolicyJson::array())) {
      if (rule.contains("leftOut")) {
        left_out[Text(rule["at"])] = rule["leftOut"];
      }
    }
    if (!left_out.empty()) page += "\n| Not carried over | Why |\n|---|---|\n";
    for (const auto& [path, why] : left_out.items()) {
      if (why == "") continue;
      absl::StrAppend(&page, "| `", Split(path, '|')[0], "` | ", Text(why),
                      " |\n");
    }
    page += "\n";
  }
  return page;
}

ImportedPolicies ImportPolicies(const std::vector<PolicyText>& files,
                                std::string_view from, std::string_view name,
                                Issues& issues) {
  std::vector<ImportedBlocks> imported;
  for (const PolicyText& file : files) {
    AddPoliciesOf(file, from, imported, issues);
  }
  if (HasErrors(issues)) return {};
  ImportedPolicies all;
  std::set<std::string> names;
  for (ImportedBlocks& one : imported) {
    std::string label =
        name.empty() ? Label(Text((*one.system)["name"])) : std::string(name);
    if (imported.size() > 1) {
      absl::StrAppend(&label, "-", Label(one.owner));
      one.spec["onlyByName"] = true;
    }
    std::string unique = label;
    for (int i = 2; !names.insert(unique).second; ++i) {
      unique = absl::StrCat(label, "-", i);
    }
    const PolicyJson policy = {
        {"apiVersion", "mulligan.dev/v1"},
        {"kind", "RetryPolicy"},
        {"metadata",
         {{"name", unique},
          {"description", absl::StrCat("From ", one.places, " (",
                                       Text((*one.system)["title"]), ").")}}},
        {"spec", one.spec}};
    if (all.count++ > 0) all.yaml += "---\n";
    const std::string yaml = JsonToYaml(
        policy.dump(-1, ' ', false, PolicyJson::error_handler_t::replace));
    const auto lines = std::ranges::count(all.yaml, '\n');
    Locate(one, yaml, static_cast<int>(lines) + 1, all.places);
    all.yaml += yaml;
  }
  return all;
}

}  // namespace mulligan::cli
