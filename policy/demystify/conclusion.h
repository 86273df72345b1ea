// The result for one attempt.
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
  // The weighed facts of the root pod and the other objects.
  Candidates facts;
  // Index into `facts`; -1 if no fact decides.
  int winner = -1;
  // Index of the hint that names the cause, if the winner only shows how the
  // work ended; -1 if none.
  int hint = -1;
  Gang gang;
  v1::Cause cause = v1::NOT_FAILED;
  v1::Diagnosis::Confidence confidence = v1::Diagnosis::LOW;
  v1::Diagnosis::Situation situation = v1::Diagnosis::BROKEN;
  // When the culprit ended: the pod, or the object that reports it.
  Seconds ended_at = kUnknownTime;
  // For work that is not broken: when to look again, if known.
  Seconds ask_again = kUnknownTime;
  // The failure belongs to an attempt before the one that still runs.
  bool past = false;
  // Its operator retries the failure (Context.operator_retries).
  bool retried = false;
  std::optional<std::int32_t> exit_code;
  // Number of members that ended for reasons other than the program.
  int external_ends = 0;
  // From a message, if the report lacks the pod; else empty.
  std::string named_pod;
  std::string named_container;
  std::vector<std::string> warnings;

  const Candidate* decisive() const {
    return winner >= 0 ? &facts[static_cast<std::size_t>(winner)] : nullptr;
  }
  // Returns the fact that names the cause; null if none decides.
  const Candidate* naming() const {
    return hint >= 0 ? &facts[static_cast<std::size_t>(hint)] : decisive();
  }
};

}  // namespace mulligan::demystify

#endif  // MULLIGAN_POLICY_DEMYSTIFY_CONCLUSION_H_
