// The intermediate data of a report, which can be made in parts on several
// machines and merged on one.
//
// Decision logs become entries: one line of JSON per failure or good end, with
// its workload's key. The entries of whole workloads become sums, on one line.
// Any number of files of either, in any order, become a report, byte for byte
// the same as that of all logs at once.
//
// The last line that each machine writes states its entries and the flags they
// were made with, so that lost, duplicate or changed lines are detected.
// Entries may be sorted by key into other files in between.
#ifndef MULLIGAN_CLIENT_CLI_REPORT_GATHERED_H_
#define MULLIGAN_CLIENT_CLI_REPORT_GATHERED_H_

#include <cstdint>
#include <map>
#include <memory>
#include <optional>
#include <ostream>
#include <set>
#include <string>
#include <string_view>
#include <vector>

#include "absl/container/flat_hash_map.h"
#include "absl/status/status.h"
#include "client/cli/report/entry_store.h"
#include "client/cli/report/report.h"
#include "client/cli/report/totals.h"

namespace mulligan::cli {

// By the number of a sign.
using SignExhibits = absl::flat_hash_map<std::uint32_t, Exhibits>;

// Identifies a set of entries in any order.
struct EntryCount {
  Count entries = 0;
  // Sum of the hashes of their lines.
  std::uint64_t lines = 0;

  static auto Members(auto& self) { return std::tie(self.entries, self.lines); }
  bool operator==(const EntryCount&) const = default;
};

// The entries that parts state, and those that were read.
struct PartCounts {
  EntryCount stated;
  EntryCount read;
};

// The flags that affect entries, as given, and for --compare the policies'
// revision.
using MadeWith = std::map<std::string, std::string>;
inline constexpr char kCompareFlag[] = "--compare";
inline constexpr char kTeamLabelFlag[] = "--team-label";

struct Gathered {
  Names names;
  // Failures, one store per thread.
  std::vector<std::unique_ptr<EntryStore>> stores;
  // Sums of workloads that have no entry in a store.
  ReportTotals totals;
  // Only counts of lines, and what they count, are set.
  Report read;
  SignExhibits examples;
  // Empty if only entries were read, which do not state their flags.
  std::optional<MadeWith> made_with;
  PartCounts parts;
  // EntryCount::lines of the sums that were read, to detect duplicates.
  std::set<std::uint64_t> sums;
};

// Adds up the stores into `totals` on `threads` threads, and removes them.
// RESOURCE_EXHAUSTED if a store's temporary file could not be written.
absl::Status AddUp(Gathered& gathered, unsigned threads);

// Returns the report of the sums. Moves from `gathered`.
Report BuildReport(Gathered& gathered);

// Reads decision logs. Lines that are not records are counted and listed.
void Gather(LogBlocks& logs, const ReportSettings& settings,
            Gathered& gathered);

// Reads the output of WriteEntries() and WriteSums(). Of `settings`, uses only
// the memory limit for entries. INVALID_ARGUMENT names the file and line of
// anything else, of parts made with other flags, or of sums that were already
// read. If the parts should be `whole`, it also names the file of an empty
// part, or of one whose entries are not those that it states.
absl::Status GatherParts(LogBlocks& parts, const ReportSettings& settings,
                         bool whole, Gathered& gathered);

// Writes a line per entry, "key" first, in an order that does not depend on how
// they were read, then one about everything else. REQUIRES: no sums were read.
absl::Status WriteEntries(Gathered& gathered, std::ostream& out);

// Writes one line. REQUIRES: AddUp() was called.
void WriteSums(const Gathered& gathered, std::ostream& out);

}  // namespace mulligan::cli

#endif  // MULLIGAN_CLIENT_CLI_REPORT_GATHERED_H_
