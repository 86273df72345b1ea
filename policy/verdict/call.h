// One call of the decision, as far as it has come.
#ifndef MULLIGAN_POLICY_VERDICT_CALL_H_
#define MULLIGAN_POLICY_VERDICT_CALL_H_

#include <optional>
#include <string>
#include <utility>

#include "absl/time/time.h"
#include "google/protobuf/timestamp.pb.h"
#include "mulligan/v1/diagnosis.pb.h"
#include "mulligan/v1/ledger.pb.h"
#include "mulligan/v1/retry_decision_service.pb.h"
#include "policy/base/pattern_allowance.h"
#include "policy/base/warnings.h"
#include "policy/demystify/demystify.h"
#include "policy/request/workload_view.h"
#include "policy/rules/policy_set.h"

namespace mulligan {

// The state of one call. `request.report` is about one workload.
struct Call {
  const v1::DecideRequest& request;
  const Owners& owners;  // of its report
  const ChosenPolicy& policy;
  const v1::WorkloadReference& workload;
  google::protobuf::Timestamp observed_at;  // the report's, else the server's
  absl::Time now;                           // the same
  PatternAllowance& patterns;               // for all patterns of the call
  v1::DecideResponse& response;
  std::optional<absl::Time> since = std::nullopt;  // the earliest sign of it
  Findings findings = {};

  const CompiledPolicy& compiled() const { return policy.rules->compiled(); }
  const v1::BudgetLedger& ledger() const { return response.ledger(); }
  v1::BudgetLedger& ledger() { return *response.mutable_ledger(); }
  const v1::Diagnosis& diagnosis() const { return response.diagnosis(); }
  v1::Diagnosis& diagnosis() { return *response.mutable_diagnosis(); }
  void Warn(std::string text) {
    AddWarning(std::move(text), *response.mutable_warnings());
  }
};

}  // namespace mulligan

#endif  // MULLIGAN_POLICY_VERDICT_CALL_H_
