#include "client/conformance/flyte_launch.h"

#include <array>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "absl/status/status.h"
#include "absl/strings/str_format.h"
#include "policy/native/flyte_error_file.h"
#include "policy/native/flyte_launch.h"
#include "policy/native/flyte_node.h"
#include "policy/native/flyte_quota.h"

namespace mulligan::conformance {
namespace {

using flyte::ErrorKind;
using flyte::Phase;

// Kind of the object whose creation failed; Pod where the case has none.
std::string CreatedKind(Members& input) {
  if (!input.Get("createError").is_object()) return "Pod";
  return input.Get("createError").value("kind", "Pod");
}

flyte::Quantities QuantitiesFrom(const std::string& name, Members& input) {
  flyte::Quantities quantities;
  for (const auto& [resource, amount] : input.Get(name).items()) {
    const auto quantity = flyte::ParseQuantity(
        amount.is_string() ? amount.get<std::string>() : amount.dump());
    if (quantity.has_value()) {
      quantities[resource] = *quantity;
    } else {
      input.Note(absl::InvalidArgumentError(absl::StrFormat(
          "input.%s.%s: not a quantity: %s", name, resource, amount.dump())));
    }
  }
  return quantities;
}

flyte::ApiError CreateErrorFrom(Members& input) {
  return ApiErrorFrom("createError", input).value_or(flyte::ApiError());
}

// The plugin's phase, or the error it returned. `pluginError` is its text, or
// true.
flyte::PhaseResult PluginResult(Members& input) {
  const Json& error = input.Get("pluginError");
  const Phase phase = input.PhaseOf("pluginPhase");
  if (error.is_string()) return absl::UnknownError(error.get<std::string>());
  if (error == Json(true)) return absl::UnknownError("plugin error");
  if (flyte::IsFailure(phase)) {
    flyte::PhaseInfo info = flyte::InPhase(phase);
    info.error = ExecutionErrorFrom(input.Get("error"), input);
    return info;
  }
  return flyte::InPhase(phase);
}

// The peer's mock reader: an error of which only isRecoverable is sure.
std::optional<flyte::TaskError> TaskErrorFrom(const Json& json,
                                              Members& input) {
  if (json.is_null()) return std::nullopt;
  if (!json.contains("isRecoverable")) {
    const auto file = ErrorFileFrom(json, input);
    return flyte::ReadErrorFiles({*file});
  }
  Members members(json, "input.errorFile");
  const bool recoverable = members.Flag("isRecoverable");
  // Without an error of its own it is the unknown one.
  std::string code = members.Text("code", "Unknown");
  std::string message = members.Text("message", "Unknown");
  const ErrorKind kind = members.Kind("kind", ErrorKind::kUnknown);
  input.Note(members.Finish());
  return flyte::TaskError{
      recoverable
          ? flyte::RetryableFailure(kind, std::move(code), std::move(message))
          : flyte::PermanentFailure(kind, std::move(code), std::move(message)),
      {}};
}

struct EventRow {
  Phase phase;
  std::string_view event;
};
// core.TaskExecution.Phase of each plugin phase.
constexpr std::array<EventRow, 11> kEvents = {{
    {Phase::kUndefined, "UNDEFINED"},
    {Phase::kNotReady, "WAITING_FOR_RESOURCES"},
    {Phase::kWaitingForResources, "WAITING_FOR_RESOURCES"},
    {Phase::kQueued, "QUEUED"},
    {Phase::kInitializing, "INITIALIZING"},
    {Phase::kRunning, "RUNNING"},
    {Phase::kSuccess, "SUCCEEDED"},
    {Phase::kRetryableFailure, "FAILED"},
    {Phase::kPermanentFailure, "FAILED"},
    {Phase::kWaitingForCache, "UNDEFINED"},
    {Phase::kAborted, "ABORTED"},
}};

Json EventOf(Phase phase) {
  for (const EventRow& row : kEvents) {
    if (row.phase == phase) return row.event;
  }
  return Json();
}

}  // namespace

Json LaunchFacts(FlyteCase& test) {
  const std::string kind = CreatedKind(test.input);
  const auto error = ApiErrorFrom("createError", test.input);
  // The peer's tests make a manager without the guard unless they say so.
  test.settings.quota_backoff = test.input.Flag("quotaBackoffEnabled");
  const auto result = flyte::LaunchPhase(error, kind == "Pod", test.settings);
  Json facts = PhaseFacts(result);
  const bool waits =
      result.ok() && result->phase == Phase::kWaitingForResources;
  facts["backoffExponent"] =
      waits && test.settings.quota_backoff
          ? flyte::NextQuotaBackoff(0, test.settings.backoff_base_seconds,
                                    test.settings.backoff_max_duration)
                .exponent
          : 0;
  return facts;
}

Json LookupFacts(FlyteCase& test) {
  flyte::ObservedObject object;
  object.name = test.input.Text("name");
  object.lookup_error = ApiErrorFrom("getError", test.input);
  object.plugin = PluginResult(test.input);
  object.is_deleted = test.input.Has("deletionTimestamp");
  // Counts messages about one phase.
  test.input.Get("version");
  const auto result = flyte::ObservedPhase(object, test.settings.rules);
  Json facts = PhaseFacts(result);
  facts["outputReaderSet"] = result.ok() && result->phase == Phase::kSuccess;
  return facts;
}

Json HandleFacts(FlyteCase& test) {
  constexpr std::int64_t kVersion = 1;
  const std::string error = test.input.Text("pluginStateReadError");
  const bool differs = test.input.Number("stateVersionRead") != kVersion;
  if (error.empty()) {
    test.input.Note(
        absl::UnimplementedError("input.pluginStateReadError: missing"));
  }
  return PhaseFacts(
      flyte::CorruptedStatePhase(differs, error, test.settings.rules));
}

Json QuotaEligibleFacts(FlyteCase& test) {
  return {
      {"eligible", flyte::IsEligible(QuantitiesFrom("requested", test.input),
                                     QuantitiesFrom("quota", test.input))}};
}

Json RequestsEligibleFacts(FlyteCase& test) {
  return {
      {"eligible", flyte::AreRequestsEligible(CreateErrorFrom(test.input))}};
}

Json QuotaExceededFacts(FlyteCase& test) {
  return {{"quotaExceeded",
           flyte::IsResourceQuotaExceeded(CreateErrorFrom(test.input))}};
}

Json BackOffErrorFacts(FlyteCase& test) {
  return {{"backoff", flyte::IsBackOffError(CreateErrorFrom(test.input))}};
}

Json TaskHandleFacts(FlyteCase& test) {
  Members& input = test.input;
  flyte::PhaseResult result = PluginResult(input);
  flyte::TaskOutputs outputs;
  outputs.error = TaskErrorFrom(input.Get("errorFile"), input);
  outputs.declared = input.Flag("outputsDeclared", true);
  outputs.exist = input.Flag("outputExists", false);
  outputs.too_large = input.Flag("outputTooLarge");
  const bool same_phase =
      input.PhaseOf("previousPluginPhase") == input.PhaseOf("pluginPhase");
  const bool newer =
      input.Number("phaseVersion") > input.Number("previousPhaseVersion");
  if (result.ok() && result->phase == Phase::kSuccess) {
    result = flyte::FinishedTaskPhase(outputs);
  }
  Json facts = PhaseFacts(result);
  if (!result.ok()) return facts;
  const auto handled = flyte::HandlerResultOf(*result);
  if (!handled.ok()) return PhaseFacts(handled.status());
  facts["nodePhase"] = flyte::HandlerPhaseName(handled->phase);
  facts["taskEvent"] = same_phase && !newer ? Json() : EventOf(result->phase);
  facts["budget"] = Json();
  if (handled->error.has_value()) {
    facts["budget"] =
        flyte::PaidBySystem({}, handled->error->kind) ? "SYSTEM" : "USER";
  }
  return facts;
}

Json ReadErrorFileFacts(FlyteCase& test) {
  Members& input = test.input;
  const std::string aggregation = input.Text("aggregation", "default");
  std::vector<flyte::ErrorFile> files;
  for (const Json& json : input.Get("errorFiles")) {
    if (const auto file = ErrorFileFrom(json, input)) files.push_back(*file);
  }
  if (aggregation != "earliest" && aggregation != "default") {
    input.Note(absl::UnimplementedError(absl::StrFormat(
        "input.aggregation: '%s' is not understood", aggregation)));
  }
  const flyte::TaskError error = flyte::ReadErrorFiles(files);
  Json facts = PhaseFacts(error.failure);
  facts["isRecoverable"] = error.failure.phase == Phase::kRetryableFailure;
  const flyte::ContainerError source =
      error.source.value_or(flyte::ContainerError());
  facts["worker"] = source.worker;
  facts["timestampSeconds"] = source.timestamp_seconds;
  return facts;
}

}  // namespace mulligan::conformance
