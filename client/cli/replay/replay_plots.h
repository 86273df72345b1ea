// Plots of a replay as SVG; how they look is in html_style.h.
#ifndef MULLIGAN_CLIENT_CLI_REPLAY_REPLAY_PLOTS_H_
#define MULLIGAN_CLIENT_CLI_REPLAY_REPLAY_PLOTS_H_

#include <map>
#include <string>

#include "client/cli/replay/replay_result.h"

namespace mulligan::cli {

// Decisions a day, those that would change from the ground up. Empty with fewer
// than two days.
std::string DayPlot(const Tallies& by_day);

// For each name how many of its decisions would change, the most first.
std::string SharePlot(const Tallies& tallies, const std::string& title);

// What each budget paid above what it would pay.
std::string BudgetPlot(const std::map<std::string, Charges>& budgets);

}  // namespace mulligan::cli

#endif  // MULLIGAN_CLIENT_CLI_REPLAY_REPLAY_PLOTS_H_
