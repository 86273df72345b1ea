// What was read for a report, before it is told.
//
// A report made in parts: on several machines, and put together on one.
//
// Decision logs become entries, a line of JSON for each failure and good end
// with the key of its workload; the entries of whole workloads become sums, one
// line; both, from any number of files and in any order, become a report. It is
// the same, byte for byte, as that of all logs at once.
//
// The last line of what one machine wrote says which entries it had, and with
// which flags they were made. Sorted by key into other files they are the same,
// so what is lost, doubled or changed on the way shows.
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

  static auto Members(auto& self) { return std::tie(self.entries, self.lines); }
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

// Reads decision logs. What is no record is counted and named.
void Gather(LogBlocks& logs, const ReportSettings& settings,
            Gathered& gathered);

// Reads what WriteEntries() and WriteSums() wrote, of `settings` only the
// memory that entries may take. INVALID_ARGUMENT names file and line of what is
// neither, was made with other flags than the lines before it or is the same
// sums again, and where the parts are to be the `whole`, the file of a part
// that is empty or has other entries than they say.
absl::Status GatherParts(LogBlocks& parts, const ReportSettings& settings,
                         bool whole, Gathered& gathered);

// A line for each entry, "key" first, in the same order whatever was read
// first, and one about everything else that was read. Of what GatherParts()
// read only where there were no sums.
absl::Status WriteEntries(Gathered& gathered, std::ostream& out);

// One line. Everything was added up.
void WriteSums(const Gathered& gathered, std::ostream& out);

// The lines of which parts are made.
//
// Each with its line break: an entry; what is known beside entries, with how
// many there are; that, and what entries add up to.
std::string EntryLine(const KeptEntry& kept, const Names& names);
std::string RestLine(const Gathered& gathered);
std::string SumsLine(const Gathered& gathered);

// Of a line of an entry, without its line break.
EntryCount CountOf(std::string_view entry_line);

// Adds a line of any of them to what was gathered, whose first store is there,
// and to `counts`. INVALID_ARGUMENT: why it is none, or none that goes with the
// others.
absl::Status TakePartLine(std::string_view line, PartCounts& counts,
                          Gathered& gathered);

}  // namespace mulligan::cli

#endif  // MULLIGAN_CLIENT_CLI_REPORT_GATHERED_H_
