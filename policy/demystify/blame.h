// Who must act on a failure, and whether the work can recover.
#ifndef MULLIGAN_POLICY_DEMYSTIFY_BLAME_H_
#define MULLIGAN_POLICY_DEMYSTIFY_BLAME_H_

#include <string>

#include "mulligan/v1/diagnosis.pb.h"
#include "policy/demystify/conclusion.h"
#include "policy/demystify/context.h"

namespace mulligan::demystify {

// Returns the fault domain, which says who must act.
v1::Diagnosis::FaultDomain DomainOf(const Context& context,
                                    const Conclusion& conclusion);

struct OutlookFound {
  v1::Diagnosis::Outlook outlook = v1::Diagnosis::OUTLOOK_UNSPECIFIED;
  // The reason for the outlook; empty if unspecified.
  std::string reason;
  // See Failure.fatal_if_repeated.
  bool fatal_if_repeated = false;
};

// Returns an unspecified outlook for work that is not broken.
OutlookFound OutlookOf(const Context& context, const Conclusion& conclusion);

// Returns whether the cause, or the row that names it, points to the node.
bool PointsToNode(const Conclusion& conclusion);

}  // namespace mulligan::demystify

#endif  // MULLIGAN_POLICY_DEMYSTIFY_BLAME_H_
