#include "client/conformance/jobset_in_place.h"

#include <array>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "absl/strings/str_format.h"
#include "client/conformance/jobset_input.h"
#include "client/conformance/protos.h"
#include "policy/native/jobset_conditions.h"
#include "policy/native/jobset_in_place.h"

namespace mulligan::conformance {
namespace {

using jobset::Attempts;
using jobset::JobSet;
using jobset::JobSetStatus;
using jobset::Pod;

// Everything such a case may speak of.
struct InPlaceCase {
  JobSet job_set;
  std::vector<Pod> pods;
  Attempts attempts;
};

absl::StatusOr<Attempts> AttemptsFrom(const Json& input) {
  Attempts attempts;
  for (const char* const name : {"inPlaceRestartAttempts", "values"}) {
    if (!input.contains(name)) continue;
    for (const Json& attempt : input[name]) {
      if (!attempt.is_number_integer()) {
        return absl::InvalidArgumentError(absl::StrFormat(
            "%s: numbers are expected, got %s", name, attempt.dump()));
      }
      attempts.push_back(attempt.get<std::int32_t>());
    }
  }
  return attempts;
}

absl::StatusOr<InPlaceCase> CaseFrom(const Json& input) {
  absl::Status known = CheckOnlyMembers(
      input, "input",
      {"kind", "failurePolicy", "replicatedJobs", "status", "conditions",
       "pods", "inPlaceRestartAttempts", "values"});
  if (!known.ok()) return known;
  InPlaceCase result;
  auto job_set = JobSetFrom(input);
  if (!job_set.ok()) return job_set.status();
  result.job_set = *std::move(job_set);
  auto pods = PodsFrom(input.value("pods", Json::array()));
  if (!pods.ok()) return pods.status();
  result.pods = *std::move(pods);
  auto attempts = AttemptsFrom(input);
  if (!attempts.ok()) return attempts.status();
  result.attempts = *std::move(attempts);
  return result;
}

Json Error(const absl::Status& status) {
  return {{"error", true}, {"errorMessage", std::string(status.message())}};
}

Json AttemptFacts(const JobSetStatus& status, bool updated) {
  Json facts = {{"currentInPlaceRestartAttempt", nullptr},
                {"previousInPlaceRestartAttempt", nullptr},
                {"updated", updated}};
  if (status.has_current_in_place_restart_attempt()) {
    facts["currentInPlaceRestartAttempt"] =
        status.current_in_place_restart_attempt();
  }
  if (status.has_previous_in_place_restart_attempt()) {
    facts["previousInPlaceRestartAttempt"] =
        status.previous_in_place_restart_attempt();
  }
  return facts;
}

Json Exceeded(const InPlaceCase& c) {
  return {{"exceeded", jobset::ExceedsMaxRestarts(
                           c.job_set.spec(), c.job_set.status(), c.attempts)}};
}

Json Strategy(const InPlaceCase& c) {
  return {{"inPlace", jobset::IsInPlace(c.job_set.spec())}};
}

Json MaxRestartCount(const InPlaceCase& c) {
  return {{"maxRestartCount", jobset::MaxRestartCount(PointersTo(c.pods))}};
}

Json PodAttempts(const InPlaceCase& c) {
  const auto attempts = jobset::InPlaceAttempts(PointersTo(c.pods));
  if (!attempts.ok()) return Error(attempts.status());
  return {{"attempts", *attempts}, {"error", nullptr}};
}

Json TotalPods(const InPlaceCase& c) {
  const auto total = jobset::ExpectedPods(c.job_set.spec());
  if (!total.ok()) return Error(total.status());
  return {{"total", *total}, {"error", nullptr}};
}

Json AllEqual(const InPlaceCase& c) {
  return {{"allEqual", jobset::AreEqual(c.attempts)}};
}

Json Current(const InPlaceCase& c) {
  JobSetStatus status = c.job_set.status();
  const bool updated = jobset::UpdateCurrentAttempt(c.attempts, status);
  return AttemptFacts(status, updated);
}

Json Previous(const InPlaceCase& c) {
  JobSetStatus status = c.job_set.status();
  const bool updated = jobset::UpdatePreviousAttempt(c.attempts, status);
  return AttemptFacts(status, updated);
}

Json Reconcile(const InPlaceCase& c) {
  JobSetStatus status = c.job_set.status();
  jobset::StatusChange change{status, JobSetNow(), true, false, {}};
  const absl::Status done =
      jobset::ReconcileInPlace(c.job_set.spec(), PointersTo(c.pods), change);
  if (!done.ok()) return Error(done);
  Json facts = AttemptFacts(status, change.updated);
  const auto* const failed =
      jobset::FindCondition(status.conditions(), jobset::kFailed);
  facts["terminalState"] =
      status.terminal_state().empty() ? Json() : Json(status.terminal_state());
  facts["reason"] = failed == nullptr ? Json() : Json(failed->reason());
  facts["message"] = failed == nullptr ? Json() : Json(failed->message());
  facts["error"] = nullptr;
  return facts;
}

struct Kind {
  std::string_view name;
  Json (*facts)(const InPlaceCase&);
};

constexpr std::array<Kind, 9> kKinds = {{
    {"exceeded", Exceeded},
    {"strategy", Strategy},
    {"max-restart-count", MaxRestartCount},
    {"attempts", PodAttempts},
    {"total-pods", TotalPods},
    {"all-equal", AllEqual},
    {"current", Current},
    {"previous", Previous},
    {"reconcile", Reconcile},
}};

}  // namespace

std::optional<absl::StatusOr<Json>> InPlaceFacts(std::string_view name,
                                                 const CaseInput& input) {
  for (const Kind& kind : kKinds) {
    if (kind.name != name) continue;
    const absl::StatusOr<InPlaceCase> parsed = CaseFrom(input.input);
    if (!parsed.ok()) return parsed.status();
    return kind.facts(*parsed);
  }
  return std::nullopt;
}

}  // namespace mulligan::conformance
