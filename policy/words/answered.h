// The input of advice.
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

// Without a decision, the members from `decision` on are empty.
struct Answered {
  const Owners& owners;
  // The workload of the failure.
  const v1::WorkloadReference& workload;
  const Failure& failure;
  // Its diagnosis, complete except for the advice.
  const v1::Diagnosis& diagnosis;
  const v1::Decision& decision = v1::Decision::default_instance();
  const v1::BudgetLedger& ledger = v1::BudgetLedger::default_instance();
  // The id of the current failure, as in its record.
  std::string_view failure_id = {};
  // Null if the operator was not asked.
  const v1::NativeVerdict* native = nullptr;
  // Advice of an organisation's own signature, if one decided; else empty.
  std::string_view own_remedy = {};

  const v1::FailureReport& report() const { return owners.report; }
  // Returns the fact that named the cause; null if none decides.
  const demystify::Candidate* naming() const { return failure.found->naming(); }
};

}  // namespace mulligan::words

#endif  // MULLIGAN_POLICY_WORDS_ANSWERED_H_
