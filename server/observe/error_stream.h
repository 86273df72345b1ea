// Standard error as a log sink that never waits for a reader.
#ifndef MULLIGAN_SERVER_OBSERVE_ERROR_STREAM_H_
#define MULLIGAN_SERVER_OBSERVE_ERROR_STREAM_H_

#include <spdlog/sinks/sink.h>

#include <functional>
#include <memory>
#include <string>

namespace mulligan {

// Writes lines to `descriptor`, which must outlive it. Drops lines that do not
// fit into a full pipe, because calls, the listener and shutdown would wait for
// it. Once there is room, the line `dropped(count)` comes first.
std::shared_ptr<spdlog::sinks::sink> MakeErrorStream(
    int descriptor, std::function<std::string(int)> dropped);

}  // namespace mulligan

#endif  // MULLIGAN_SERVER_OBSERVE_ERROR_STREAM_H_
