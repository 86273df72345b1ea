#include "policy/request/terminal.h"

#include <algorithm>
#include <string>

#include "policy/base/utf8.h"
#include "policy/request/container_ends.h"

namespace mulligan {
namespace {

namespace core = kubernetes::core::v1;

constexpr char kEscape = '\x1b';

bool Holds(const std::string& log) {
  return log.find(kEscape) != std::string::npos;
}

}  // namespace

bool HasEscapes(const v1::FailureReport& report) {
  return Holds(report.exit().message()) ||
         Holds(report.ray_job().status().message()) ||
         std::ranges::any_of(report.pods(), [](const core::Pod& pod) {
           bool found = false;
           ForEachEnd(pod.status(),
                      [&found](const core::ContainerStateTerminated& end) {
                        found = found || Holds(end.message());
                      });
           return found;
         });
}

void RemoveEscapes(v1::FailureReport& report) {
  const auto clean = [](std::string& log) {
    if (Holds(log)) log = WithoutEscapes(log);
  };
  if (report.has_exit()) clean(*report.mutable_exit()->mutable_message());
  if (report.ray_job().has_status()) {
    clean(*report.mutable_ray_job()->mutable_status()->mutable_message());
  }
  for (core::Pod& pod : *report.mutable_pods()) {
    ForEachEnd(*pod.mutable_status(),
               [&clean](core::ContainerStateTerminated& end) {
                 clean(*end.mutable_message());
               });
  }
}

}  // namespace mulligan
