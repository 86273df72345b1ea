// The answer before it is written down.
#ifndef MULLIGAN_POLICY_DEMYSTIFY_VERDICT_H_
#define MULLIGAN_POLICY_DEMYSTIFY_VERDICT_H_

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "policy/demystify/candidate.h"
#include "policy/demystify/context.h"
#include "policy/demystify/gang.h"

namespace mulligan::demystify {

struct Verdict {
  // All facts of the root pod and of the other objects, weighed.
  Candidates facts;
  // Index into facts; -1: nothing decides.
  int winner = -1;
  Gang gang;
  v1::Cause cause = v1::UNKNOWN;
  v1::Confidence confidence = v1::LOW;
  std::optional<std::int32_t> exit_code;
  // Named by a message when the pod itself is not in the report.
  std::string named_pod;
  std::string named_container;
  std::vector<std::string> warnings;

  const Candidate* decisive() const {
    return winner >= 0 ? &facts[static_cast<std::size_t>(winner)] : nullptr;
  }
};

// Reads the whole report and decides.
Verdict Judge(const Context& context);

}  // namespace mulligan::demystify

#endif  // MULLIGAN_POLICY_DEMYSTIFY_VERDICT_H_
