#include "tests/benchmark/load/process_usage.h"

#include <time.h>

#include <fstream>
#include <string>

#include "absl/strings/str_format.h"

namespace mulligan::load {

double CpuSeconds(int pid) {
  clockid_t clock = 0;
  timespec used{};
  if (pid == 0 || clock_getcpuclockid(pid, &clock) != 0 ||
      clock_gettime(clock, &used) != 0) {
    return 0;
  }
  return static_cast<double>(used.tv_sec) +
         static_cast<double>(used.tv_nsec) * 1e-9;
}

long ResidentKib(int pid) {
  std::ifstream status(absl::StrFormat("/proc/%d/status", pid));
  constexpr char kKey[] = "VmRSS:";
  for (std::string line; std::getline(status, line);) {
    if (line.starts_with(kKey)) return std::stol(line.substr(sizeof(kKey) - 1));
  }
  return 0;
}

}  // namespace mulligan::load
