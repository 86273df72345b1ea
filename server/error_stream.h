// Standard error as a sink of log lines that nobody has to read.
#ifndef MULLIGAN_SERVER_ERROR_STREAM_H_
#define MULLIGAN_SERVER_ERROR_STREAM_H_

#include <spdlog/sinks/sink.h>

#include <memory>

namespace mulligan {

// Writes lines to `descriptor`, which outlives it. What does not fit into a
// pipe that nobody empties is left out, because whoever logs would wait for it:
// calls, the listener, the stop. Once there is room again a line says how many
// are missing.
std::shared_ptr<spdlog::sinks::sink> MakeErrorStream(int descriptor);

}  // namespace mulligan

#endif  // MULLIGAN_SERVER_ERROR_STREAM_H_
