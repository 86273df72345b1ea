// Standard error as a sink of log lines that nobody has to read.
#ifndef MULLIGAN_SERVER_OBSERVE_ERROR_STREAM_H_
#define MULLIGAN_SERVER_OBSERVE_ERROR_STREAM_H_

#include <spdlog/sinks/sink.h>

#include <functional>
#include <memory>
#include <string>

namespace mulligan {

// Writes lines to `descriptor`, which outlives it. What does not fit into a
// pipe that nobody empties is left out, because whoever logs would wait for it:
// calls, the listener, the stop. Once there is room again the line `left_out`
// of their number comes first.
std::shared_ptr<spdlog::sinks::sink> MakeErrorStream(
    int descriptor, std::function<std::string(int)> left_out);

}  // namespace mulligan

#endif  // MULLIGAN_SERVER_OBSERVE_ERROR_STREAM_H_
