// What else a failure may have been, in words.
#ifndef MULLIGAN_POLICY_WORDS_OTHER_READINGS_H_
#define MULLIGAN_POLICY_WORDS_OTHER_READINGS_H_

#include <string>
#include <vector>

#include "mulligan/v1/cause.pb.h"
#include "policy/demystify/conclusion.h"
#include "policy/demystify/context.h"
#include "policy/demystify/failure.h"

namespace mulligan::words {

// v1::ConsideredCause
struct Considered {
  v1::Cause cause;
  std::string why_not;
};

// v1::NeededEvidence
struct Needed {
  std::string what;
  std::string why;
};

struct Readings {
  std::vector<Considered> considered;
  // Of an unsure cause: what would settle it.
  std::vector<Needed> needed;
};

// `all`: of a sure cause too.
Readings ReadingsOf(const demystify::Context& context,
                    const demystify::Conclusion& conclusion,
                    const Culprit& culprit, bool all);

// "exit code 143 alone", "reason Evicted alone"; of a field that says no more
// than that it is set, "deletionTimestamp alone".
std::string Alone(const v1::FailureReport& report,
                  const demystify::Candidate& fact);

}  // namespace mulligan::words

#endif  // MULLIGAN_POLICY_WORDS_OTHER_READINGS_H_
