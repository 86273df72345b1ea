// Shows the progress of a long read on a terminal.
#ifndef MULLIGAN_CLIENT_CLI_LOG_PROGRESS_BAR_H_
#define MULLIGAN_CLIENT_CLI_LOG_PROGRESS_BAR_H_

#include <chrono>
#include <functional>
#include <ostream>

#include "client/cli/log/log_reader.h"

namespace mulligan::cli {

// A line that is overwritten until it is wiped.
class ProgressBar {
 public:
  explicit ProgressBar(std::ostream& out) : out_(out) {}

  // Returns a function that shows its argument a few times a second; empty if
  // standard error is not a terminal. The bar must outlive it.
  std::function<void(const ReadProgress&)> IfTerminal();
  void Wipe();

 private:
  using Clock = std::chrono::steady_clock;

  void Show(const ReadProgress& progress);

  std::ostream& out_;
  const Clock::time_point start_ = Clock::now();
  Clock::time_point shown_ = start_;
  bool drawn_ = false;
};

}  // namespace mulligan::cli

#endif  // MULLIGAN_CLIENT_CLI_LOG_PROGRESS_BAR_H_
