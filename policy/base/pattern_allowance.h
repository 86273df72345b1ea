// What the patterns of one call may cost.
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

// How long a caller waits for a call, and what it may cost in time. policy/
// has no clock: who calls it gives it one. Used by one thread.
class Watch {
 public:
  virtual ~Watch() = default;

  // Why the call ends without an answer: its deadline is over, nobody waits
  // for it, it has cost too much. OK: it goes on.
  virtual absl::Status Check() = 0;

  // Processor time of the call so far.
  virtual absl::Duration Spent() = 0;
};

// The compiling, searching and reading of logs that one call may ask for, a
// batch all its items together. Counted in steps of at most some 10 ns, so that
// the same request always gets the same answer: once the steps are used up
// nothing more is found, and the answer has to say so. Only an error depends on
// time: where a watch ends the call there is no answer.
class PatternAllowance {
 public:
  explicit PatternAllowance(std::int64_t steps = kMaxPatternSteps,
                            Watch* watch = nullptr)
      : steps_left_(steps), watch_(watch) {}
  PatternAllowance(const PatternAllowance&) = delete;
  PatternAllowance& operator=(const PatternAllowance&) = delete;

  // Whether `pattern` is found anywhere in `text`.
  bool Find(const re2::RE2& pattern, std::string_view text);

  // Takes what some work costs. False: it must not be done.
  bool Take(std::int64_t steps);

  // Takes what reading a text once costs, or searching it for a pattern of the
  // built-in tables, which mostly have automata. False: it must not be done.
  bool TakeReading(std::size_t bytes);

  // Whether something was not done.
  bool used_up() const { return used_up_; }

  // Asks the watch, whatever was done since it was asked last. Not OK: the call
  // ends with this, and what was found does not count.
  const absl::Status& CheckNow();

 private:
  bool SearchesQuickly(const re2::RE2& pattern, std::string_view text);

  std::int64_t steps_left_;
  Watch* const watch_;  // null: the steps are the only bound
  std::int64_t unchecked_ = 0;
  std::size_t unchecked_bytes_ = 0;
  absl::Status ended_;
  bool used_up_ = false;
};

// The warning of an answer whose allowance was used up.
inline constexpr char kPatternsUsedUp[] =
    "the texts are too long for the patterns that are to be searched in them; "
    "some patterns were not tried and count as not found";

}  // namespace mulligan

#endif  // MULLIGAN_POLICY_BASE_PATTERN_ALLOWANCE_H_
