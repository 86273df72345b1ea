#include "client/cli/print/human_native.h"

#include <string>
#include <string_view>

#include "absl/strings/str_format.h"

namespace mulligan::cli {
void WriteNative(const Story& story, const v1::DecideResponse& response,
                 Layout& layout) {
  if (!response.has_native()) return;
  const v1::NativeVerdict& native = response.native();
  const bool decides =
      response.explanation().decided_by() == v1::Explanation::NATIVE;
  layout.BlankLine();
  layout.Line(absl::StrFormat(
                  "%s (%s)",
                  decides ? "As the operator says it" : "Next to the operator",
                  native.semantics()),
              Style::kBold);
  const auto fact = [&layout](std::string_view name, const std::string& text) {
    layout.Hanging(absl::StrFormat("  %-10s ", name), text, Style::kBold);
  };
  for (const Side& side : story.sides) {
    fact(side.who, absl::StrFormat("%s; %s", side.verdict, side.Price()));
    fact("", side.words);
  }
  if (decides) return;
  fact("Difference",
       native.difference().empty() ? "none" : native.difference());
}

}  // namespace mulligan::cli
