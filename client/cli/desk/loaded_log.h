// The recorded decisions that the playground compares with.
#ifndef MULLIGAN_CLIENT_CLI_DESK_LOADED_LOG_H_
#define MULLIGAN_CLIENT_CLI_DESK_LOADED_LOG_H_

#include <cstddef>
#include <string>
#include <string_view>
#include <vector>

#include "absl/status/statusor.h"
#include "client/cli/replay/replay.h"
#include "policy/base/pattern_allowance.h"
#include "policy/rules/policy_set.h"

namespace mulligan::cli {

// The first records of a log. Immutable.
struct LoadedLog {
  static constexpr std::size_t kMaxRecords = 5000;
  static constexpr std::size_t kMaxBytes = std::size_t{128} << 20;

  struct Line {
    LogPosition place;
    std::string text;
    // Why the line, or the rest of its file, cannot be read; else empty.
    std::string error = {};
  };

  // The file names of the log.
  std::string name;
  std::vector<Line> lines;
  std::size_t bytes = 0;
  // The log had more records.
  bool is_cut = false;
};

// Reads logs, compressed or not, from the paths that FindLogs accepts.
absl::StatusOr<LoadedLog> ReadLogs(const std::vector<std::string>& paths);
// Reads the content of a file from elsewhere. RESOURCE_EXHAUSTED if there is no
// memory for it.
absl::StatusOr<LoadedLog> LogOf(std::string name, std::string_view bytes);

struct Compared {
  ReplayResult result;
  // Lines that were not compared for lack of time.
  std::size_t left = 0;
};

// Decides all records again under `policies`, as `mulligan replay` does, until
// `watch` ends it.
Compared Compare(const LoadedLog& log, const PolicySet& policies, Watch& watch);

}  // namespace mulligan::cli

#endif  // MULLIGAN_CLIENT_CLI_DESK_LOADED_LOG_H_
