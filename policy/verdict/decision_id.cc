#include "policy/verdict/decision_id.h"

#include <cstdint>
#include <string>

#include "policy/base/stable_hash.h"

namespace mulligan {
namespace {

std::uint64_t HashLedger(const v1::BudgetLedger& ledger) {
  StableHash hash;
  hash.Add(ledger.workload_uid())
      .Add(static_cast<std::uint64_t>(ledger.attempts_seen()))
      .Add(static_cast<std::uint64_t>(ledger.history_size()));
  for (const v1::AttemptRecord& record : ledger.history()) {
    hash.Add(record.failure_id());
  }
  std::uint64_t budgets = 0;  // a sum, because maps have no order
  for (const auto& [name, use] : ledger.budgets()) {
    budgets += StableHash()
                   .Add(name)
                   .Add(static_cast<std::uint64_t>(use.used()))
                   .Add(static_cast<std::uint64_t>(use.refunded()))
                   .value();
  }
  return hash.Add(budgets).value();
}

}  // namespace

std::string DecisionId(const v1::DecideRequest& request,
                       const v1::DecideResponse& response,
                       const std::string& failure_id, absl::Time observed_at) {
  const v1::Diagnosis& diagnosis = response.diagnosis();
  StableHash hash;
  hash.Add(response.policy().name())
      .Add(response.policy().revision())
      .Add(failure_id)
      .Add(static_cast<std::uint64_t>(request.report().attempt()))
      .Add(static_cast<std::uint64_t>(absl::ToUnixNanos(observed_at)))
      .Add(HashLedger(request.ledger()))
      .Add(static_cast<std::uint64_t>(diagnosis.cause()))
      .Add(static_cast<std::uint64_t>(diagnosis.confidence()))
      .Add(diagnosis.signature())
      .Add(diagnosis.fingerprint())
      .Add(diagnosis.culprit().pod())
      .Add(diagnosis.culprit().container())
      .Add(diagnosis.culprit().node())
      .Add(static_cast<std::uint64_t>(diagnosis.derived_cause()))
      .Add(diagnosis.derived_reason());
  std::string id = "d-";
  AppendHex(hash.value(), id);
  return id;
}

}  // namespace mulligan
