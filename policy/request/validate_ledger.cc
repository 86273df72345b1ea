#include <cmath>
#include <cstdint>
#include <limits>
#include <string>

#include "absl/strings/str_cat.h"
#include "policy/base/checks.h"
#include "policy/limits.h"
#include "policy/request/field_checks.h"
#include "policy/request/validate_parts.h"

namespace mulligan {
namespace {

void CheckBudgetName(const std::string& name, const FieldPath& path,
                     Violations& violations) {
  if (!IsDnsLabel(name)) {
    violations.Add(path, absl::StrCat("\"", name.substr(0, 80),
                                      "\" is no budget name, expected "
                                      "lower-case letters, digits and '-'"));
  }
}

void ValidateBudgets(const v1::BudgetLedger& ledger, const FieldPath& parent,
                     Violations& violations) {
  const FieldPath path(parent, "budgets");
  CheckCount(static_cast<int>(ledger.budgets().size()), kMaxLedgerBudgets,
             "budgets", path, violations);
  for (const auto& [name, use] : ledger.budgets()) {
    CheckBudgetName(name, path, violations);
    const FieldPath entry(path, name.c_str());
    CheckNumber(use.used(), 0, kMaxLedgerCount, FieldPath(entry, "used"),
                violations);
    CheckNumber(use.refunded(), 0, kMaxLedgerCount,
                FieldPath(entry, "refunded"), violations);
    CheckTime(use.window_start(), FieldPath(entry, "windowStart"), violations);
  }
}

void ValidateDecision(const v1::Decision& decision, const FieldPath& path,
                      Violations& violations) {
  CheckSpan(decision.retry_after(), FieldPath(path, "retryAfter"), violations);
  CheckTime(decision.evidence_deadline(), FieldPath(path, "evidenceDeadline"),
            violations);
  const FieldPath resources(path, "resources");
  CheckCount(decision.resources_size(), kMaxRecordAdvice, "changes", resources,
             violations);
  for (int i = 0; i < decision.resources_size(); ++i) {
    const v1::ResourceChange& change = decision.resources(i);
    const FieldPath entry(path, "resources", i);
    CheckText(change.resource(), kMaxLedgerNodeBytes,
              FieldPath(entry, "resource"), violations);
    CheckText(change.container(), kMaxLedgerNodeBytes,
              FieldPath(entry, "container"), violations);
    const double factor = change.factor();
    if (!std::isfinite(factor) || factor < 0 || factor > kMaxFactor) {
      violations.Add(FieldPath(entry, "factor"),
                     absl::StrCat(factor, ", expected at most ", kMaxFactor));
    }
  }
  const auto& nodes = decision.placement().avoid_nodes();
  const FieldPath placement(path, "placement");
  CheckCount(nodes.size(), kMaxRecordAdvice, "nodes",
             FieldPath(placement, "avoidNodes"), violations);
  for (int i = 0; i < nodes.size(); ++i) {
    const FieldPath entry(placement, "avoidNodes", i);
    CheckText(nodes[i].node(), kMaxLedgerNodeBytes, FieldPath(entry, "node"),
              violations);
    CheckTime(nodes[i].expires_at(), FieldPath(entry, "expiresAt"), violations);
  }
}

void ValidateRecord(const v1::AttemptRecord& record, const FieldPath& path,
                    Violations& violations) {
  if (record.failure_id().empty()) {
    violations.Add(FieldPath(path, "failureId"), "empty, expected an id");
  }
  CheckText(record.failure_id(), kMaxIdBytes, FieldPath(path, "failureId"),
            violations);
  CheckNumber(record.attempt(), 1, std::numeric_limits<std::int32_t>::max(),
              FieldPath(path, "attempt"), violations);
  if (!record.charged_to().empty()) {
    CheckBudgetName(record.charged_to(), FieldPath(path, "chargedTo"),
                    violations);
  }
  if (!record.refusing_budget().empty()) {
    CheckBudgetName(record.refusing_budget(), FieldPath(path, "refusingBudget"),
                    violations);
  }
  CheckText(record.node(), kMaxLedgerNodeBytes, FieldPath(path, "node"),
            violations);
  CheckText(record.fingerprint(), kMaxFingerprintBytes,
            FieldPath(path, "fingerprint"), violations);
  CheckText(record.artifact(), kMaxArtifactBytes, FieldPath(path, "artifact"),
            violations);
  CheckTime(record.finished_at(), FieldPath(path, "finishedAt"), violations);
  CheckTime(record.observed_at(), FieldPath(path, "observedAt"), violations);
  CheckSpan(record.ran_for(), FieldPath(path, "ranFor"), violations);
  CheckFinite(record.progress(), FieldPath(path, "progress"), violations);
  CheckNumber(record.used(), 0, std::numeric_limits<std::int32_t>::max(),
              FieldPath(path, "used"), violations);
  CheckNumber(record.bound(), 0, std::numeric_limits<std::int32_t>::max(),
              FieldPath(path, "bound"), violations);
  ValidateDecision(record.decision(), FieldPath(path, "decision"), violations);
}

}  // namespace

void ValidateLedger(const v1::BudgetLedger& ledger, Violations& violations) {
  const FieldPath path("ledger");
  CheckText(ledger.workload_uid(), kMaxLedgerUidBytes,
            FieldPath(path, "workloadUid"), violations);
  CheckNumber(ledger.attempts_seen(), 0,
              std::numeric_limits<std::int32_t>::max(),
              FieldPath(path, "attemptsSeen"), violations);
  CheckText(ledger.seeded_from(), kMaxIdBytes, FieldPath(path, "seededFrom"),
            violations);
  CheckNumber(ledger.history_dropped(), 0,
              std::numeric_limits<std::int32_t>::max() - kMaxHistory,
              FieldPath(path, "historyDropped"), violations);
  CheckNumber(ledger.native_count(), 0, kMaxLedgerCount,
              FieldPath(path, "nativeCount"), violations);
  ValidateBudgets(ledger, path, violations);
  CheckCount(ledger.history_size(), kMaxHistory, "records",
             FieldPath(path, "history"), violations);
  for (int i = 0; i < ledger.history_size(); ++i) {
    ValidateRecord(ledger.history(i), FieldPath(path, "history", i),
                   violations);
  }
}

}  // namespace mulligan
