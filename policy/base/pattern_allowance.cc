#include "policy/base/pattern_allowance.h"

#include <re2/re2.h>

#include <algorithm>
#include <cstddef>

#include "absl/strings/str_format.h"

namespace mulligan {
namespace {

// Steps between two checks of the watch: at most 4 ms.
constexpr std::int64_t kStepsUnchecked = 400'000;
// Bytes read between two checks of the watch: 0.1 ms with an automaton. On some
// texts RE2 abandons its automaton and takes up to 1 us per byte.
constexpr std::size_t kBytesUnchecked = 16 << 10;
// An automaton takes 1 ns per byte and 200 ns to start.
constexpr std::int64_t kBytesOfStep = 8;
constexpr std::int64_t kStepsToBegin = 20;
// A search cannot be stopped, so a watch prevents longer ones.
constexpr absl::Duration kLongestSearch = absl::Milliseconds(5);

bool Search(const re2::RE2& pattern, std::string_view text) {
  return re2::RE2::PartialMatch(re2::StringPiece(text.data(), text.size()),
                                pattern);
}

}  // namespace

const absl::Status& PatternAllowance::CheckNow() {
  unchecked_ = 0;
  unchecked_bytes_ = 0;
  if (ended_.ok() && watch_ != nullptr) ended_ = watch_->Check();
  return ended_;
}

bool PatternAllowance::Take(std::int64_t steps) {
  if (!ended_.ok()) return false;
  if (used_up_ || steps > steps_left_) {
    used_up_ = true;
    return false;
  }
  steps_left_ -= steps;
  unchecked_ += steps;
  return unchecked_ < kStepsUnchecked || CheckNow().ok();
}

bool PatternAllowance::TakeReading(std::size_t bytes) {
  if (!Take(kStepsToBegin + static_cast<std::int64_t>(bytes) / kBytesOfStep)) {
    return false;
  }
  unchecked_bytes_ += bytes;
  return unchecked_bytes_ < kBytesUnchecked || CheckNow().ok();
}

// Searches the text piece by piece and checks the watch in between. With an
// automaton (2 ns per byte) the pieces take almost no time; without one, the
// whole text would take as long as all pieces.
bool PatternAllowance::SearchesQuickly(const re2::RE2& pattern,
                                       std::string_view text) {
  const auto piece = static_cast<std::size_t>(
      std::max<std::int64_t>(1, kStepsUnchecked / pattern.ProgramSize()));
  const absl::Duration before = watch_->Spent();
  for (std::size_t at = 0; at < text.size(); at += piece) {
    Search(pattern, text.substr(at, piece));
    if (!CheckNow().ok()) return false;
    if (watch_->Spent() - before > kLongestSearch) {
      ended_ = absl::ResourceExhaustedError(absl::StrFormat(
          "pattern \"%s\" takes too long in a text of %d bytes: expected one "
          "with less nesting and fewer repetitions",
          pattern.pattern(), text.size()));
      return false;
    }
  }
  return true;
}

bool PatternAllowance::Find(const re2::RE2& pattern, std::string_view text) {
  const std::int64_t steps = static_cast<std::int64_t>(pattern.ProgramSize()) *
                             static_cast<std::int64_t>(text.size() + 1);
  if (!Take(steps)) return false;
  if (watch_ != nullptr && steps > kStepsUnchecked &&
      !SearchesQuickly(pattern, text)) {
    return false;
  }
  return Search(pattern, text);
}

}  // namespace mulligan
