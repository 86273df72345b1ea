// What was read for a report, before it is told.
#ifndef MULLIGAN_CLIENT_CLI_REPORT_GATHERED_H_
#define MULLIGAN_CLIENT_CLI_REPORT_GATHERED_H_

#include <cstdint>
#include <map>
#include <memory>
#include <optional>
#include <set>
#include <string>
#include <vector>

#include "absl/container/flat_hash_map.h"
#include "client/cli/report/entry_store.h"
#include "client/cli/report/exhibits.h"
#include "client/cli/report/names.h"
#include "client/cli/report/report.h"
#include "client/cli/report/totals.h"

namespace mulligan::cli {

// By the number of a sign.
using SignExhibits = absl::flat_hash_map<std::uint32_t, Exhibits>;

// Entries, and what they are known by in whatever order they come.
struct EntryCount {
  Count entries = 0;
  // Sum of the hashes of their lines.
  std::uint64_t lines = 0;

  EntryCount& operator+=(const EntryCount& other) {
    entries += other.entries;
    lines += other.lines;
    return *this;
  }
  bool operator==(const EntryCount&) const = default;
};

// Entries of parts: those there have to be, and those there are.
struct PartCounts {
  EntryCount told;
  EntryCount read;
};

// The flags that decide what an entry says, as they were given, and for
// --compare the policies' revision.
using MadeWith = std::map<std::string, std::string>;
inline constexpr char kCompareFlag[] = "--compare";
inline constexpr char kTeamLabelFlag[] = "--team-label";

struct Gathered {
  Names names;
  // Failures, each store of another thread.
  std::vector<std::unique_ptr<EntryStore>> stores;
  // Of workloads whose failures were added up before; none of them has an
  // entry in a store.
  ReportTotals totals;
  // Counts of lines, and what they are of; the rest is not set.
  Report read;
  SignExhibits examples;
  // Absent: nothing but entries was read, which do not say.
  std::optional<MadeWith> made_with;
  PartCounts parts;
  // EntryCount::lines of sums that were read: the same twice is one part twice.
  std::set<std::uint64_t> sums;
};

// Adds up the stores, on a thread for each of `threads`, and leaves them empty:
// everything is in `totals`. RESOURCE_EXHAUSTED: a store's temporary file could
// not be written.
absl::Status AddUp(Gathered& gathered, unsigned threads);

// The report of what was added up.
Report Tell(Gathered& gathered);

}  // namespace mulligan::cli

#endif  // MULLIGAN_CLIENT_CLI_REPORT_GATHERED_H_
