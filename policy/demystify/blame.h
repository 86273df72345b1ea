// Who has to act, and whether the work can recover unchanged: what the evidence
// says, and where it says nothing, what the row of the cause does.
#ifndef MULLIGAN_POLICY_DEMYSTIFY_BLAME_H_
#define MULLIGAN_POLICY_DEMYSTIFY_BLAME_H_

#include <string>

#include "mulligan/v1/diagnosis.pb.h"
#include "policy/demystify/context.h"
#include "policy/demystify/judge.h"

namespace mulligan::demystify {

v1::Diagnosis::FaultDomain DomainOf(const Context& context,
                                    const Conclusion& conclusion);

struct OutlookFound {
  v1::Diagnosis::Outlook outlook = v1::Diagnosis::OUTLOOK_UNSPECIFIED;
  // In words; empty when the outlook is unspecified.
  std::string reason;
};

// Unspecified for what is not broken.
OutlookFound OutlookOf(const Context& context, const Conclusion& conclusion);

}  // namespace mulligan::demystify

#endif  // MULLIGAN_POLICY_DEMYSTIFY_BLAME_H_
