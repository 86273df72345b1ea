#include "server/observe/log_file.h"

#include <fcntl.h>
#include <poll.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <climits>
#include <cstddef>
#include <cstdio>
#include <cstring>
#include <utility>

#include "absl/strings/str_format.h"

namespace mulligan {
namespace {

constexpr int kPollMilliseconds = 100;
// Polls after which a full pipe counts as unread.
constexpr int kMaxPolls = 50;

bool EndsInLine(int file, std::int64_t size) {
  char last = '\n';
  return size == 0 || pread(file, &last, 1, size - 1) != 1 || last == '\n';
}

}  // namespace

LogFile::LogFile(std::string path, std::int64_t max_bytes, std::int64_t files)
    : path_(std::move(path)), max_bytes_(max_bytes), files_(files) {}

LogFile::~LogFile() {
  if (file_ > STDERR_FILENO) close(file_);
}

absl::Status LogFile::Failure(std::string_view what) const {
  return absl::UnavailableError(absl::StrFormat("%s cannot be %s: %s", path_,
                                                what, std::strerror(errno)));
}

std::string LogFile::Numbered(std::int64_t number) const {
  return absl::StrFormat("%s.%d", path_, number);
}

bool LogFile::WasReplaced() const {
  if (!is_regular_) return false;
  struct stat at_path;
  if (stat(path_.c_str(), &at_path) != 0) return errno == ENOENT;
  return at_path.st_dev != device_ || at_path.st_ino != inode_;
}

absl::Status LogFile::Open() {
  if (file_ >= 0 && WasReplaced()) close(std::exchange(file_, -1));
  if (file_ >= 0) return absl::OkStatus();
  if (path_ == "-") {
    file_ = STDOUT_FILENO;
    return absl::OkStatus();
  }
  // Opened for reading to check the last line; devices may be write-only.
  constexpr int kFlags = O_CREAT | O_APPEND | O_CLOEXEC | O_NONBLOCK | O_NOCTTY;
  file_ = open(path_.c_str(), kFlags | O_RDWR, 0640);
  if (file_ < 0) file_ = open(path_.c_str(), kFlags | O_WRONLY, 0640);
  if (file_ < 0) return Failure("opened");
  struct stat state;
  if (fstat(file_, &state) != 0) return Failure("opened");
  is_regular_ = S_ISREG(state.st_mode);
  device_ = state.st_dev;
  inode_ = state.st_ino;
  size_ = is_regular_ ? state.st_size : 0;
  is_torn_ = is_regular_ && !EndsInLine(file_, size_);
  return absl::OkStatus();
}

absl::Status LogFile::Rotate() {
  close(std::exchange(file_, -1));
  // The oldest may be missing; renaming replaces existing files.
  for (std::int64_t number = files_ - 1; number >= 1; --number) {
    const std::string from = number == 1 ? path_ : Numbered(number - 1);
    std::rename(from.c_str(), Numbered(number).c_str());
  }
  if (files_ == 1) std::remove(path_.c_str());
  return Open();
}

absl::Status LogFile::Append(std::string_view lines) {
  if (absl::Status opened = Open(); !opened.ok()) return opened;
  const auto bytes = static_cast<std::int64_t>(lines.size());
  if (is_regular_ && size_ > 0 && size_ + bytes > max_bytes_) {
    if (absl::Status rotated = Rotate(); !rotated.ok()) return rotated;
  }
  if (is_torn_) {
    if (absl::Status ended = Write("\n"); !ended.ok()) return ended;
    is_torn_ = false;
  }
  return Write(lines);
}

absl::Status LogFile::Write(std::string_view lines) {
  std::string_view left = lines;
  while (!left.empty()) {
    const std::int64_t written = WriteSome(left);
    if (written <= 0) {
      absl::Status failure = Failure("written");
      if (left.size() < lines.size()) RepairTornLine();
      return failure;
    }
    left.remove_prefix(static_cast<std::size_t>(written));
  }
  if (is_regular_) size_ += static_cast<std::int64_t>(lines.size());
  return absl::OkStatus();
}

std::int64_t LogFile::WriteSome(std::string_view bytes) {
  if (is_regular_) return write(file_, bytes.data(), bytes.size());
  for (int polls = 0; polls < kMaxPolls && !stopping_.load(); ++polls) {
    pollfd ready = {file_, POLLOUT, 0};
    if (poll(&ready, 1, kPollMilliseconds) <= 0) continue;
    // Standard output stays blocking, because other processes share it. A pipe
    // with any room takes PIPE_BUF bytes without blocking.
    const std::size_t size = std::min<std::size_t>(bytes.size(), PIPE_BUF);
    const ssize_t sent =
        send(file_, bytes.data(), size, MSG_DONTWAIT | MSG_NOSIGNAL);
    const ssize_t written =
        sent < 0 && errno == ENOTSOCK ? write(file_, bytes.data(), size) : sent;
    if (written >= 0 || errno != EAGAIN) return written;
  }
  errno = ETIMEDOUT;
  return -1;
}

void LogFile::RepairTornLine() {
  is_torn_ = !is_regular_ || ftruncate(file_, size_) != 0;
}

}  // namespace mulligan
