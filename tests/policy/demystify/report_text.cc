#include "tests/policy/demystify/report_text.h"

#include "absl/strings/escaping.h"
#include "absl/strings/str_join.h"

namespace mulligan::demystify {
namespace {

std::string Text(std::string_view field, std::string_view value) {
  if (value.empty()) return "";
  return std::string(field) + ": \"" + absl::CEscape(std::string(value)) + "\"";
}

std::string TimeField(std::string_view field, int at) {
  if (at == 0) return "";
  return Wrapped(field, {"seconds: " + std::to_string(at)});
}

std::string StatusCondition(std::string_view type, std::string_view status,
                            std::string_view reason, std::string_view message,
                            int at) {
  return Object("status",
                Object("conditions", Text("type", type), Text("status", status),
                       Text("reason", reason), Text("message", message),
                       TimeField("last_transition_time", at)));
}

std::string Terminated(int code, std::string_view reason,
                       std::string_view message, int at) {
  return Object("terminated", "exit_code: " + std::to_string(code),
                Text("reason", reason), Text("message", message),
                TimeField("finished_at", at));
}

}  // namespace

std::string Wrapped(std::string_view field,
                    const std::vector<std::string>& parts) {
  return std::string(field) + " { " + absl::StrJoin(parts, " ") + " } ";
}

std::string InPhase(std::string_view phase) {
  return Object("status", Text("phase", phase));
}

std::string Reason(std::string_view reason, std::string_view message) {
  return Object("status", Text("reason", reason), Text("message", message));
}

std::string Condition(std::string_view type, std::string_view reason,
                      std::string_view message, int at) {
  return StatusCondition(type, "True", reason, message, at);
}

std::string Condition(std::string_view type, std::string_view reason, int at) {
  return Condition(type, reason, "", at);
}

std::string FalseCondition(std::string_view type, std::string_view reason,
                           std::string_view message, int at) {
  return StatusCondition(type, "False", reason, message, at);
}

std::string FalseCondition(std::string_view type, std::string_view reason,
                           int at) {
  return FalseCondition(type, reason, "", at);
}

std::string Disruption(std::string_view reason, std::string_view message) {
  return Condition("DisruptionTarget", reason, message);
}

std::string Disruption(std::string_view reason, int at) {
  return Condition("DisruptionTarget", reason, at);
}

std::string Exited(int code, std::string_view reason, std::string_view message,
                   int at) {
  return Container(ExitState(code, reason, message, at));
}

std::string Exited(int code, std::string_view reason, int at) {
  return Exited(code, reason, "", at);
}

std::string Waits(std::string_view reason, std::string_view message) {
  return Container(WaitState(reason, message));
}

std::string WaitState(std::string_view reason, std::string_view message) {
  return Object("state", Object("waiting", Text("reason", reason),
                                Text("message", message)));
}

std::string ExitState(int code, std::string_view reason,
                      std::string_view message, int at) {
  return Object("state", Terminated(code, reason, message, at));
}

std::string ExitState(int code, std::string_view reason, int at) {
  return ExitState(code, reason, "", at);
}

std::string LastExit(int code, std::string_view reason, int at) {
  return Object("last_state", Terminated(code, reason, "", at));
}

std::string Event(std::string_view reason, std::string_view message,
                  std::string_view kind, std::string_view name) {
  return Object(
      "events", "type: 'Warning'", Text("reason", reason),
      Text("message", message),
      Object("involved_object", Text("kind", kind), Text("name", name)));
}

std::string ObservedAt(int at) { return TimeField("observed_at", at); }

}  // namespace mulligan::demystify
