// What was found out about one attempt, before it is written down.
#ifndef MULLIGAN_POLICY_DEMYSTIFY_CONCLUSION_H_
#define MULLIGAN_POLICY_DEMYSTIFY_CONCLUSION_H_

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "mulligan/v1/cause.pb.h"
#include "mulligan/v1/diagnosis.pb.h"
#include "policy/demystify/fact.h"
#include "policy/demystify/gang.h"

namespace mulligan::demystify {

struct Conclusion {
  // All facts of the root pod and of the other objects, weighed.
  Candidates facts;
  // Index into facts; -1: nothing decides.
  int winner = -1;
  // Of the hint that names the cause, where the winner leaves it open and only
  // tells how it ended; -1: none.
  int hint = -1;
  Gang gang;
  v1::Cause cause = v1::NOT_FAILED;
  v1::Diagnosis::Confidence confidence = v1::Diagnosis::LOW;
  v1::Diagnosis::Situation situation = v1::Diagnosis::BROKEN;
  // When the culprit ended: the pod, or the object that says so.
  Seconds ended_at = kUnknownTime;
  // For work that is not broken: when to look again. Unknown: no need.
  Seconds ask_again = kUnknownTime;
  // It is of an attempt before the one that goes on.
  bool past = false;
  // Its operator tries again by itself what failed (Context.operator_retries).
  bool retried = false;
  std::optional<std::int32_t> exit_code;
  // Members of the report that ended for reasons that are not the program's.
  int not_the_programs = 0;
  // Named by a message when the pod itself is not in the report.
  std::string named_pod;
  std::string named_container;
  std::vector<std::string> warnings;

  const Candidate* decisive() const {
    return winner >= 0 ? &facts[static_cast<std::size_t>(winner)] : nullptr;
  }
  // The fact that the cause is of.
  const Candidate* naming() const {
    return hint >= 0 ? &facts[static_cast<std::size_t>(hint)] : decisive();
  }
};

}  // namespace mulligan::demystify

#endif  // MULLIGAN_POLICY_DEMYSTIFY_CONCLUSION_H_
