// The plots of the report's page, as HTML; empty where there is nothing to see.
#ifndef MULLIGAN_CLIENT_CLI_REPORT_REPORT_PLOTS_H_
#define MULLIGAN_CLIENT_CLI_REPORT_REPORT_PLOTS_H_

#include <map>
#include <string>
#include <utility>
#include <vector>

#include "client/cli/report/report.h"

namespace mulligan::cli {

// How large a cost is drawn: its hours, or where no hours are known its
// failures; and what stands beside it.
double DrawnSize(const Report& report, const Cost& cost);
std::string DrawnText(const Report& report, const Cost& cost);

// The domains, the costliest first, and their classes: "d0" is the costliest.
std::vector<std::pair<std::string, Cost>> DomainsOf(const Report& report);
std::map<std::string, std::string> StylesOf(const Report& report);

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
