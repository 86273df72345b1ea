#include "policy/request/terminal.h"

#include <algorithm>

#include "policy/base/utf8.h"
#include "policy/request/container_ends.h"
#include "policy/request/kinds.h"

namespace mulligan {

namespace core = kubernetes::core::v1;

bool HasEscapes(const v1::FailureReport& report) {
  if (ContainsEscape(report.exit().message())) return true;
  bool found = false;
  for (const core::Pod& pod : report.pods()) {
    ForEachEnd(pod.status(),
               [&found](const core::ContainerStateTerminated& end) {
                 found = found || ContainsEscape(end.message());
               });
  }
  return found || std::ranges::any_of(Kinds(), [&](const Kind& kind) {
           return kind.clean != nullptr && kind.clean(report, nullptr);
         });
}

void RemoveEscapes(v1::FailureReport& report) {
  if (report.has_ended_attempt()) {
    report.mutable_ended_attempt()->set_log_tail(
        WithoutEscapes(report.ended_attempt().log_tail()));
  }
  if (report.has_exit()) {
    report.mutable_exit()->set_message(WithoutEscapes(report.exit().message()));
  }
  for (core::Pod& pod : *report.mutable_pods()) {
    if (!pod.has_status()) continue;
    ForEachEnd(*pod.mutable_status(), [](core::ContainerStateTerminated& end) {
      if (ContainsEscape(end.message())) {
        end.set_message(WithoutEscapes(end.message()));
      }
    });
  }
  for (const Kind& kind : Kinds()) {
    if (kind.clean != nullptr) kind.clean(report, &report);
  }
}

}  // namespace mulligan
