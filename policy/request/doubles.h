// An object that a report has more than once is one object.
#ifndef MULLIGAN_POLICY_REQUEST_DOUBLES_H_
#define MULLIGAN_POLICY_REQUEST_DOUBLES_H_

#include <string>

#include "mulligan/v1/report.pb.h"
#include "policy/request/ownership.h"

namespace mulligan {

// Adds to `unread` the pods and Jobs that `report` has again: with the same
// UID, or without one of the same namespace, name and time of creation. The
// last stays, unless an earlier one has a higher resourceVersion. Returns the
// first of them, "Pod ml/train-0"; empty: there is none.
std::string AddDoubles(const v1::FailureReport& report, Unread& unread);

}  // namespace mulligan

#endif  // MULLIGAN_POLICY_REQUEST_DOUBLES_H_
