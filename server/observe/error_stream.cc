#include "server/observe/error_stream.h"

#include <poll.h>
#include <spdlog/sinks/base_sink.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <climits>
#include <cstddef>
#include <mutex>
#include <string>
#include <string_view>
#include <utility>

namespace mulligan {
namespace {

class ErrorStream final : public spdlog::sinks::base_sink<std::mutex> {
 public:
  ErrorStream(int descriptor, std::function<std::string(int)> dropped)
      : descriptor_(descriptor), dropped_line_(std::move(dropped)) {}

 protected:
  void sink_it_(const spdlog::details::log_msg& message) override {
    spdlog::memory_buf_t line;
    formatter_->format(message, line);
    if (dropped_ > 0 &&
        Write((torn_ ? "\n" : "") + dropped_line_(dropped_) + "\n")) {
      dropped_ = 0;
    }
    if (dropped_ > 0 || !Write({line.data(), line.size()})) ++dropped_;
  }
  void flush_() override {}

 private:
  // Returns false if there is no room for the rest. A writable pipe has room
  // for PIPE_BUF bytes.
  bool Write(std::string_view text) {
    const std::size_t size = text.size();
    while (!text.empty()) {
      pollfd room = {descriptor_, POLLOUT, 0};
      if (poll(&room, 1, 0) != 1 || (room.revents & POLLOUT) == 0) break;
      const ssize_t written =
          write(descriptor_, text.data(),
                std::min<std::size_t>(text.size(), PIPE_BUF));
      if (written < 0 && errno == EINTR) continue;
      if (written <= 0) break;
      text.remove_prefix(static_cast<std::size_t>(written));
    }
    if (text.size() < size) torn_ = !text.empty();
    return text.empty();
  }

  const int descriptor_;
  const std::function<std::string(int)> dropped_line_;
  int dropped_ = 0;
  // The last write ended inside a line.
  bool torn_ = false;
};

}  // namespace

std::shared_ptr<spdlog::sinks::sink> MakeErrorStream(
    int descriptor, std::function<std::string(int)> dropped) {
  return std::make_shared<ErrorStream>(descriptor, std::move(dropped));
}

}  // namespace mulligan
