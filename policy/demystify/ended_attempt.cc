#include "policy/demystify/ended_attempt.h"

#include <charconv>
#include <cstddef>
#include <cstdint>
#include <utility>

#include "absl/strings/str_cat.h"
#include "policy/base/times.h"
#include "policy/base/utf8.h"
#include "policy/demystify/signatures/tables.h"
#include "policy/request/kubernetes_codec.h"

namespace mulligan::demystify {
namespace {

namespace core = kubernetes::core::v1;
using google::protobuf::Timestamp;

// Returns "4Gi" for 4294967296.
std::string MemoryText(std::int64_t bytes) {
  constexpr std::pair<int, const char*> kUnits[] = {
      {30, "Gi"}, {20, "Mi"}, {10, "Ki"}};
  for (const auto& [bits, unit] : kUnits) {
    const std::int64_t size = std::int64_t{1} << bits;
    if (bytes % size == 0) return absl::StrCat(bytes / size, unit);
  }
  return absl::StrCat(bytes);
}

bool EndedWell(const v1::EndedAttempt& attempt, const Signature* row) {
  if (attempt.signal() != 0 || attempt.exit_code() != 0) return false;
  if (row != nullptr) return row->cause == v1::SUCCEEDED;
  return attempt.has_exit_code();
}

const Timestamp& AtMost(const Timestamp& now, const Timestamp& time,
                        const char* field, std::vector<std::string>& warnings) {
  if (ToTime(time) <= ToTime(now)) return time;
  warnings.push_back(absl::StrCat("report.endedAttempt.", field,
                                  " is later than the report: the time of the "
                                  "report is taken"));
  return now;
}

void AddResources(const v1::EndedAttempt& attempt, core::Pod& pod) {
  core::Container& container = *pod.mutable_spec()->add_containers();
  if (!attempt.has_accelerators() && attempt.memory_bytes() == 0) return;
  auto& limits = *container.mutable_resources()->mutable_limits();
  if (attempt.accelerators() > 0) {
    limits["mulligan.dev/gpu"].set_string_value(
        absl::StrCat(attempt.accelerators()));
  }
  if (attempt.memory_bytes() > 0) {
    limits["memory"].set_string_value(MemoryText(attempt.memory_bytes()));
  }
}

// Returns the exit code that the scheduler's sentence ends with, if there is no
// other: "... is updated from RUNNING to FAILED with exit code 50002."; else 0.
std::int32_t ExitCodeOf(const v1::EndedAttempt& attempt) {
  if (attempt.has_exit_code() || attempt.signal() != 0) {
    return attempt.exit_code();
  }
  constexpr std::string_view kBefore = " with exit code ";
  const std::string& reason = attempt.reason();
  const std::size_t at = reason.rfind(kBefore);
  if (at == reason.npos) return 0;
  std::int32_t code = 0;
  const char* const first = reason.data() + at + kBefore.size();
  std::from_chars(first, reason.data() + reason.size(), code);
  return code;
}

// Commands that no scheduler runs have states, too.
std::string_view SchedulerOf(const v1::EndedAttempt& attempt) {
  return attempt.scheduler().empty() ? std::string_view("command")
                                     : std::string_view(attempt.scheduler());
}

}  // namespace

const Signature* FindSchedulerWord(const v1::EndedAttempt& attempt,
                                   std::string_view& word) {
  const Signature* found = nullptr;
  const std::string_view reason = attempt.reason();
  for (const std::string_view value :
       {std::string_view(attempt.state()), reason,
        // "BlobDownloadTimedOut: A timeout occurred".
        reason.substr(0, reason.find(':'))}) {
    const Signature* row = FindSchedulerState(SchedulerOf(attempt), value);
    if (row == nullptr || (found != nullptr && row->tier <= found->tier)) {
      continue;
    }
    found = row;
    word = value;
  }
  return found;
}

std::vector<std::string> AddPodOfAttempt(const Timestamp& now,
                                         v1::FailureReport& report) {
  std::vector<std::string> warnings;
  const v1::EndedAttempt& attempt = report.ended_attempt();
  core::Pod& pod = *report.add_pods();
  if (!attempt.id().empty()) {
    const std::string id =
        absl::StrCat(std::string(SchedulerOf(attempt)), "/", attempt.id());
    pod.mutable_metadata()->set_uid(id);
    if (report.failure_id().empty()) report.set_failure_id(id);
  }
  if (!attempt.failed_node().empty() || attempt.nodes_size() == 1) {
    pod.mutable_spec()->set_node_name(attempt.failed_node().empty()
                                          ? attempt.nodes(0)
                                          : attempt.failed_node());
  }
  AddResources(attempt, pod);
  core::PodStatus& status = *pod.mutable_status();
  std::string_view word;
  const Signature* row = FindSchedulerWord(attempt, word);
  const bool succeeded = EndedWell(attempt, row);
  status.set_phase(succeeded ? "Succeeded" : "Failed");
  status.set_reason(attempt.state());
  status.set_message(attempt.reason());
  const auto started = AtMost(now, attempt.started_at(), "startedAt", warnings);
  const auto ended = AtMost(now, attempt.ended_at(), "endedAt", warnings);
  if (IsSet(started)) *status.mutable_start_time() = started;
  // A code of 0 says nothing about an attempt that failed.
  const std::int32_t exit_code = ExitCodeOf(attempt);
  if (succeeded || exit_code != 0 || attempt.signal() != 0) {
    core::ContainerStateTerminated& end =
        *status.add_container_statuses()->mutable_state()->mutable_terminated();
    end.set_exit_code(exit_code);
    end.set_signal(attempt.signal());
    end.set_message(attempt.log_tail());
    if (IsSet(started)) *end.mutable_started_at() = started;
    if (IsSet(ended)) *end.mutable_finished_at() = ended;
  }
  if (report.workload().kind().empty()) {
    report.mutable_workload()->set_kind(std::string(SchedulerOf(attempt)));
  }
  if (row == nullptr && !attempt.state().empty()) {
    warnings.push_back(absl::StrCat(
        "report.endedAttempt.state ", Excerpt(attempt.state()), " of ",
        std::string(SchedulerOf(attempt)),
        " is not known to this version: the rest of the attempt decides"));
  }
  if (attempt.max_attempts() > 0 &&
      attempt.next() == v1::EndedAttempt::NEXT_UNSPECIFIED &&
      report.attempt() >= attempt.max_attempts()) {
    warnings.push_back(absl::StrCat(
        "this was attempt ", report.attempt(), " of ", attempt.max_attempts(),
        " that the scheduler makes: another one is the caller's to start"));
  }
  return warnings;
}

std::string PathInAttempt(const v1::EndedAttempt& attempt,
                          std::string_view path) {
  constexpr std::pair<std::string_view, const char*> kFields[] = {
      {".status.reason", "state"}, {".status.message", "reason"},
      {".message", "logTail"},     {".nodeName", "failedNode"},
      {".exitCode", "exitCode"},
  };
  const char* field =
      attempt.has_exit_code() || attempt.state().empty() ? "exitCode" : "state";
  for (const auto& [leaf, name] : kFields) {
    if (!path.ends_with(leaf)) continue;
    field = name;
    break;
  }
  if (std::string_view(field) == "exitCode" && attempt.exit_code() == 0) {
    if (attempt.signal() != 0) field = "signal";
    if (ExitCodeOf(attempt) != 0) field = "reason";
  }
  return absl::StrCat("endedAttempt.", field);
}

}  // namespace mulligan::demystify
