#include "client/conformance/kubernetes_facts.h"

#include <algorithm>
#include <array>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "absl/strings/str_format.h"
#include "absl/time/time.h"
#include "client/conformance/protos.h"
#include "policy/native/kubernetes_time.h"

namespace mulligan::conformance {
namespace {

using kubernetes_job::TimeOf;
using kubernetes_job::TimestampOf;

// Gates of Jobs that change names, labels, metrics or the API only.
constexpr std::array<std::string_view, 5> kGatesWithoutEffect = {
    "ElasticIndexedJob", "JobReadyPods", "JobTrackingWithFinalizers",
    "PodIndexLabel", "PodDisruptionConditions"};

absl::Status ReadSeconds(const Json& input, const char* name,
                         absl::Duration& duration) {
  const auto parsed = DurationFrom(Member(input, name), name);
  if (!parsed.ok()) return parsed.status();
  duration =
      absl::Seconds(parsed->seconds()) + absl::Nanoseconds(parsed->nanos());
  return absl::OkStatus();
}

}  // namespace

const Json& Member(const Json& input, const char* name) {
  static const Json& null = *new Json();
  const auto found = input.find(name);
  return found == input.end() ? null : *found;
}

absl::Status ReadGates(const Json& json, kubernetes_job::Gates& gates) {
  if (json.is_null()) return absl::OkStatus();
  for (const auto& [name, enabled] : json.items()) {
    if (!enabled.is_boolean()) {
      return absl::InvalidArgumentError(
          absl::StrFormat("featureGates.%s: true or false is expected", name));
    }
    if (!SetGate(name, enabled.get<bool>(), gates) &&
        std::find(kGatesWithoutEffect.begin(), kGatesWithoutEffect.end(),
                  name) == kGatesWithoutEffect.end()) {
      return absl::UnimplementedError(
          absl::StrFormat("featureGates.%s: gate not understood", name));
    }
  }
  return absl::OkStatus();
}

absl::Status ReadRecord(const Json& json,
                        kubernetes_job::BackoffRecord& record) {
  if (json.is_null()) return absl::OkStatus();
  if (!json.is_object()) {
    return absl::InvalidArgumentError(
        "back-off record: a JSON object is expected");
  }
  const Json failures = json.value("failuresAfterLastSuccess", Json(0));
  if (!failures.is_number_integer()) {
    return absl::InvalidArgumentError(
        "failuresAfterLastSuccess: an integer is expected");
  }
  record.failures_after_last_success = failures.get<std::int64_t>();
  const Json last = json.value("lastFailureTime", Json());
  if (last.is_null()) return absl::OkStatus();
  const auto time = TimestampFrom(last, "lastFailureTime");
  if (!time.ok()) return time.status();
  record.last_failure = TimeOf(*time);
  return absl::OkStatus();
}

absl::StatusOr<std::vector<absl::Time>> ReadTimes(const Json& json,
                                                  std::string_view what) {
  std::vector<absl::Time> times;
  for (const Json& each : json) {
    const auto time = TimestampFrom(each, what);
    if (!time.ok()) return time.status();
    times.push_back(TimeOf(*time));
  }
  return times;
}

absl::StatusOr<Clock> ReadClock(const Json& input) {
  Clock clock;
  if (!Member(input, "currentTime").is_null()) {
    const auto now = TimestampFrom(Member(input, "currentTime"), "currentTime");
    if (!now.ok()) return now.status();
    clock.now = TimeOf(*now);
  }
  absl::Status status =
      ReadSeconds(input, "defaultBackoffSeconds", clock.settings.base);
  if (!status.ok()) return status;
  status = ReadSeconds(input, "maxBackoffSeconds", clock.settings.cap);
  if (!status.ok()) return status;
  return clock;
}

absl::StatusOr<PodList> PodList::From(const Json& json) {
  PodList list;
  for (const Json& each : json) {
    absl::Status status =
        FillFrom(each, absl::StrFormat("pods[%d]", list.pods_.size()),
                 list.pods_.emplace_back());
    if (!status.ok()) return status;
  }
  for (const auto& pod : list.pods_) list.pointers_.push_back(&pod);
  return list;
}

Json TimeFact(std::optional<absl::Time> time) {
  return time.has_value() ? TimestampJson(TimestampOf(*time)) : Json();
}

Json DelayFact(absl::Duration delay) {
  const std::int64_t seconds = absl::ToInt64Seconds(delay);
  if (absl::Seconds(seconds) == delay) return seconds;
  return absl::ToDoubleSeconds(delay);
}

Json SyncFacts(const kubernetes_job::SyncResult& result) {
  const auto& status = result.status;
  Json conditions = Json::array();
  for (const auto& condition : status.conditions()) {
    conditions.push_back({{"type", condition.type()},
                          {"status", condition.status()},
                          {"reason", condition.reason()},
                          {"message", condition.message()}});
  }
  const auto time = [](bool present, const auto& timestamp) {
    return present ? TimestampJson(timestamp) : Json();
  };
  const auto& uncounted = status.uncounted_terminated_pods();
  const auto list = [](const auto& uids) {
    return std::vector<std::string>(uids.begin(), uids.end());
  };
  return Json{
      {"active", status.active()},
      {"ready", status.ready()},
      {"succeeded", status.succeeded()},
      {"failed", status.failed()},
      {"terminating",
       status.has_terminating() ? Json(status.terminating()) : Json()},
      {"completedIndexes", status.completed_indexes()},
      {"failedIndexes",
       status.has_failed_indexes() ? Json(status.failed_indexes()) : Json()},
      {"conditions", std::move(conditions)},
      {"startTime", time(status.has_start_time(), status.start_time())},
      {"completionTime",
       time(status.has_completion_time(), status.completion_time())},
      {"uncountedTerminatedPods",
       {{"succeeded", list(uncounted.succeeded())},
        {"failed", list(uncounted.failed())}}},
      {"deletedPods", result.deleted_pods.size()},
      {"createdPods", result.created_pods},
      {"createdIndexes", result.created_indexes},
      {"delaySeconds", DelayFact(result.delay)},
      {"failuresAfterLastSuccess", result.record.failures_after_last_success},
  };
}

Json ValidationFacts(const FieldErrors& errors) {
  Json texts = Json::array();
  for (const FieldError& error : errors) {
    // CheckNonNegative() words its refusals with this one rule.
    const bool is_short = error.type == FieldError::Type::kInvalid &&
                          error.detail == "must be greater than or equal to 0";
    texts.push_back(is_short
                        ? absl::StrFormat("%s:%s", error.field, error.detail)
                        : FormatFieldError(error));
  }
  return Json{{"valid", errors.empty()},
              {"error", errors.empty() ? Json() : texts.front()},
              {"errors", texts}};
}

}  // namespace mulligan::conformance
