// The answer before it is written down.
#ifndef MULLIGAN_POLICY_DEMYSTIFY_JUDGE_H_
#define MULLIGAN_POLICY_DEMYSTIFY_JUDGE_H_

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "mulligan/v1/diagnosis.pb.h"
#include "policy/demystify/attempts.h"
#include "policy/demystify/candidate.h"
#include "policy/demystify/context.h"
#include "policy/demystify/gang.h"

namespace mulligan::demystify {

struct Conclusion {
  // All facts of the root pod and of the other objects, weighed.
  Candidates facts;
  // Index into facts; -1: nothing decides.
  int winner = -1;
  Gang gang;
  v1::Cause cause = v1::NOT_FAILED;
  v1::Diagnosis::Confidence confidence = v1::Diagnosis::LOW;
  v1::Diagnosis::Situation situation = v1::Diagnosis::BROKEN;
  // When the culprit ended: the pod, or the object that says so.
  Seconds ended_at = kUnknownTime;
  // For work that is not broken: when to look again. Unknown: no need.
  Seconds ask_again = kUnknownTime;
  std::optional<std::int32_t> exit_code;
  // Named by a message when the pod itself is not in the report.
  std::string named_pod;
  std::string named_container;
  std::vector<std::string> warnings;

  const Candidate* decisive() const {
    return winner >= 0 ? &facts[static_cast<std::size_t>(winner)] : nullptr;
  }
};

// The whole report: the attempt at hand, and those that failed before it.
struct Judgement {
  std::vector<Member> members;
  Attempts attempts;
  Conclusion conclusion;
};

// Reads the whole report and decides about the attempt at hand.
Judgement JudgeReport(const Context& context);

// Decides about an earlier attempt by its pods alone: what the objects above
// say now is about the workload as it is now.
Conclusion JudgeEarlier(const Context& context,
                        const std::vector<Member>& members,
                        const std::vector<int>& pods);

}  // namespace mulligan::demystify

#endif  // MULLIGAN_POLICY_DEMYSTIFY_JUDGE_H_
