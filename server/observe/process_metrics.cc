#include "server/observe/process_metrics.h"

#include <sys/resource.h>
#include <unistd.h>

#include <cstdint>
#include <filesystem>
#include <fstream>
#include <optional>
#include <sstream>
#include <string>
#include <system_error>
#include <utility>

#include "server/observe/metric_table.h"

namespace mulligan {
namespace {

// The fields of /proc/self/stat that are used; see proc(5).
struct ProcStat {
  double cpu_seconds = 0;
  double start_seconds_after_boot = 0;
  double virtual_bytes = 0;
  double resident_bytes = 0;
};

std::optional<ProcStat> ReadProcStat() {
  std::ifstream file("/proc/self/stat");
  std::string text;
  if (!std::getline(file, text)) return std::nullopt;
  // The command name, in parentheses, may contain spaces. Field 3 follows it.
  const std::size_t name_end = text.rfind(')');
  if (name_end == std::string::npos) return std::nullopt;
  std::istringstream fields(text.substr(name_end + 1));
  std::string skipped;
  for (int field = 3; field < 14; ++field) fields >> skipped;
  std::uint64_t user = 0;
  std::uint64_t system = 0;
  fields >> user >> system;
  for (int field = 16; field < 22; ++field) fields >> skipped;
  std::uint64_t start = 0;
  std::uint64_t virtual_bytes = 0;
  std::uint64_t resident_pages = 0;
  fields >> start >> virtual_bytes >> resident_pages;
  if (!fields) return std::nullopt;
  const auto ticks = static_cast<double>(sysconf(_SC_CLK_TCK));
  ProcStat stat;
  stat.cpu_seconds = static_cast<double>(user + system) / ticks;
  stat.start_seconds_after_boot = static_cast<double>(start) / ticks;
  stat.virtual_bytes = static_cast<double>(virtual_bytes);
  stat.resident_bytes = static_cast<double>(resident_pages) *
                        static_cast<double>(sysconf(_SC_PAGESIZE));
  return stat;
}

std::optional<double> ReadBootTime() {
  std::ifstream file("/proc/stat");
  std::string key;
  while (file >> key) {
    if (key == "btime") {
      double seconds = 0;
      if (file >> seconds) return seconds;
      return std::nullopt;
    }
    std::getline(file, key);
  }
  return std::nullopt;
}

std::optional<double> CountOpenFds() {
  std::error_code error;
  std::filesystem::directory_iterator entry("/proc/self/fd", error);
  if (error) return std::nullopt;
  double count = 0;
  for (; entry != std::filesystem::directory_iterator();
       entry.increment(error)) {
    if (error) return std::nullopt;
    ++count;
  }
  return count;
}

void Append(MetricId id, double value,
            std::vector<prometheus::MetricFamily>& families) {
  prometheus::MetricFamily family;
  family.name = InfoOf(id).name;
  family.help = InfoOf(id).help;
  prometheus::ClientMetric metric;
  if (InfoOf(id).type == MetricType::kCounter) {
    family.type = prometheus::MetricType::Counter;
    metric.counter.value = value;
  } else {
    family.type = prometheus::MetricType::Gauge;
    metric.gauge.value = value;
  }
  family.metric.push_back(std::move(metric));
  families.push_back(std::move(family));
}

}  // namespace

std::vector<prometheus::MetricFamily> CollectProcessMetrics() {
  std::vector<prometheus::MetricFamily> families;
  if (const auto stat = ReadProcStat(); stat.has_value()) {
    Append(MetricId::kProcessCpu, stat->cpu_seconds, families);
    Append(MetricId::kProcessResidentMemory, stat->resident_bytes, families);
    Append(MetricId::kProcessVirtualMemory, stat->virtual_bytes, families);
    if (const auto boot = ReadBootTime(); boot.has_value()) {
      Append(MetricId::kProcessStartTime,
             *boot + stat->start_seconds_after_boot, families);
    }
  }
  if (const auto fds = CountOpenFds(); fds.has_value()) {
    Append(MetricId::kProcessOpenFds, *fds, families);
  }
  rlimit limit{};
  if (getrlimit(RLIMIT_NOFILE, &limit) == 0) {
    Append(MetricId::kProcessMaxFds, static_cast<double>(limit.rlim_cur),
           families);
  }
  return families;
}

}  // namespace mulligan
