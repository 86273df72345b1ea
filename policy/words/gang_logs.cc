// Advice for a gang without a known root.
#include <algorithm>
#include <cstddef>
#include <limits>
#include <string>
#include <tuple>
#include <vector>

#include "absl/strings/str_cat.h"
#include "absl/strings/str_join.h"
#include "policy/base/shell.h"
#include "policy/demystify/causes.h"
#include "policy/demystify/readers/ended_container.h"
#include "policy/words/remedies.h"

namespace mulligan::words {
namespace {

namespace core = kubernetes::core::v1;

constexpr std::size_t kMaxLogs = 2;

// Returns whether logs do not help, or stacks help more.
bool LogsDoNotHelp(v1::Cause cause) {
  return cause == v1::HANG || RowOf(cause).gang == GangClass::kUnexplained;
}

constexpr std::string_view kFallback = "FallbackToLogsOnError";

struct FailedEnd {
  long long at = std::numeric_limits<long long>::max();
  // It has no termination message.
  bool silent = false;
  LogPlace log;
};

bool KeepsLog(const core::Pod& pod, const std::string& container) {
  return std::ranges::any_of(pod.spec().containers(), [&](const auto& spec) {
    return spec.name() == container &&
           spec.termination_message_policy() == kFallback;
  });
}

// Returns the failed ends of `container`, or of all containers if empty.
std::vector<FailedEnd> FailedEnds(const core::Pod& pod,
                                  const std::string& container) {
  std::vector<FailedEnd> ends;
  for (const core::ContainerStatus& status :
       pod.status().container_statuses()) {
    if (!container.empty() && status.name() != container) continue;
    const bool restarted = !status.state().has_terminated();
    const auto& end = restarted ? status.last_state().terminated()
                                : status.state().terminated();
    if (end.exit_code() == 0 || demystify::IsInPlaceRestart(end)) continue;
    FailedEnd& bad = ends.emplace_back();
    if (end.finished_at().seconds() > 0) bad.at = end.finished_at().seconds();
    bad.silent = end.message().empty();
    bad.log = {pod.metadata().namespace_(), pod.metadata().name(),
               status.name(), restarted};
  }
  return ends;
}

// Returns the number of the Job's pods that the report lacks.
long long MissingMembers(const v1::FailureReport& report) {
  if (report.jobs_size() != 1) return 0;
  const long long wanted = report.jobs(0).spec().parallelism();
  return wanted - report.pods_size();
}

}  // namespace

Remedy RemedyOfGang(const Answered& answered) {
  const v1::FailureReport& report = answered.report();
  const demystify::Candidate* naming = answered.naming();
  const bool of_pods =
      naming != nullptr && naming->place.root == demystify::Root::kPods;
  if (answered.failure.situation != v1::Diagnosis::BROKEN || !of_pods ||
      !answered.failure.culprit.pod.empty() ||
      LogsDoNotHelp(answered.failure.cause)) {
    return {};
  }
  std::vector<FailedEnd> ends;
  bool kept = true;
  for (const core::Pod& pod : report.pods()) {
    for (FailedEnd& end : FailedEnds(pod, answered.failure.culprit.container)) {
      kept &= KeepsLog(pod, end.log.container);
      ends.push_back(std::move(end));
    }
  }
  if (ends.size() < 2) return {};
  // A silent member may hide more than one that reports another's death.
  std::ranges::stable_sort(ends, [](const FailedEnd& a, const FailedEnd& b) {
    return std::make_tuple(!a.silent, a.at) < std::make_tuple(!b.silent, b.at);
  });
  ends.resize(std::min(ends.size(), kMaxLogs));
  std::vector<std::string> commands;
  for (const FailedEnd& end : ends) commands.push_back(LogCommand(end.log));
  Remedy remedy;
  remedy.actor = v1::FirstStep::USER;
  remedy.command = commands.front();
  remedy.step = absl::StrCat("read the logs of its members, first: ",
                             absl::StrJoin(commands, "; "));
  if (!kept) {
    absl::StrAppend(&remedy.step,
                    "; with terminationMessagePolicy: ", std::string(kFallback),
                    " the next report includes their ends");
  }
  if (const long long missing = MissingMembers(report); missing > 0) {
    absl::StrAppend(&remedy.step, "; ", missing,
                    " members are not in the report: include them");
  }
  return remedy;
}

}  // namespace mulligan::words
