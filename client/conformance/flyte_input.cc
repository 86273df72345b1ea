#include "client/conformance/flyte_input.h"

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
#include "google/protobuf/message.h"

namespace mulligan::conformance {
namespace {

struct LineRow {
  // How the line begins.
  std::string_view line;
  int release;
  // Proposal on top of the release; empty: none.
  std::string_view gate;
};

// The first that fits counts. Cases of both lines are asked of the first.
constexpr std::array<LineRow, 7> kLines = {{
    {"v1+v2", 1, ""},
    {"v1", 1, ""},
    {"v2", 2, ""},
    {"pull/7899", 2, "flyte.pull-7899"},
    {"pull/7885", 2, "flyte.pull-7885"},
    {"branch gpu-forward/gpu-failure-classification", 2, "flyte.system-codes"},
    {"main", 2, ""},
}};

absl::StatusOr<flyte::Rules> RulesFor(const std::string& line) {
  for (const LineRow& row : kLines) {
    if (!line.starts_with(row.line)) continue;
    flyte::Rules rules = flyte::RulesOf(row.release);
    flyte::SetGate(row.gate, true, rules);
    return rules;
  }
  return absl::UnimplementedError(
      absl::StrFormat("line '%s' is not understood", line));
}

void ReadConfig(const Json& json, Members& input, flyte::Settings& settings) {
  Members config(json, "input.config");
  const auto read = [&](const char* name, absl::Duration& duration) {
    duration = config.Duration(name, duration);
  };
  read("createContainerErrorGracePeriod",
       settings.create_container_error_grace_period);
  read("createContainerConfigErrorGracePeriod",
       settings.create_container_config_error_grace_period);
  read("imagePullBackoffGracePeriod", settings.image_pull_backoff_grace_period);
  read("podPendingTimeout", settings.pod_pending_timeout);
  read("operatorTimeout", settings.operator_timeout);
  input.Note(config.Finish());
}

absl::Time DefaultNow() {
  return absl::FromCivil(absl::CivilHour(2026, 1, 1, 1), absl::UTCTimeZone());
}

std::string ClassOf(const flyte::PhaseInfo& info) {
  if (!info.error.has_value()) return "";
  std::string who(flyte::KindName(info.error->kind));
  for (std::size_t i = 1; i < who.size(); ++i) {
    who[i] = static_cast<char>(who[i] - 'A' + 'a');
  }
  return who + (info.phase == flyte::Phase::kRetryableFailure ? "Retryable"
                                                              : "Permanent");
}

}  // namespace

Members::Members(const Json& object, std::string what)
    : object_(object), what_(std::move(what)) {
  if (!object.is_object() && !object.is_null()) {
    Note(absl::InvalidArgumentError(
        absl::StrFormat("%s: a JSON object is expected", what_)));
  }
}

bool Members::Has(const std::string& name) { return !Get(name).is_null(); }

const Json& Members::Get(const std::string& name) {
  static const Json& null = *new Json();
  read_.insert(name);
  if (!object_.is_object()) return null;
  const auto found = object_.find(name);
  return found == object_.end() ? null : *found;
}

std::string Members::Text(const std::string& name, std::string otherwise) {
  return Has(name) ? Get(name).get<std::string>() : std::move(otherwise);
}

std::int64_t Members::Number(const std::string& name, std::int64_t otherwise) {
  return Has(name) ? Get(name).get<std::int64_t>() : otherwise;
}

std::uint32_t Members::Count(const std::string& name, std::uint32_t otherwise) {
  return static_cast<std::uint32_t>(Number(name, otherwise));
}

double Members::Fraction(const std::string& name, double otherwise) {
  return Has(name) ? Get(name).get<double>() : otherwise;
}

bool Members::Flag(const std::string& name, bool otherwise) {
  return Has(name) ? Get(name).get<bool>() : otherwise;
}

absl::Duration Members::Duration(const std::string& name,
                                 absl::Duration otherwise) {
  if (!Has(name)) return otherwise;
  const auto duration = DurationFrom(Get(name), what_ + "." + name);
  if (!duration.ok()) {
    Note(duration.status());
    return otherwise;
  }
  return absl::Seconds(duration->seconds()) +
         absl::Nanoseconds(duration->nanos());
}

void Members::Message(const std::string& name,
                      google::protobuf::Message& message) {
  Note(FillFrom(Get(name), what_ + "." + name, message));
}

flyte::ErrorKind Members::Kind(const std::string& name,
                               flyte::ErrorKind otherwise) {
  if (!Has(name)) return otherwise;
  const auto kind = flyte::KindNamed(Get(name).get<std::string>());
  if (!kind.has_value()) {
    Note(absl::UnimplementedError(absl::StrFormat(
        "%s.%s: kind %s is not understood", what_, name, Get(name).dump())));
  }
  return kind.value_or(otherwise);
}

flyte::Phase Members::PhaseOf(const std::string& name, flyte::Phase otherwise) {
  if (!Has(name)) return otherwise;
  const auto phase = flyte::PhaseNamed(Get(name).get<std::string>());
  if (!phase.has_value()) {
    Note(absl::UnimplementedError(absl::StrFormat(
        "%s.%s: phase %s is not understood", what_, name, Get(name).dump())));
  }
  return phase.value_or(otherwise);
}

void Members::Note(const absl::Status& status) { status_.Update(status); }

absl::Status Members::Finish() const {
  if (!status_.ok() || !object_.is_object()) return status_;
  for (const auto& [name, value] : object_.items()) {
    if (read_.count(name) == 0) {
      return absl::UnimplementedError(
          absl::StrFormat("%s.%s: member not understood", what_, name));
    }
  }
  return absl::OkStatus();
}

absl::StatusOr<FlyteCase> FlyteCaseFrom(const CaseInput& input) {
  const auto rules = RulesFor(input.line);
  if (!rules.ok()) return rules.status();
  FlyteCase test = {{}, DefaultNow(), Members(input.input, "input")};
  test.settings.rules = *rules;
  ReadConfig(test.input.Get("config"), test.input, test.settings);
  if (test.input.Has("now")) {
    const auto now = TimestampFrom(test.input.Get("now"), "input.now");
    if (!now.ok()) return now.status();
    test.now =
        absl::FromUnixSeconds(now->seconds()) + absl::Nanoseconds(now->nanos());
  }
  return test;
}

std::vector<flyte::Pod> FlytePods(Members& input) {
  std::vector<flyte::Pod> pods;
  for (const Json& json : input.Get("pods")) {
    input.Note(FillFrom(json, "input.pods", pods.emplace_back()));
  }
  return pods;
}

flyte::Pods PointersToPods(const std::vector<flyte::Pod>& pods) {
  flyte::Pods pointers;
  for (const flyte::Pod& pod : pods) pointers.push_back(&pod);
  return pointers;
}

std::optional<flyte::ApiError> ApiErrorFrom(const std::string& name,
                                            Members& input) {
  if (!input.Has(name)) return std::nullopt;
  flyte::ApiError error;
  // An error that is no API status.
  if (input.Get(name).is_string()) {
    error.message = input.Text(name);
    return error;
  }
  Members json(input.Get(name), "input." + name);
  error.code = static_cast<int>(json.Number("code"));
  error.reason = json.Text("reason");
  error.message = json.Text("message");
  // The rest of a metav1.Status says nothing about the error's class.
  for (const char* const other : {"kind", "name", "group", "resource", "status",
                                  "details", "retryAfterSeconds"}) {
    json.Get(other);
  }
  input.Note(json.Finish());
  return error;
}

flyte::ExecutionError ExecutionErrorFrom(const Json& json, Members& input) {
  Members members(json, "input.error");
  flyte::ExecutionError error = {members.Text("code"), members.Text("message"),
                                 members.Kind("kind")};
  input.Note(members.Finish());
  return error;
}

flyte::PhaseInfo PhaseInfoFrom(Members& input) {
  if (input.Get("phase").is_object()) {
    Members members(input.Get("phase"), "input.phase");
    flyte::PhaseInfo info = PhaseInfoFrom(members);
    input.Note(members.Finish());
    return info;
  }
  flyte::PhaseInfo info = flyte::InPhase(input.PhaseOf("phase"));
  info.reason = input.Text("reason");
  info.cleanup_on_failure = input.Flag("cleanupOnFailure");
  if (flyte::IsFailure(info.phase) || input.Has("code")) {
    info.error = flyte::ExecutionError{
        input.Text("code"), input.Text("message"), input.Kind("kind")};
  }
  // Carried along; they decide nothing.
  for (const char* const name :
       {"version", "errorUri", "timestamp", "worker", "recoverability"}) {
    input.Get(name);
  }
  return info;
}

std::optional<flyte::ErrorFile> ErrorFileFrom(const Json& json,
                                              Members& input) {
  if (json.is_null()) return std::nullopt;
  flyte::ErrorFile file;
  if (json.empty()) return file;
  Members members(json, "input.errorFile");
  flyte::ContainerError& error = file.content.emplace();
  error.code = members.Text("code");
  error.message = members.Text("message");
  const std::string kind = members.Text("kind", "NON_RECOVERABLE");
  error.recoverable = kind == "RECOVERABLE";
  if (!error.recoverable && kind != "NON_RECOVERABLE") {
    input.Note(absl::UnimplementedError(
        absl::StrFormat("input.errorFile.kind: '%s' is not understood", kind)));
  }
  error.origin = members.Kind("origin", flyte::ErrorKind::kUnknown);
  error.worker = members.Text("worker");
  error.timestamp_seconds = members.Number("timestampSeconds");
  // Its name decides nothing.
  members.Get("path");
  input.Note(members.Finish());
  return file;
}

flyte::RetryBudget RetryBudgetFrom(Members& input) {
  flyte::RetryBudget budget;
  budget.ignore_retry_cause = input.Flag("ignoreRetryCause");
  budget.default_max_attempts =
      input.Count("defaultMaxAttempts", budget.default_max_attempts);
  if (input.Has("taskMinAttempts")) {
    budget.min_attempts = input.Count("taskMinAttempts");
  }
  budget.max_system_retries =
      input.Count("maxNodeRetriesOnSystemFailures", budget.max_system_retries);
  budget.interruptible_threshold = static_cast<std::int32_t>(input.Number(
      "interruptibleFailureThreshold", budget.interruptible_threshold));
  return budget;
}

flyte::NodeAttempts NodeAttemptsFrom(Members& input) {
  return {input.Count("attempts"), input.Count("systemFailures")};
}

Json PhaseFacts(const flyte::PhaseResult& result) {
  if (!result.ok()) {
    return {{"phase", flyte::PhaseName(flyte::Phase::kUndefined)},
            {"isFailure", false},
            {"error", std::string(result.status().message())}};
  }
  const flyte::PhaseInfo& info = *result;
  Json facts = {{"phase", flyte::PhaseName(info.phase)},
                {"reason", info.reason},
                {"isFailure", flyte::IsFailure(info.phase)},
                {"cleanupOnFailure", info.cleanup_on_failure},
                {"code", nullptr},
                {"kind", nullptr},
                {"message", nullptr},
                {"class", ClassOf(info)},
                {"error", nullptr}};
  if (info.error.has_value()) {
    facts["code"] = info.error->code;
    facts["kind"] = flyte::KindName(info.error->kind);
    facts["message"] = info.error->message;
  }
  return facts;
}

}  // namespace mulligan::conformance
