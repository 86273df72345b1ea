// Checks that concern several options; ParseCommandLine runs both.
#ifndef MULLIGAN_SERVER_OPTIONS_VALIDATION_H_
#define MULLIGAN_SERVER_OPTIONS_VALIDATION_H_

#include "absl/status/status.h"
#include "server/options.h"

namespace mulligan {

absl::Status ValidateOptions(const ServerOptions& options);
// The largest request must fit, both while waiting and while it runs.
absl::Status ValidateMemory(const ServerOptions& options);

}  // namespace mulligan

#endif  // MULLIGAN_SERVER_OPTIONS_VALIDATION_H_
