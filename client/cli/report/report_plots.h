// The plots of the report's page, as HTML; empty if there is nothing to show.
#ifndef MULLIGAN_CLIENT_CLI_REPORT_REPORT_PLOTS_H_
#define MULLIGAN_CLIENT_CLI_REPORT_REPORT_PLOTS_H_

#include <string>

#include "client/cli/report/report.h"

namespace mulligan::cli {

// All hours, then the part of each domain.
std::string WaterfallPlot(const Report& report);

// A column of the domains' hours per day, or per week if there are many days.
// Needs two columns.
std::string LostByDayPlot(const Report& report);
std::string DomainLegend(const Report& report);

// Bands from domains over budgets to ends, as wide as their hours.
std::string FlowPlot(const Report& report);

// A row per node, the worst first, with a cell per day or week, darker with
// more failures of the platform.
std::string NodePlot(const Report& report);

}  // namespace mulligan::cli

#endif  // MULLIGAN_CLIENT_CLI_REPORT_REPORT_PLOTS_H_
