// What people are told of an answer: what stopped the work, in a sentence, and
// what to do first. The last thing that is written: nothing is decided by it.
#ifndef MULLIGAN_POLICY_REMEDY_TELL_H_
#define MULLIGAN_POLICY_REMEDY_TELL_H_

#include <string_view>

#include "mulligan/v1/decision.pb.h"
#include "mulligan/v1/diagnosis.pb.h"
#include "mulligan/v1/ledger.pb.h"
#include "mulligan/v1/native.pb.h"
#include "mulligan/v1/report.pb.h"

namespace mulligan {

// What was answered about a diagnosis. Without a decision these are empty.
struct Answered {
  const v1::FailureReport& report;
  const v1::Decision& decision = v1::Decision::default_instance();
  const v1::BudgetLedger& ledger = v1::BudgetLedger::default_instance();
  // The record of the failure at hand.
  std::string_view failure_id = {};
  // Null: the operator was not asked.
  const v1::NativeVerdict* native = nullptr;
  // What an organisation's own signature that decided says to do; empty: no
  // such signature decided, or it says nothing.
  std::string_view own_remedy = {};
};

// Fills `problem`, `problem_evidence` and `first_step` of `diagnosis`, whose
// paths point into the report.
void Tell(const Answered& answered, v1::Diagnosis& diagnosis);

// Whether there is something that the change multiplies: false where the report
// shows the container without limit and request of the resource.
bool HasBase(const v1::ResourceChange& change, const v1::FailureReport& report,
             const v1::Culprit& culprit);

}  // namespace mulligan

#endif  // MULLIGAN_POLICY_REMEDY_TELL_H_
