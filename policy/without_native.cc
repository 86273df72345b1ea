// What a build without the operators' own rules answers (policy/native.h).
#include "absl/strings/str_cat.h"
#include "policy/native.h"

namespace mulligan {
namespace {

constexpr char kExpected[] =
    "expected a build with the operators' rules (MULLIGAN_NATIVE=ON)";

}  // namespace

std::optional<NativeOutcome> AnswerNatively(const NativeInput& /*input*/) {
  return std::nullopt;
}

std::string RetriesByItself(const NativeInput& /*input*/, int /*pod*/) {
  return {};
}

std::string NativeOperatorNames() {
  return absl::StrCat("none in this build, ", kExpected);
}

Import ImportPasted(const Pasted& pasted, IssueReporter& report) {
  if (pasted.blocks.ByteSizeLong() > 0) {
    report.Error("spec.pasted", absl::StrCat("not known, ", kExpected));
  }
  return {};
}

void CheckSemantics(const v1::NativeSemantics& semantics,
                    const std::string& path, IssueReporter& report) {
  if (semantics.ByteSizeLong() > 0) {
    report.Error(path, absl::StrCat("not known, ", kExpected));
  }
}

}  // namespace mulligan
