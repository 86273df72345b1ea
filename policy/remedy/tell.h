// What people are told of an answer: what stopped the work, in a sentence, and
// what to do first. The last thing that is written: nothing is decided by it.
#ifndef MULLIGAN_POLICY_REMEDY_TELL_H_
#define MULLIGAN_POLICY_REMEDY_TELL_H_

#include "mulligan/v1/decision.pb.h"
#include "mulligan/v1/diagnosis.pb.h"
#include "mulligan/v1/report.pb.h"
#include "policy/remedy/answered.h"

namespace mulligan {

// Fills `problem`, `problem_evidence` and `first_step` of `diagnosis`, whose
// paths point into the report.
void Tell(const Answered& answered, v1::Diagnosis& diagnosis);

// Whether there is something that the change multiplies: false where the report
// shows the container without limit and request of the resource.
bool HasBase(const v1::ResourceChange& change, const v1::FailureReport& report,
             const v1::Culprit& culprit);

}  // namespace mulligan

#endif  // MULLIGAN_POLICY_REMEDY_TELL_H_
