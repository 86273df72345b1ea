// What this machine says of the processes that it runs for the caller.
#ifndef MULLIGAN_CLIENT_CLI_INPUT_MACHINE_H_
#define MULLIGAN_CLIENT_CLI_INPUT_MACHINE_H_

#include <cstdint>
#include <optional>
#include <string>

namespace mulligan::cli {

struct Machine {
  std::string name;
  // Of the control group that the caller is in, version 1 or 2: how often the
  // kernel killed in it for memory, and its limit in bytes, 0 if it has none.
  std::int64_t oom_kills = 0;
  std::int64_t memory_limit = 0;
  // CUDA_VISIBLE_DEVICES; absent if that is not set.
  std::optional<int> accelerators;
};

Machine ReadMachine();

// Returns how many devices a value of CUDA_VISIBLE_DEVICES names, which ends at
// the first one that is invalid ("-1").
int CountDevices(const std::string& value);

}  // namespace mulligan::cli

#endif  // MULLIGAN_CLIENT_CLI_INPUT_MACHINE_H_
