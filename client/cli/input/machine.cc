#include "client/cli/input/machine.h"

#include <unistd.h>

#include <array>
#include <cstdlib>
#include <fstream>
#include <limits>
#include <string_view>
#include <vector>

#include "absl/strings/numbers.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_split.h"

namespace mulligan::cli {
namespace {

// Version 1 writes "no limit" as a number near the largest one.
constexpr std::int64_t kNoLimit = std::numeric_limits<std::int64_t>::max() / 2;

// Returns the folders that may be the caller's control group: its own path, and
// the top of the mount, which is its group in a container.
std::vector<std::string> GroupFolders() {
  std::vector<std::string> folders;
  std::ifstream groups("/proc/self/cgroup");
  for (std::string line; std::getline(groups, line);) {
    const std::vector<std::string> parts =
        absl::StrSplit(line, absl::MaxSplits(':', 2));
    if (parts.size() != 3) continue;
    const bool is_second = parts[0] == "0" && parts[1].empty();
    if (!is_second && parts[1] != "memory") continue;
    const std::string top =
        is_second ? "/sys/fs/cgroup" : "/sys/fs/cgroup/memory";
    folders.push_back(top + parts[2]);
    folders.push_back(top);
  }
  return folders;
}

// Returns the number after `name` in a file of "name number" lines. For an
// empty name, returns the first number that is alone on its line.
std::optional<std::int64_t> NumberIn(const std::string& path,
                                     std::string_view name) {
  std::ifstream file(path);
  for (std::string line; std::getline(file, line);) {
    const std::vector<std::string> words = absl::StrSplit(line, ' ');
    const bool found = name.empty() ? words.size() == 1
                                    : words.size() == 2 && words[0] == name;
    std::int64_t number = 0;
    if (found && absl::SimpleAtoi(words.back(), &number)) return number;
  }
  return std::nullopt;
}

std::string HostName() {
  std::array<char, 256> name{};
  if (gethostname(name.data(), name.size() - 1) != 0) return "localhost";
  return name.data();
}

}  // namespace

int CountDevices(const std::string& value) {
  int devices = 0;
  if (value.empty()) return devices;
  const std::vector<std::string> names = absl::StrSplit(value, ',');
  for (const std::string& one : names) {
    if (one.empty() || one[0] == '-') return devices;
    ++devices;
  }
  return devices;
}

Machine ReadMachine() {
  Machine machine;
  machine.name = HostName();
  if (const char* devices = std::getenv("CUDA_VISIBLE_DEVICES")) {
    machine.accelerators = CountDevices(devices);
  }
  for (const std::string& folder : GroupFolders()) {
    const auto events = NumberIn(folder + "/memory.events", "oom_kill");
    const auto control = NumberIn(folder + "/memory.oom_control", "oom_kill");
    if (!events && !control) continue;
    machine.oom_kills = events ? *events : *control;
    const auto limit = NumberIn(
        folder + (events ? "/memory.max" : "/memory.limit_in_bytes"), "");
    if (limit && *limit < kNoLimit) machine.memory_limit = *limit;
    return machine;
  }
  return machine;
}

}  // namespace mulligan::cli
