// The plots of the report's page, as HTML; empty where there is nothing to see.
#ifndef MULLIGAN_CLIENT_CLI_REPORT_REPORT_PLOTS_H_
#define MULLIGAN_CLIENT_CLI_REPORT_REPORT_PLOTS_H_

#include <string>

#include "client/cli/report/report.h"

namespace mulligan::cli {

// All hours, and how they come down to nothing, domain by domain.
std::string WaterfallPlot(const Report& report);

// A column a day, or a week where there are many, of the domains' hours; needs
// two days.
std::string LostByDayPlot(const Report& report);
std::string DomainLegend(const Report& report);

// Bands from domains over budgets to ends, as wide as their hours.
std::string FlowPlot(const Report& report);

// A row a node, the worst first, a cell a day or week, the darker the more
// failures of the platform there were.
std::string NodePlot(const Report& report);

}  // namespace mulligan::cli

#endif  // MULLIGAN_CLIENT_CLI_REPORT_REPORT_PLOTS_H_
