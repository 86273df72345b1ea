// Is anything broken? Signs that the work lives, for reports in which nothing
// says that it ended.
#ifndef MULLIGAN_POLICY_DEMYSTIFY_LIFE_SIGNS_H_
#define MULLIGAN_POLICY_DEMYSTIFY_LIFE_SIGNS_H_

#include <vector>

#include "policy/demystify/candidate.h"
#include "policy/demystify/context.h"
#include "policy/demystify/member.h"

namespace mulligan::demystify {

// Whether the object that owns the pods says that it has failed for good, so
// that pods that still live do not count.
bool OwnerGaveUp(const v1::FailureReport& report);

// Whether the owner replaces its parts by itself and says that it goes on: the
// death of pods[pod] is then no end of the work.
//
//   RayJob            Ray restarts workers; the head is the job (KubeRay 1.5)
//   SparkApplication  the driver replaces executors (Spark operator 2)
bool OwnerGoesOn(const v1::FailureReport& report, int pod);

// Adds the state of the most senior object that has one, of the shape "is
// running" or "starts"; nothing when no object has a status.
void AddLifeSign(const Context& context, const std::vector<Member>& members,
                 const std::vector<int>& pods, Candidates& facts);

// When to look again at work that has not started: then the first of its pods
// has been starting for too long. Unknown: every further change will be an
// event of its own.
Seconds StuckAt(const Context& context, const std::vector<int>& pods);

}  // namespace mulligan::demystify

#endif  // MULLIGAN_POLICY_DEMYSTIFY_LIFE_SIGNS_H_
