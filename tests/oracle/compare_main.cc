// Compares this build's native verdicts with what the operators themselves did:
//   oracle_compare [--known FILE.tsv] [--show N] FILE...
// A FILE is .jsonl or .jsonl.gz in the format of tests/oracle/README.md. Prints
// per file how many cases agree, how many differ as a point of
// docs/conformance.md allows, how often each member of `expect` agrees, and the
// other differences grouped by member and (expected -> got), each with up to N
// examples (default 1). Groups ignore numbers in texts.
//
// Exits with 0 if every difference is known or explained, with 1 if not, with 2
// on invalid input.
#include <algorithm>
#include <cstdio>
#include <filesystem>
#include <map>
#include <memory>
#include <optional>
#include <set>
#include <string>
#include <string_view>
#include <tuple>
#include <vector>

#include "absl/strings/ascii.h"
#include "absl/strings/numbers.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_join.h"
#include "policy/loader/load.h"
#include "tests/oracle/recorded.h"

namespace mulligan::oracle {
namespace {

struct Options {
  std::string known;
  std::size_t show = 1;
  std::vector<std::string> files;
};

using Known = std::map<std::string, std::set<std::string>>;

// Similar differences.
struct Group {
  std::size_t cases = 0;
  std::size_t known = 0;
  Difference example;
  std::vector<std::string> ids;
};

struct Comparison {
  std::size_t cases = 0;
  std::size_t agreed = 0;
  // Number of cases that differ as a point allows, by point.
  std::map<std::string, std::size_t> explained;
  // Number of cases with a difference that is not in the list of known ones.
  std::size_t unknown = 0;
  // By member: how often it was expected, and how often it agreed.
  std::map<std::string, std::pair<std::size_t, std::size_t>> members;
  // By member and the two texts without their numbers.
  std::map<std::tuple<std::string, std::string, std::string>, Group> groups;
};

std::optional<Options> ReadOptions(int argc, char** argv) {
  Options options;
  for (int i = 1; i < argc; ++i) {
    const std::string_view argument = argv[i];
    if (argument == "--known" && i + 1 < argc) {
      options.known = argv[++i];
    } else if (argument == "--show" && i + 1 < argc) {
      if (!absl::SimpleAtoi(argv[++i], &options.show)) return std::nullopt;
    } else if (argument.substr(0, 2) == "--") {
      return std::nullopt;
    } else {
      options.files.emplace_back(argument);
    }
  }
  if (options.files.empty()) return std::nullopt;
  return options;
}

// Replaces each run of digits by one '#', so that texts that differ only in
// names or numbers are equal.
std::string WithoutNumbers(std::string_view text) {
  std::string out;
  for (const char letter : text) {
    if (!absl::ascii_isdigit(static_cast<unsigned char>(letter))) {
      out.push_back(letter);
    } else if (out.empty() || out.back() != '#') {
      out.push_back('#');
    }
  }
  return out;
}

// `show` is the number of examples to keep of each group.
void CompareAll(const Recorded& recorded, const PolicySet& policies,
                const Known& known, std::size_t show, Comparison& comparison) {
  const absl::StatusOr<v1::DecideResponse> answer = Ask(recorded, policies);
  const std::map<std::string, Difference> differences =
      Differences(recorded, answer);
  const auto listed = known.find(recorded.id);
  ++comparison.cases;
  if (differences.empty()) ++comparison.agreed;
  for (const auto& [member, unused] : recorded.expect.fields()) {
    auto& [asked, agreed] = comparison.members[member];
    ++asked;
    if (differences.count(member) == 0) ++agreed;
  }
  if (!differences.empty() && IsExplained(recorded, answer)) {
    ++comparison.explained[recorded.point];
    return;
  }
  bool all_known = true;
  for (const auto& [member, difference] : differences) {
    const bool is_known =
        listed != known.end() && listed->second.count(member) != 0;
    all_known = all_known && is_known;
    Group& group = comparison.groups[{member, WithoutNumbers(difference.want),
                                      WithoutNumbers(difference.got)}];
    if (group.cases++ == 0) group.example = difference;
    if (is_known) ++group.known;
    if (group.ids.size() < show) group.ids.push_back(recorded.id);
  }
  if (!all_known) ++comparison.unknown;
}

void Print(const std::string& name, const Comparison& comparison) {
  std::vector<std::string> members;
  for (const auto& [member, counts] : comparison.members) {
    members.push_back(
        absl::StrCat(member, " ", counts.second, "/", counts.first));
  }
  std::string explained;
  for (const auto& [point, cases] : comparison.explained) {
    absl::StrAppend(&explained, cases, " under ", point, ", ");
  }
  std::printf("%s: %zu of %zu agree, %s%zu with an unknown difference\n  %s\n",
              name.c_str(), comparison.agreed, comparison.cases,
              explained.c_str(), comparison.unknown,
              absl::StrJoin(members, ", ").c_str());
  std::vector<std::pair<std::string, const Group*>> groups;
  for (const auto& [key, group] : comparison.groups) {
    groups.emplace_back(std::get<0>(key), &group);
  }
  std::stable_sort(groups.begin(), groups.end(),
                   [](const auto& a, const auto& b) {
                     return a.second->cases > b.second->cases;
                   });
  for (const auto& [member, group] : groups) {
    const std::string of_them =
        group->known == 0 ? "" : absl::StrCat(" (", group->known, " known)");
    std::printf("%7zu%s %s\n          expected %s\n          got      %s\n",
                group->cases, of_them.c_str(), member.c_str(),
                group->example.want.c_str(), group->example.got.c_str());
    if (group->ids.empty()) continue;
    std::printf("          %s\n", absl::StrJoin(group->ids, " ").c_str());
  }
}

int Run(const Options& options) {
  Known known;
  if (!options.known.empty()) {
    absl::StatusOr<Known> read = ReadKnown(options.known);
    if (!read.ok()) {
      std::fprintf(stderr, "%s\n", read.status().ToString().c_str());
      return 2;
    }
    known = *std::move(read);
  }
  Issues issues;
  const std::unique_ptr<const PolicySet> policies =
      LoadPolicies({EmbeddedPolicy()}, issues);
  bool all_known = true;
  for (const std::string& file : options.files) {
    const absl::StatusOr<std::vector<Recorded>> all = ReadRecorded(file);
    if (!all.ok()) {
      std::fprintf(stderr, "%s\n", all.status().ToString().c_str());
      return 2;
    }
    Comparison comparison;
    for (const Recorded& recorded : *all) {
      CompareAll(recorded, *policies, known, options.show, comparison);
    }
    Print(std::filesystem::path(file).filename().string(), comparison);
    all_known = all_known && comparison.unknown == 0;
  }
  return all_known ? 0 : 1;
}

}  // namespace
}  // namespace mulligan::oracle

int main(int argc, char** argv) {
  const auto options = mulligan::oracle::ReadOptions(argc, argv);
  if (!options) {
    std::fprintf(stderr,
                 "usage: oracle_compare [--known FILE.tsv] [--show N] "
                 "FILE...\n");
    return 2;
  }
  return mulligan::oracle::Run(*options);
}
