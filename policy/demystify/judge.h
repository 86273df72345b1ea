// Judges a report: reads it, weighs the facts and concludes.
#ifndef MULLIGAN_POLICY_DEMYSTIFY_JUDGE_H_
#define MULLIGAN_POLICY_DEMYSTIFY_JUDGE_H_

#include <vector>

#include "policy/demystify/attempts.h"
#include "policy/demystify/conclusion.h"
#include "policy/demystify/context.h"
#include "policy/demystify/member.h"
#include "policy/demystify/was_decided.h"

namespace mulligan::demystify {

// The current attempt and those that failed before it.
struct Judgement {
  std::vector<Member> members;
  Attempts attempts;
  Conclusion conclusion;
};

// Reads the whole report and judges the current attempt.
Judgement JudgeReport(const Context& context,
                      const WasDecided& was_decided = {});

// Judges an earlier attempt by its pods alone, because the objects above them
// describe the current attempt.
Conclusion JudgeEarlier(const Attempt& attempt);

// Returns whether what has run for `runs_for` seconds has outlived the failed
// run from `began` to `ended`, so that its failure is outdated.
bool HasOutlived(Seconds runs_for, Seconds began, Seconds ended);

// Judges a running attempt that has outlived its last failure.
Conclusion WithoutFailure(const Attempt& attempt);

// Returns whether the fact is an operator's counter or summary, which shows
// that something failed but not why.
bool IsSummary(const Candidate& fact);

// Returns whether all pods of an attempt have succeeded.
bool HasSucceeded(const Attempt& attempt);

}  // namespace mulligan::demystify

#endif  // MULLIGAN_POLICY_DEMYSTIFY_JUDGE_H_
