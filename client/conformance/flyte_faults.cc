#include "client/conformance/flyte_faults.h"

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "absl/status/status.h"
#include "absl/strings/str_format.h"
#include "policy/native/flyte_array.h"
#include "policy/native/flyte_gpu_fault.h"
#include "policy/native/flyte_node.h"
#include "policy/native/flyte_pod.h"

namespace mulligan::conformance {
namespace {

using flyte::HandlerPhase;
using flyte::NodePhase;
using flyte::Phase;

flyte::GpuFault GpuFaultFrom(Members& members) {
  flyte::GpuFault fault;
  const std::string kind = members.Text("kind", "xid");
  if (kind == "sxid") {
    fault.kind = flyte::GpuFaultKind::kSxid;
  } else if (kind != "xid") {
    members.Note(absl::UnimplementedError(
        absl::StrFormat("fault kind '%s' is not understood", kind)));
  }
  fault.code = members.Number("code");
  fault.severity = members.Has("severity")
                       ? flyte::ParseGpuFaultSeverity(members.Text("severity"))
                       : flyte::GpuFaultSeverityFor(fault.kind, fault.code);
  fault.pci = members.Text("pci");
  fault.gpu_uuid = members.Text("gpuUuid");
  if (members.Has("gpuIndex")) fault.gpu_index = members.Number("gpuIndex");
  return fault;
}

Json FaultJson(const flyte::GpuFault& fault) {
  return {{"kind", fault.kind == flyte::GpuFaultKind::kSxid ? "sxid" : "xid"},
          {"code", fault.code},
          {"severity", flyte::GpuFaultSeverityName(fault.severity)}};
}

// An element of an array node is done with when its task is.
NodePhase ElementAfter(NodePhase current, HandlerPhase handled) {
  const flyte::NodeState state =
      flyte::AfterRound({current, {}}, {handled, "", std::nullopt});
  return state.phase == NodePhase::kRetryableFailure
             ? state.phase
             : flyte::AfterCleanUp(state).phase;
}

// A phase, or a phase with the kind of its error.
std::optional<HandlerPhase> HandledPhase(const Json& json) {
  const Json& phase =
      json.is_object() && json.contains("phase") ? json["phase"] : json;
  return phase.is_string() ? flyte::HandlerPhaseNamed(phase.get<std::string>())
                           : std::nullopt;
}

std::vector<NodePhase> ElementsFrom(Members& input) {
  std::vector<NodePhase> elements;
  const auto misfit = [&](const Json& json) {
    input.Note(absl::UnimplementedError(
        absl::StrFormat("phase %s is not understood", json.dump())));
  };
  for (const Json& json : input.Get("subNodePhases")) {
    const auto phase = flyte::NodePhaseNamed(json.get<std::string>());
    if (!phase.has_value()) misfit(json);
    elements.push_back(phase.value_or(NodePhase::kNotYetStarted));
  }
  std::size_t i = 0;
  for (const Json& json : input.Get("subNodeHandlerPhases")) {
    const std::size_t element = i++;
    // Not asked in this round.
    if (json.is_null()) continue;
    const auto handled = HandledPhase(json);
    if (!handled.has_value() || element >= elements.size()) {
      misfit(json);
      continue;
    }
    elements[element] = ElementAfter(elements[element], *handled);
  }
  return elements;
}

// core.AllocationStatus of every element; absent: granted.
bool IsAllocationGranted(Members& input) {
  std::string_view status = "Granted";
  for (const char* const name : {"allocation", "allocationStatus"}) {
    const Json& json = input.Get(name);
    if (json.is_string()) status = json.get_ref<const std::string&>();
  }
  constexpr std::string_view kPrefix = "AllocationStatus";
  if (status.starts_with(kPrefix)) status.remove_prefix(kPrefix.size());
  const bool is_granted = status == "Granted";
  if (!is_granted && status != "Exhausted" &&
      status != "NamespaceQuotaExceeded") {
    input.Note(absl::UnimplementedError(
        absl::StrFormat("allocation status '%s' is not understood", status)));
  }
  return is_granted;
}

}  // namespace

Json GpuFaultCodeFacts(FlyteCase& test) {
  return {{"code", flyte::GpuFaultCode(GpuFaultFrom(test.input))}};
}

Json GenericCodeFacts(FlyteCase& test) {
  return {{"generic", flyte::IsGenericCode(test.input.Text("code"))}};
}

Json ClassifyGpuFailureFacts(FlyteCase& test) {
  flyte::PhaseInfo info = PhaseInfoFrom(test.input);
  std::vector<flyte::GpuFault> faults;
  for (const Json& json : test.input.Get("faults")) {
    Members members(json, "input.faults");
    faults.push_back(GpuFaultFrom(members));
    test.input.Note(members.Finish());
  }
  const auto result = flyte::ClassifyGpuFailure(std::move(info), faults);
  Json facts = PhaseFacts(result.info);
  if (result.info.error.has_value()) {
    facts["error"] = {{"code", facts["code"]},
                      {"kind", facts["kind"]},
                      {"message", facts["message"]}};
  }
  facts["gpuFault"] = Json();
  facts["gpuFaultCode"] = Json();
  if (result.fault.has_value()) {
    facts["gpuFault"] = FaultJson(*result.fault);
    facts["gpuFaultCode"] = result.fault->code;
  }
  return facts;
}

Json ArrayAttemptsFacts(FlyteCase& test) {
  const flyte::RetryBudget budget = RetryBudgetFrom(test.input);
  Members failure(test.input.Get("everyAttemptFailsWith"),
                  "input.everyAttemptFailsWith");
  const Phase phase = failure.PhaseOf("phase", Phase::kRetryableFailure);
  const flyte::ErrorKind kind = failure.Kind("kind");
  test.input.Note(failure.Finish());
  const std::uint32_t runs = phase == Phase::kPermanentFailure
                                 ? 1
                                 : flyte::RunsUntilFailing(budget, kind);
  const auto aggregate =
      flyte::AggregateElements({NodePhase::kFailed}, flyte::ArrayDemand());
  return {{"totalAttempts", runs},
          {"arrayPhase", flyte::ArrayPhaseName(aggregate)}};
}

Json ArrayAggregateFacts(FlyteCase& test) {
  const std::vector<NodePhase> elements = ElementsFrom(test.input);
  flyte::ArrayDemand demand;
  if (test.input.Has("minSuccesses")) {
    demand.min_successes = test.input.Number("minSuccesses");
  }
  if (test.input.Has("minSuccessRatio")) {
    demand.min_success_ratio = test.input.Fraction("minSuccessRatio");
  }
  Json phases = Json::array();
  for (const NodePhase phase : elements) {
    phases.push_back(flyte::NodePhaseName(phase));
  }
  // The node itself ends in a later round.
  return {{"arrayPhase",
           flyte::ArrayPhaseName(flyte::AggregateElements(elements, demand))},
          {"subNodePhases", std::move(phases)},
          {"nodePhase", flyte::HandlerPhaseName(HandlerPhase::kRunning)}};
}

Json LegacyArrayFacts(FlyteCase& test) {
  Members& input = test.input;
  const Phase existing = input.PhaseOf("existingPhase");
  const std::int64_t attempt = input.Number("retryAttempt");
  const std::int64_t most = input.Number("maxAttempts");
  const bool is_granted = IsAllocationGranted(input);
  // All elements are alike.
  input.Get("subtasks");
  Json facts = {{"retryAttempt", attempt}, {"podKind", nullptr}};
  const auto answer = [&](Phase phase) {
    facts["subtaskPhase"] = flyte::PhaseName(phase);
    facts["arrayPhase"] = flyte::LegacyArrayPhaseName(phase);
    return facts;
  };
  if (flyte::IsLegacyElementLaunched(existing)) {
    if (existing == Phase::kRetryableFailure) {
      facts["retryAttempt"] = attempt + 1;
    }
    return answer(flyte::LegacyLaunchPhase(is_granted));
  }
  flyte::Pod pod;
  input.Message("pod", pod);
  const flyte::PhaseInfo observed =
      flyte::PodPhase(pod, test.settings, test.now);
  if (observed.error.has_value()) {
    facts["podKind"] = flyte::KindName(observed.error->kind);
  }
  return answer(flyte::LegacyElementPhase(observed.phase, attempt, most));
}

}  // namespace mulligan::conformance
