// The result of a replay as one page: no script, nothing from outside, light or
// dark as the reader has it.
#ifndef MULLIGAN_CLIENT_CLI_REPLAY_REPLAY_HTML_H_
#define MULLIGAN_CLIENT_CLI_REPLAY_REPLAY_HTML_H_

#include <string>
#include <string_view>

#include "client/cli/replay/replay_result.h"

namespace mulligan::cli {

// Every text from outside is escaped. `policies` as for ReplayText.
std::string ReplayHtml(const ReplayResult& result, std::string_view policies);

}  // namespace mulligan::cli

#endif  // MULLIGAN_CLIENT_CLI_REPLAY_REPLAY_HTML_H_
