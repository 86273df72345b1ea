#include "client/cli/input/hint.h"

#include <string>

#include "absl/status/status.h"
#include "absl/strings/str_format.h"
#include "client/cli/base/utf8.h"

namespace mulligan::cli {
namespace {

// The text up to the next colon, which it loses with the colon.
std::string_view TakePart(std::string_view& rest) {
  const std::size_t colon = rest.find(':');
  const std::string_view part = rest.substr(0, colon);
  rest = colon == std::string_view::npos ? std::string_view()
                                         : rest.substr(colon + 1);
  return part;
}

absl::Status BadHint(std::string_view text, std::string_view why) {
  return absl::InvalidArgumentError(absl::StrFormat(
      "--hint %s: %s; expected SOURCE:CAUSE[:CONFIDENCE[:TEXT]], for example "
      "\"node-health:GPU_FAULT:MEDIUM:Xid 79\"",
      Printable(text), why));
}

}  // namespace

absl::StatusOr<v1::Hint> ParseHint(std::string_view text) {
  v1::Hint hint;
  std::string_view rest = text;
  hint.set_source(std::string(TakePart(rest)));
  const std::string cause(TakePart(rest));
  const std::string confidence(TakePart(rest));
  hint.set_text(std::string(rest));
  if (hint.source().empty()) return BadHint(text, "the source is missing");
  v1::Cause known = v1::CAUSE_UNSPECIFIED;
  if (!v1::Cause_Parse(cause, &known) || known == v1::CAUSE_UNSPECIFIED) {
    return BadHint(text, absl::StrFormat("\"%s\" is no cause (docs/causes.md)",
                                         Printable(cause)));
  }
  hint.set_cause(known);
  v1::Diagnosis::Confidence sure = v1::Diagnosis::CONFIDENCE_UNSPECIFIED;
  if (!confidence.empty() &&
      (!v1::Diagnosis::Confidence_Parse(confidence, &sure) ||
       sure == v1::Diagnosis::CONFIDENCE_UNSPECIFIED)) {
    return BadHint(text,
                   absl::StrFormat("\"%s\" is not one of LOW, MEDIUM, HIGH",
                                   Printable(confidence)));
  }
  hint.set_confidence(sure);
  return hint;
}

}  // namespace mulligan::cli
