// Other possible causes of a failure, as text.
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
  // For an unsure cause: evidence that would settle it.
  std::vector<Needed> needed;
};

// If `all`, also lists alternatives to a certain cause, not only hints.
Readings ReadingsOf(const demystify::Context& context,
                    const demystify::Conclusion& conclusion,
                    const Culprit& culprit, bool all);

// Returns for example "exit code 143 alone" or "reason Evicted alone", or only
// the field: "deletionTimestamp alone".
std::string Alone(const v1::FailureReport& report,
                  const demystify::Candidate& fact);

}  // namespace mulligan::words

#endif  // MULLIGAN_POLICY_WORDS_OTHER_READINGS_H_
