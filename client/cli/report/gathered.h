// What was read for a report, before it is told.
#ifndef MULLIGAN_CLIENT_CLI_REPORT_GATHERED_H_
#define MULLIGAN_CLIENT_CLI_REPORT_GATHERED_H_

#include <cstdint>
#include <memory>
#include <optional>
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

// Entries of parts: how many there have to be, and how many there are.
struct PartCounts {
  Count told = 0;
  Count read = 0;
};

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
  // Revision of the policies that were compared with; empty: none were; absent:
  // nothing but entries was read, which do not say.
  std::optional<std::string> candidate;
  PartCounts parts;
};

// Adds up the stores, on a thread for each of `threads`, and leaves them empty:
// everything is in `totals`. RESOURCE_EXHAUSTED: a store's temporary file could
// not be written.
absl::Status AddUp(Gathered& gathered, unsigned threads);

// The report of what was added up.
Report Tell(Gathered& gathered);

}  // namespace mulligan::cli

#endif  // MULLIGAN_CLIENT_CLI_REPORT_GATHERED_H_
