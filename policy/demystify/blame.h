// Who has to act, and whether the work can recover.
#ifndef MULLIGAN_POLICY_DEMYSTIFY_BLAME_H_
#define MULLIGAN_POLICY_DEMYSTIFY_BLAME_H_

#include <string>

#include "mulligan/v1/diagnosis.pb.h"
#include "policy/demystify/conclusion.h"
#include "policy/demystify/context.h"

namespace mulligan::demystify {

// Who has to act.
v1::Diagnosis::FaultDomain DomainOf(const Context& context,
                                    const Conclusion& conclusion);

struct OutlookFound {
  v1::Diagnosis::Outlook outlook = v1::Diagnosis::OUTLOOK_UNSPECIFIED;
  // In words; empty when the outlook is unspecified.
  std::string reason;
  // See Failure.may_get_past.
  bool may_get_past = false;
};

// Unspecified for what is not broken.
OutlookFound OutlookOf(const Context& context, const Conclusion& conclusion);

// Whether what was found is about the node it was found on: its cause is, or
// the row that names it.
bool PointsToNode(const Conclusion& conclusion);

}  // namespace mulligan::demystify

#endif  // MULLIGAN_POLICY_DEMYSTIFY_BLAME_H_
