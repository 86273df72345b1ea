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
#ifndef MULLIGAN_CLIENT_CLI_REPORT_REPORT_PARTS_H_
#define MULLIGAN_CLIENT_CLI_REPORT_REPORT_PARTS_H_

#include <ostream>

#include "absl/status/status.h"
#include "client/cli/report/gathered.h"

namespace mulligan::cli {

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

}  // namespace mulligan::cli

#endif  // MULLIGAN_CLIENT_CLI_REPORT_REPORT_PARTS_H_
