// Parts of an answer's texts, for programs that show it in their own form.
#ifndef MULLIGAN_POLICY_WORDING_H_
#define MULLIGAN_POLICY_WORDING_H_

#include <string>
#include <string_view>

#include "mulligan/v1/decision.pb.h"
#include "mulligan/v1/diagnosis.pb.h"
#include "mulligan/v1/report.pb.h"

namespace mulligan {

// Prefix of `why_not` for a considered cause that is still possible because
// evidence is missing.
inline constexpr char kNotRuledOut[] = "not ruled out: ";

// Prefix of the warning that there is no native verdict to compare with.
inline constexpr char kNoNativeVerdict[] = "no native verdict: ";

// Returns "the JobSet", for example; "the workload" if unset.
std::string_view ScopeText(v1::Decision::Scope scope);

// Returns who has to act on a failure of this cause if nothing else is known
// about it.
v1::Diagnosis::FaultDomain FaultDomainOf(v1::Cause cause);

// Returns the verdict alone: "retry the pod in 12s with memory x1.5".
std::string VerdictText(const v1::Decision& decision);

// Returns whether the change has a base amount to multiply: false if the report
// shows that the container has no limit and no request for the resource.
bool HasBase(const v1::ResourceChange& change, const v1::FailureReport& report,
             const v1::Culprit& culprit);

}  // namespace mulligan

#endif  // MULLIGAN_POLICY_WORDING_H_
