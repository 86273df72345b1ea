#include "client/conformance/case.h"

#include <string>
#include <utility>

#include "absl/status/status.h"
#include "absl/strings/str_format.h"

namespace mulligan::conformance {
namespace {

std::string StringMember(const Json& object, const char* name) {
  const auto found = object.find(name);
  return found != object.end() && found->is_string() ? found->get<std::string>()
                                                     : std::string();
}

// The three places where case files say what a case is about.
std::string KindOf(const Json& line) {
  for (const char* name : {"kind", "fn"}) {
    if (std::string kind = StringMember(line, name); !kind.empty()) return kind;
  }
  return StringMember(line["input"], "kind");
}

}  // namespace

absl::StatusOr<Case> ParseCase(const std::string& line) {
  Json parsed = Json::parse(line, nullptr, /*allow_exceptions=*/false);
  if (!parsed.is_object()) {
    return absl::InvalidArgumentError("not a JSON object");
  }
  for (const char* name : {"id", "source"}) {
    if (StringMember(parsed, name).empty()) {
      return absl::InvalidArgumentError(
          absl::StrFormat("%s: missing, a non-empty string is expected", name));
    }
  }
  for (const char* name : {"input", "expect"}) {
    if (!parsed.contains(name) || !parsed[name].is_object()) {
      return absl::InvalidArgumentError(
          absl::StrFormat("%s: missing, a JSON object is expected", name));
    }
  }
  Case result;
  result.id = StringMember(parsed, "id");
  result.input.source = StringMember(parsed, "source");
  result.input.kind = KindOf(parsed);
  result.input.line = StringMember(parsed, "line");
  if (parsed.contains("featureGates")) {
    result.input.feature_gates = parsed["featureGates"];
  }
  result.input.input = std::move(parsed["input"]);
  result.expect = std::move(parsed["expect"]);
  return result;
}

}  // namespace mulligan::conformance
