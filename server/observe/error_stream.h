// Standard error as a sink for log lines that may have no reader.
#ifndef MULLIGAN_SERVER_OBSERVE_ERROR_STREAM_H_
#define MULLIGAN_SERVER_OBSERVE_ERROR_STREAM_H_

#include <spdlog/sinks/sink.h>

#include <functional>
#include <memory>
#include <string>

namespace mulligan {

// Writes lines to `descriptor`, which must outlive it. Lines that do not fit
// into a full pipe are dropped, because calls, the listener and shutdown would
// wait for it. Once there is room, the line `left_out` with their number comes
// first.
std::shared_ptr<spdlog::sinks::sink> MakeErrorStream(
    int descriptor, std::function<std::string(int)> left_out);

}  // namespace mulligan

#endif  // MULLIGAN_SERVER_OBSERVE_ERROR_STREAM_H_
