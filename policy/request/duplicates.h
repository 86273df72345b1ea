// Removal of objects that a report contains more than once.
#ifndef MULLIGAN_POLICY_REQUEST_DUPLICATES_H_
#define MULLIGAN_POLICY_REQUEST_DUPLICATES_H_

#include <string>

#include "mulligan/v1/report.pb.h"
#include "policy/request/ownership.h"

namespace mulligan {

// Adds the duplicate pods and Jobs of `report` to `unread`. Duplicates share a
// UID or, without one, namespace, name and creation time. The last copy is
// kept, unless an earlier one has a higher resourceVersion. Returns the first
// duplicate as "Pod ml/train-0"; empty if none.
std::string AddDuplicates(const v1::FailureReport& report, Unread& unread);

}  // namespace mulligan

#endif  // MULLIGAN_POLICY_REQUEST_DUPLICATES_H_
