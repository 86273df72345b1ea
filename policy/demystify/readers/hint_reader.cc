#include "policy/demystify/readers/hint_reader.h"

#include <algorithm>
#include <array>
#include <cstddef>

#include "policy/demystify/signatures/signature.h"

namespace mulligan::demystify {
namespace {

// A row for each cause; a hint has no evidence of its own.
constexpr auto kHintRows = [] {
  std::array<Signature, v1::Cause_ARRAYSIZE> rows{};
  for (std::size_t cause = 0; cause < rows.size(); ++cause) {
    rows[cause] = {.key = "hint",
                   .cause = static_cast<v1::Cause>(cause),
                   .confidence = kLow,
                   .tier = Tier::kHint,
                   .weight = kHintWeight,
                   .flags = kNoFlags,
                   .meaning = "another diagnosis of the same failure"};
  }
  return rows;
}();

}  // namespace

void ReadHints(const Context& context, Candidates& facts) {
  for (int i = 0; i < context.report.hints_size(); ++i) {
    const v1::Hint& hint = context.report.hints(i);
    const auto cause = static_cast<std::size_t>(hint.cause());
    if (cause >= kHintRows.size()) continue;
    const Place place = {Root::kHints, i, "", -1,
                         hint.text().empty() ? ".source" : ".text"};
    AddFact(facts, {}, kHintRows[cause], place,
            hint.text().empty() ? hint.source() : hint.text())
        .confidence = std::max(hint.confidence(), kLow);
  }
}

}  // namespace mulligan::demystify
