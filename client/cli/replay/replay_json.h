// Results of replays as JSON, which adds up again.
#ifndef MULLIGAN_CLIENT_CLI_REPLAY_REPLAY_JSON_H_
#define MULLIGAN_CLIENT_CLI_REPLAY_REPLAY_JSON_H_

#include <string>
#include <string_view>

#include "absl/status/statusor.h"
#include "client/cli/replay/replay_result.h"

namespace mulligan::cli {

// Ends in a line break. docs/cli.md has the members.
std::string ReplayJson(const ReplayResult& result);

// What ReplayJson printed. INVALID_ARGUMENT says what is missing or wrong.
absl::StatusOr<ReplayResult> ParseReplayJson(std::string_view json);

}  // namespace mulligan::cli

#endif  // MULLIGAN_CLIENT_CLI_REPLAY_REPLAY_JSON_H_
