// Other possible causes of a failure.
#ifndef MULLIGAN_POLICY_DEMYSTIFY_OTHER_CAUSES_H_
#define MULLIGAN_POLICY_DEMYSTIFY_OTHER_CAUSES_H_

#include <string_view>
#include <vector>

#include "mulligan/v1/cause.pb.h"
#include "policy/demystify/causes.h"
#include "policy/demystify/conclusion.h"
#include "policy/demystify/context.h"

namespace mulligan::demystify {

// Exactly one of `fact` and `reading` is set.
struct OtherCause {
  v1::Cause cause;
  // The fact that supports it.
  const Candidate* fact = nullptr;
  // An alternative to the concluded cause.
  const Alternative* reading = nullptr;
};

// Returns at most eight distinct causes, the likeliest first: hints of the
// caller (FailureReport.hints) and, if `all`, causes that did not win and
// alternatives to the one that did.
std::vector<OtherCause> OtherCausesOf(const v1::FailureReport& report,
                                      const Conclusion& conclusion, bool all);

// Returns whether the report lacks `part`, which could rule out a cause.
bool Lacks(const Context& context, const Conclusion& conclusion, Part part);

// Returns the message of the conclusion's culprit or object.
std::string_view MessageOf(const v1::FailureReport& report,
                           const Conclusion& conclusion);

}  // namespace mulligan::demystify

#endif  // MULLIGAN_POLICY_DEMYSTIFY_OTHER_CAUSES_H_
