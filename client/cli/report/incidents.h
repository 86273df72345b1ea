// When many workloads failed at once of one fault of the platform.
#ifndef MULLIGAN_CLIENT_CLI_REPORT_INCIDENTS_H_
#define MULLIGAN_CLIENT_CLI_REPORT_INCIDENTS_H_

#include <vector>

#include "client/cli/report/names.h"
#include "client/cli/report/report.h"
#include "client/cli/report/totals.h"

namespace mulligan::cli {

// The costliest first, at most twenty. A moment belongs to an incident where in
// the ten minutes up to it at least five workloads failed of one cause, and
// five times as many as in the mean over the whole log.
std::vector<Incident> IncidentsIn(const ReportTotals& totals,
                                  const Names& names, Unit unit);

}  // namespace mulligan::cli

#endif  // MULLIGAN_CLIENT_CLI_REPORT_INCIDENTS_H_
