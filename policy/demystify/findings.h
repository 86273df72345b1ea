// What the later stages need besides the diagnosis.
#ifndef MULLIGAN_POLICY_DEMYSTIFY_FINDINGS_H_
#define MULLIGAN_POLICY_DEMYSTIFY_FINDINGS_H_

#include <string>
#include <vector>

#include "policy/demystify/judge.h"

namespace mulligan::demystify {

// The earliest sign of the trouble the conclusion names.
Seconds SinceOf(const Context& context, const Conclusion& conclusion);

// Appends what is odd about the report itself: values and kinds this version
// does not know, values that cannot be or not together, times in the future.
void CheckReport(const Context& context, std::vector<std::string>& warnings);

}  // namespace mulligan::demystify

#endif  // MULLIGAN_POLICY_DEMYSTIFY_FINDINGS_H_
