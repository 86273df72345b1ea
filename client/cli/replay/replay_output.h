// The result of a replay as text for a terminal, as a page and as JSON.
#ifndef MULLIGAN_CLIENT_CLI_REPLAY_REPLAY_OUTPUT_H_
#define MULLIGAN_CLIENT_CLI_REPLAY_REPLAY_OUTPUT_H_

#include <map>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "absl/status/statusor.h"
#include "client/cli/replay/replay_result.h"

namespace mulligan::cli {

// "1,234,567".
std::string WithCommas(Count count);

// `part` of `whole`: "1.2 %", "<0.1 %", "0 %".
std::string Percent(Count part, Count whole);

// The names of `tallies` by changed decisions, most first, then by decisions.
std::vector<std::pair<std::string, Tally>> MostChangedFirst(
    const Tallies& tallies);

// Counts by name, most first.
std::vector<std::pair<std::string, Count>> MostFirst(
    const std::map<std::string, Count>& counts);

// What would change, by cause, policy and kind, with examples. `policies` says
// which ones were asked, such as "policies/".
std::string ReplayText(const ReplayResult& result, std::string_view policies);

// Every text from outside is escaped. `policies` as for ReplayText.
std::string ReplayHtml(const ReplayResult& result, std::string_view policies);

// Ends in a line break. docs/cli.md has the members.
std::string ReplayJson(const ReplayResult& result);

// What ReplayJson printed. INVALID_ARGUMENT says what is missing or wrong.
absl::StatusOr<ReplayResult> ParseReplayJson(std::string_view json);

}  // namespace mulligan::cli

#endif  // MULLIGAN_CLIENT_CLI_REPLAY_REPLAY_OUTPUT_H_
