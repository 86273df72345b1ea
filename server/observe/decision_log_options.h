// Options of the decision log.
#ifndef MULLIGAN_SERVER_OBSERVE_DECISION_LOG_OPTIONS_H_
#define MULLIGAN_SERVER_OBSERVE_DECISION_LOG_OPTIONS_H_

#include <cstdint>
#include <string>
#include <vector>

namespace mulligan {

struct DecisionLogOptions {
  // File to append to; "-" is standard output; "off" disables the log.
  std::string path = "off";
  // Bytes after which the next file is started.
  std::int64_t max_file_bytes = std::int64_t{100} << 20;
  // Files kept, including the current one.
  std::int64_t files = 10;
  // Most bytes of decisions that wait to be written.
  std::int64_t queue_bytes = std::int64_t{32} << 20;
  // Share of workloads that are logged, 0 to 1.
  double sample = 1;
  // Fields of DecisionRecord that are blanked (server/observe/redaction.h).
  std::vector<std::string> redact;

  bool enabled() const { return path != "off"; }
};

}  // namespace mulligan

#endif  // MULLIGAN_SERVER_OBSERVE_DECISION_LOG_OPTIONS_H_
