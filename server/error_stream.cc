#include "server/error_stream.h"

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

#include "absl/strings/str_format.h"

namespace mulligan {
namespace {

class ErrorStream final : public spdlog::sinks::base_sink<std::mutex> {
 public:
  explicit ErrorStream(int descriptor) : descriptor_(descriptor) {}

 protected:
  void sink_it_(const spdlog::details::log_msg& message) override {
    spdlog::memory_buf_t line;
    formatter_->format(message, line);
    if (left_out_ > 0 &&
        Write(absl::StrFormat("%d log lines were left out: nobody read them\n",
                              left_out_))) {
      left_out_ = 0;
    }
    if (left_out_ > 0 || !Write({line.data(), line.size()})) ++left_out_;
  }
  void flush_() override {}

 private:
  // False: there is no room for the rest. A pipe that can be written to has
  // room for PIPE_BUF bytes.
  bool Write(std::string_view text) {
    while (!text.empty()) {
      pollfd room = {descriptor_, POLLOUT, 0};
      if (poll(&room, 1, 0) != 1 || (room.revents & POLLOUT) == 0) return false;
      const ssize_t written =
          write(descriptor_, text.data(),
                std::min<std::size_t>(text.size(), PIPE_BUF));
      if (written < 0 && errno == EINTR) continue;
      if (written <= 0) return false;
      text.remove_prefix(static_cast<std::size_t>(written));
    }
    return true;
  }

  const int descriptor_;
  int left_out_ = 0;
};

}  // namespace

std::shared_ptr<spdlog::sinks::sink> MakeErrorStream(int descriptor) {
  return std::make_shared<ErrorStream>(descriptor);
}

}  // namespace mulligan
