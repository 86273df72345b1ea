// What a program's last words say about how it ended.
#ifndef MULLIGAN_POLICY_DEMYSTIFY_LOGS_LOG_H_
#define MULLIGAN_POLICY_DEMYSTIFY_LOGS_LOG_H_

#include <string_view>

#include "absl/container/inlined_vector.h"
#include "policy/base/pattern_allowance.h"
#include "policy/demystify/fact.h"
#include "policy/demystify/logs/scanned.h"

namespace mulligan::demystify {

// Reads the logs of one report.
//
// Add() adds what `text`, the end of a log, says to `candidates`, read at
// `place`. Returns the row that may decide; null when there is none.
//
// Lines of a log have roles, and not every line may name the cause:
// 1. Advice and guesses ("this might be caused by ...") never do.
// 2. Lines of low severity (INFO, WARNING, a script's tool that complains) do
//    only where no line that reports follows. Of one's own mistakes they tell
//    nothing, unless a tool's: the program went on.
// 3. What could be the echo of another member's death does only where the
//    program did not meet an error of its own before it.
// 4. What a launcher tells of the process it started does only where that one
//    said nothing that is known before.
// 5. Of a program that was `killed`, mistakes do only in its last lines: it had
//    gone on after the others.
class LogReader {
 public:
  // What reading costs is taken from `allowance`. Logs that are new once it is
  // used up are not read.
  explicit LogReader(PatternAllowance& allowance) : allowance_(allowance) {}

  const Signature* Add(Candidates& candidates, std::string_view text,
                       const Place& place, Seconds at, bool killed = false);

 private:
  // What a text says: first what it failed of, then what tells that it passes,
  // or that the work was done.
  using Said = absl::InlinedVector<LogFinding, 2>;
  Said Read(std::string_view text, bool killed) const;

  PatternAllowance& allowance_;
  // The last text: the members of a gang die of the same words.
  std::string_view text_;
  bool killed_ = false;
  Said said_;
};

}  // namespace mulligan::demystify

#endif  // MULLIGAN_POLICY_DEMYSTIFY_LOGS_LOG_H_
