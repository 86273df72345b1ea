// What people are told about.
#ifndef MULLIGAN_POLICY_REMEDY_ANSWERED_H_
#define MULLIGAN_POLICY_REMEDY_ANSWERED_H_

#include <string_view>

#include "mulligan/v1/decision.pb.h"
#include "mulligan/v1/ledger.pb.h"
#include "mulligan/v1/native.pb.h"
#include "mulligan/v1/report.pb.h"
#include "policy/request/owners.h"

namespace mulligan {

// What was answered about a diagnosis. Without a decision these are empty.
struct Answered {
  const Owners& owners;
  // Whose failure it is.
  const v1::WorkloadReference& workload;
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
};

}  // namespace mulligan

#endif  // MULLIGAN_POLICY_REMEDY_ANSWERED_H_
