#include "client/cli/log/progress_bar.h"

#include <unistd.h>

#include <algorithm>
#include <string>

#include "absl/strings/str_format.h"
#include "client/cli/base/numbers.h"

namespace mulligan::cli {
namespace {

constexpr std::size_t kWidth = 30;
constexpr char kWipe[] = "\x1b[K";

}  // namespace

std::function<void(const ReadProgress&)> ProgressBar::IfTerminal() {
  if (isatty(STDERR_FILENO) == 0) return nullptr;
  return [this](const ReadProgress& progress) { Show(progress); };
}

void ProgressBar::Show(const ReadProgress& progress) {
  const auto now = Clock::now();
  if (now - shown_ < std::chrono::milliseconds(200)) return;
  shown_ = now;
  const double seconds = std::chrono::duration<double>(now - start_).count();
  const double speed = static_cast<double>(progress.lines) / seconds;
  std::string line =
      absl::StrFormat("%s lines, %s a second", WithCommas(progress.lines),
                      WithCommas(static_cast<Count>(speed)));
  if (progress.bytes > 0 && progress.bytes_read > 0) {
    const double share =
        std::min(1.0, static_cast<double>(progress.bytes_read) /
                          static_cast<double>(progress.bytes));
    const auto filled = static_cast<std::size_t>(share * kWidth);
    line = absl::StrFormat("[%s%s] %3.0f %%  %s, %.0f s left",
                           std::string(filled, '#'),
                           std::string(kWidth - filled, '.'), 100 * share, line,
                           seconds / share - seconds);
  }
  out_ << "\r" << line << kWipe << std::flush;
  drawn_ = true;
}

void ProgressBar::Wipe() {
  if (drawn_) out_ << "\r" << kWipe << std::flush;
}

}  // namespace mulligan::cli
