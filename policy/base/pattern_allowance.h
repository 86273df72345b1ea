// Limits on the cost of patterns in one call.
#ifndef MULLIGAN_POLICY_BASE_PATTERN_ALLOWANCE_H_
#define MULLIGAN_POLICY_BASE_PATTERN_ALLOWANCE_H_

#include <cstddef>
#include <cstdint>
#include <string_view>
#include <utility>

#include "absl/status/status.h"
#include "absl/time/time.h"
#include "policy/limits.h"

namespace re2 {
class RE2;
}

namespace mulligan {

// The deadline and time limit of a call, provided by the caller because policy/
// has no clock. Used by one thread.
class Watch {
 public:
  virtual ~Watch() = default;

  // Returns OK while the call may continue, else why it ends: its deadline
  // passed, it was cancelled, or it cost too much.
  virtual absl::Status Check() = 0;

  // Returns the processor time that the call has used so far.
  virtual absl::Duration Spent() = 0;
};

// Limits the compiling, searching and log reading of one call or batch. Counts
// steps of at most about 12 ns rather than time, so that the same request
// always gets the same answer. Once the steps are used up, nothing more is
// found, and the answer says so. If a watch ends the call, there is no answer.
class PatternAllowance {
 public:
  explicit PatternAllowance(std::int64_t steps = kMaxPatternSteps,
                            Watch* watch = nullptr)
      : steps_left_(steps), watch_(watch) {}
  PatternAllowance(const PatternAllowance&) = delete;
  PatternAllowance& operator=(const PatternAllowance&) = delete;

  // Returns whether `pattern` matches anywhere in `text`; false if the
  // allowance is used up or the call has ended.
  bool Find(const re2::RE2& pattern, std::string_view text);

  // Takes the cost of some work. If it returns false, the work must be skipped.
  bool Take(std::int64_t steps);

  // Takes the cost of reading a text once, or of searching it for a built-in
  // pattern (most have automata). Returns false in the same cases as Take().
  bool TakeReading(std::size_t bytes);

  // Returns whether work was refused for lack of steps.
  bool used_up() const { return used_up_; }

  // Checks the watch now. If not OK, the call must end with this error, and its
  // results are void.
  const absl::Status& CheckNow();

 private:
  bool SearchesQuickly(const re2::RE2& pattern, std::string_view text);

  std::int64_t steps_left_;
  Watch* const watch_;  // null if only the steps are bounded
  std::int64_t unchecked_ = 0;
  std::size_t unchecked_bytes_ = 0;
  absl::Status ended_;
  bool used_up_ = false;
};

// The warning in an answer whose allowance was used up.
inline constexpr char kPatternsUsedUp[] =
    "the texts are too long for the patterns that are to be searched in them; "
    "some patterns were not tried and count as not found";

}  // namespace mulligan

#endif  // MULLIGAN_POLICY_BASE_PATTERN_ALLOWANCE_H_
