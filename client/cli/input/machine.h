// Reads facts about this machine and the caller's control group.
#ifndef MULLIGAN_CLIENT_CLI_INPUT_MACHINE_H_
#define MULLIGAN_CLIENT_CLI_INPUT_MACHINE_H_

#include <cstdint>
#include <optional>
#include <string>

namespace mulligan::cli {

struct Machine {
  std::string name;
  // Of the caller's control group, version 1 or 2: the number of OOM kills, and
  // the memory limit in bytes (0 if unlimited).
  std::int64_t oom_kills = 0;
  std::int64_t memory_limit = 0;
  // Devices in CUDA_VISIBLE_DEVICES; absent if it is not set.
  std::optional<int> accelerators;
};

Machine ReadMachine();

// Returns the number of devices in a value of CUDA_VISIBLE_DEVICES before the
// first invalid one ("-1").
int CountDevices(const std::string& value);

}  // namespace mulligan::cli

#endif  // MULLIGAN_CLIENT_CLI_INPUT_MACHINE_H_
