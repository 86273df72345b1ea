#include "policy/base/warnings.h"

#include <utility>

#include "policy/base/utf8.h"
#include "policy/limits.h"

namespace mulligan {

void AddWarning(std::string text,
                google::protobuf::RepeatedPtrField<std::string>& warnings) {
  constexpr char kCut[] = " ...";
  if (warnings.size() >= kMaxAnswerWarnings) return;
  if (!IsPrintableAscii(text)) text = Visible(text);
  if (warnings.size() == kMaxAnswerWarnings - 1) {
    text = "more warnings are left out";
  } else if (text.size() > kMaxWarningBytes) {
    text.resize(Utf8Boundary(text, kMaxWarningBytes - sizeof(kCut)));
    text += kCut;
  }
  warnings.Add(std::move(text));
}

}  // namespace mulligan
