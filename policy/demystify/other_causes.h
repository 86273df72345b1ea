// What else a failure may have been.
#ifndef MULLIGAN_POLICY_DEMYSTIFY_OTHER_CAUSES_H_
#define MULLIGAN_POLICY_DEMYSTIFY_OTHER_CAUSES_H_

#include <string_view>
#include <vector>

#include "mulligan/v1/cause.pb.h"
#include "policy/demystify/causes.h"
#include "policy/demystify/conclusion.h"
#include "policy/demystify/context.h"

namespace mulligan::demystify {

// One of both is set.
struct OtherCause {
  v1::Cause cause;
  // What speaks for it.
  const Candidate* fact = nullptr;
  // It is another reading of the cause that was found.
  const Alternative* reading = nullptr;
};

// Each once, the likeliest first, at most eight: what somebody else made of it
// (FailureReport.hints); then, if `all`, causes that did not win and other
// readings of the one that did.
std::vector<OtherCause> OtherCausesOf(const v1::FailureReport& report,
                                      const Conclusion& conclusion, bool all);

// Whether the report lacks what could rule a reading out.
bool Lacks(const Context& context, const Conclusion& conclusion, Part part);

// The words that a conclusion is about: the culprit's own, or the object's.
std::string_view MessageOf(const v1::FailureReport& report,
                           const Conclusion& conclusion);

}  // namespace mulligan::demystify

#endif  // MULLIGAN_POLICY_DEMYSTIFY_OTHER_CAUSES_H_
