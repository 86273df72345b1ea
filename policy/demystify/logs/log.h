// Reads a program's final output as evidence of how it ended.
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
// Add() adds the facts in `text`, the end of a log, to `candidates`. It returns
// the row that may decide, or null.
//
// Not every line may name the cause:
// 1. Advice and guesses ("this might be caused by ...") never do.
// 2. Lines of low severity (INFO, WARNING, a complaint of a script's tool) may
//    name it only if no reporting line follows. They never name a user's
//    mistake, except a tool's, because the program went on.
// 3. A possible echo of another member's death may name it only if the program
//    had no error of its own before.
// 4. A launcher's report about a process may name it only if that process said
//    nothing known before.
// 5. In a program that was `killed`, a mistake may name it only in the last
//    lines, because the program survived the earlier ones.
class LogReader {
 public:
  // Charges `allowance` for reading. Once used up, new logs are skipped.
  explicit LogReader(PatternAllowance& allowance) : allowance_(allowance) {}

  const Signature* Add(Candidates& candidates, std::string_view text,
                       const Place& place, Seconds at, bool killed = false);

 private:
  // The failure, then a sign that it is temporary or the work was done.
  using Findings = absl::InlinedVector<LogFinding, 2>;
  Findings Read(std::string_view text, bool killed) const;

  PatternAllowance& allowance_;
  // The last text, because members of a gang often share it.
  std::string_view text_;
  bool killed_ = false;
  Findings findings_;
};

}  // namespace mulligan::demystify

#endif  // MULLIGAN_POLICY_DEMYSTIFY_LOGS_LOG_H_
