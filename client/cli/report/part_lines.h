// The lines of which parts of a report are made (report_parts.h).
#ifndef MULLIGAN_CLIENT_CLI_REPORT_PART_LINES_H_
#define MULLIGAN_CLIENT_CLI_REPORT_PART_LINES_H_

#include <string>
#include <string_view>

#include "absl/status/status.h"
#include "client/cli/report/entry_store.h"
#include "client/cli/report/gathered.h"
#include "client/cli/report/names.h"

namespace mulligan::cli {

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

#endif  // MULLIGAN_CLIENT_CLI_REPORT_PART_LINES_H_
