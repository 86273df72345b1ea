// What advice is made of.
#ifndef MULLIGAN_POLICY_WORDS_ANSWERED_H_
#define MULLIGAN_POLICY_WORDS_ANSWERED_H_

#include <string_view>

#include "mulligan/v1/decision.pb.h"
#include "mulligan/v1/diagnosis.pb.h"
#include "mulligan/v1/ledger.pb.h"
#include "mulligan/v1/native.pb.h"
#include "mulligan/v1/report.pb.h"
#include "policy/demystify/conclusion.h"
#include "policy/demystify/failure.h"
#include "policy/request/owners.h"

namespace mulligan::words {

// What was answered about a failure. Without a decision the members from
// `decision` on are empty.
struct Answered {
  const Owners& owners;
  // Whose failure it is.
  const v1::WorkloadReference& workload;
  const Failure& failure;
  // Its diagnosis, written but for the advice.
  const v1::Diagnosis& diagnosis;
  const v1::Decision& decision = v1::Decision::default_instance();
  const v1::BudgetLedger& ledger = v1::BudgetLedger::default_instance();
  // The record of the failure at hand.
  std::string_view failure_id = {};
  // Null: the operator was not asked.
  const v1::NativeVerdict* native = nullptr;
  // What an organisation's own signature that decided says to do; empty: no
  // such signature decided, or it says nothing.
  std::string_view own_remedy = {};

  const v1::FailureReport& report() const { return owners.report; }
  // The fact that named the cause; null: nothing decides.
  const demystify::Candidate* naming() const { return failure.found->naming(); }
};

}  // namespace mulligan::words

#endif  // MULLIGAN_POLICY_WORDS_ANSWERED_H_
