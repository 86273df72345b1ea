// Decides what a report tells of: reads it, weighs what it says, concludes.
#ifndef MULLIGAN_POLICY_DEMYSTIFY_JUDGE_H_
#define MULLIGAN_POLICY_DEMYSTIFY_JUDGE_H_

#include <vector>

#include "policy/demystify/attempts.h"
#include "policy/demystify/conclusion.h"
#include "policy/demystify/context.h"
#include "policy/demystify/member.h"
#include "policy/demystify/was_decided.h"

namespace mulligan::demystify {

// The whole report: the attempt at hand, and those that failed before it.
struct Judgement {
  std::vector<Member> members;
  Attempts attempts;
  Conclusion conclusion;
};

// Reads the whole report and decides about the attempt at hand.
Judgement JudgeReport(const Context& context,
                      const WasDecided& was_decided = {});

// Decides about an earlier attempt by its pods alone: what the objects above
// say now is about the workload as it is now.
Conclusion JudgeEarlier(const Attempt& attempt);

// Whether the fact is an operator's counter or summary: it shows that something
// failed, but not why.
bool IsSummary(const Candidate& fact);

// Whether all pods of an attempt have succeeded.
bool HasSucceeded(const Attempt& attempt);

}  // namespace mulligan::demystify

#endif  // MULLIGAN_POLICY_DEMYSTIFY_JUDGE_H_
