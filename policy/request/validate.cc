#include "policy/request/validate.h"

#include <cstdint>
#include <string>

#include "absl/strings/str_cat.h"
#include "policy/base/issue.h"
#include "policy/limits.h"
#include "policy/request/field_path.h"
#include "policy/request/refusal.h"
#include "policy/request/validate_report.h"

namespace mulligan {
namespace {

// Validates the parts that both requests share.
void ValidateCommon(const auto& message, const Owners& owners,
                    const FieldPath& request) {
  const FieldPath report = request.In("report");
  if (message.has_report()) {
    ValidateReport(owners, report);
  } else {
    report.Violate("absent, expected what failed");
  }
}

constexpr std::int64_t kMaxInt32 = std::numeric_limits<std::int32_t>::max();

void CheckBudgetName(const std::string& name, const FieldPath& path) {
  if (!IsDnsLabel(name)) {
    path.Violate(absl::StrCat("\"", name.substr(0, 80),
                              "\" is no budget name, expected "
                              "lower-case letters, digits and '-'"));
  }
}

void ValidateBudgets(const v1::BudgetLedger& ledger, const FieldPath& parent) {
  const FieldPath path = parent.In("budgets");
  parent.Count("budgets", static_cast<int>(ledger.budgets().size()),
               kMaxLedgerBudgets, "budgets");
  // Sorted, because the order of a protobuf map varies.
  std::map<std::string, const v1::BudgetUse*> by_name;
  for (const auto& [name, use] : ledger.budgets()) by_name[name] = &use;
  for (const auto& [name, use] : by_name) {
    CheckBudgetName(name, path);
    const FieldPath entry = path.In(name.c_str());
    entry.Number("used", use->used(), 0, kMaxLedgerCount);
    entry.Number("refunded", use->refunded(), 0, kMaxLedgerCount);
    entry.Time("windowStart", use->window_start());
  }
}

void CheckNotEmpty(const std::string& name, const FieldPath& path) {
  if (name.empty()) path.Violate("empty, expected a name");
}

void ValidateDecision(const v1::Decision& decision, const FieldPath& path) {
  path.Span("retryAfter", decision.retry_after());
  if (const std::int64_t seconds = decision.retry_after().seconds();
      seconds > kMaxPolicySeconds) {
    path.In("retryAfter")
        .Violate(absl::StrCat(seconds, " s, expected at most ",
                              kMaxPolicySeconds, " s"));
  }
  path.Name("sentence", decision.sentence());
  path.Time("evidenceDeadline", decision.evidence_deadline());
  path.Count("resources", decision.resources_size(), kMaxRecordAdvice,
             "changes");
  for (int i = 0; i < decision.resources_size(); ++i) {
    const v1::ResourceChange& change = decision.resources(i);
    const FieldPath entry = path.In("resources", i);
    CheckNotEmpty(change.resource(), entry.In("resource"));
    entry.Text("resource", change.resource(), kMaxLedgerNodeBytes);
    entry.Text("container", change.container(), kMaxLedgerNodeBytes);
    const double factor = change.factor();
    if (!std::isfinite(factor) || factor < 1 || factor > kMaxFactor) {
      entry.In("factor").Violate(
          absl::StrCat(factor, ", expected 1 to ", kMaxFactor));
    }
  }
  const auto& nodes = decision.placement().avoid_nodes();
  const FieldPath placement = path.In("placement");
  placement.Name("onDemandReason", decision.placement().on_demand_reason());
  placement.Count("avoidNodes", nodes.size(), kMaxRecordAdvice, "nodes");
  for (int i = 0; i < nodes.size(); ++i) {
    const FieldPath entry = placement.In("avoidNodes", i);
    CheckNotEmpty(nodes[i].node(), entry.In("node"));
    entry.Text("node", nodes[i].node(), kMaxLedgerNodeBytes);
    entry.Time("expiresAt", nodes[i].expires_at());
    entry.Name("reason", nodes[i].reason());
  }
}

void ValidateRecord(const v1::AttemptRecord& record, const FieldPath& path) {
  if (record.failure_id().empty()) {
    path.In("failureId").Violate("empty, expected an id");
  }
  path.Text("failureId", record.failure_id(), kMaxIdBytes);
  path.Number("attempt", record.attempt(), 1, kMaxInt32);
  if (!record.charged_to().empty()) {
    CheckBudgetName(record.charged_to(), path.In("chargedTo"));
  }
  if (!record.refusing_budget().empty()) {
    CheckBudgetName(record.refusing_budget(), path.In("refusingBudget"));
  }
  path.Text("node", record.node(), kMaxLedgerNodeBytes);
  path.Text("fingerprint", record.fingerprint(), kMaxFingerprintBytes);
  path.Text("artifact", record.artifact(), kMaxArtifactBytes);
  path.Time("finishedAt", record.finished_at());
  path.Time("observedAt", record.observed_at());
  path.Time("struckAt", record.struck_at());
  path.Text("part", record.part(), kMaxPartBytes);
  path.Span("ranFor", record.ran_for());
  path.Finite("progress", record.progress());
  path.Number("used", record.used(), 0, kMaxInt32);
  path.Number("bound", record.bound(), 0, kMaxInt32);
  ValidateDecision(record.decision(), path.In("decision"));
}

void ValidateGroup(const v1::FailureGroup& group, const FieldPath& path) {
  path.Name("node", group.node());
  path.Name("zone", group.zone());
  path.Name("image", group.image());
  // A group that only has retry results may have no workload that fails now.
  const bool of_retries = group.passed() > 0 || group.failed_again() > 0;
  path.Number("workloads", group.workloads(), of_retries ? 0 : 1,
              kMaxRecentCount);
  path.Number("passed", group.passed(), 0, kMaxRecentCount);
  path.Number("failedAgain", group.failed_again(), 0, kMaxRecentCount);
  if (!std::isfinite(group.usual()) || group.usual() < 0 ||
      group.usual() > kMaxRecentCount) {
    path.In("usual").Violate(
        absl::StrCat(group.usual(), ", expected 0 to ", kMaxRecentCount));
  }
}

void ValidateWindow(const google::protobuf::Duration& window,
                    const FieldPath& path) {
  if (!IsValidDuration(window) || ToDuration(window) <= absl::ZeroDuration() ||
      ToDuration(window) > absl::Seconds(kMaxRecentSeconds)) {
    path.Violate(absl::StrCat(window.seconds(), " s and ", window.nanos(),
                              " ns, expected more than 0 and at most ",
                              kMaxRecentSeconds, " s"));
  }
}

void ValidateDigest(const v1::RecentFailures& recent, const FieldPath& path) {
  ValidateWindow(recent.window(), path.In("window"));
  const struct {
    const char* field;
    std::int32_t value;
  } counts[] = {{"failed", recent.failed()},
                {"running", recent.running()},
                {"nodes", recent.nodes()},
                {"canaries", recent.canaries()},
                {"recovered", recent.recovered()}};
  for (const auto& count : counts) {
    path.Number(count.field, count.value, 0, kMaxRecentCount);
  }
  path.Name("zone", recent.zone());
  path.Name("image", recent.image());
  path.Count("groups", recent.groups_size(), kMaxFailureGroups, "groups");
  std::int64_t sum = 0;
  for (int i = 0; i < recent.groups_size(); ++i) {
    ValidateGroup(recent.groups(i), path.In("groups", i));
    sum += recent.groups(i).workloads();
  }
  if (recent.failed() >= 0 && recent.failed() < sum) {
    path.In("failed").Violate(absl::StrCat(recent.failed(),
                                           ", expected at least the ", sum,
                                           " workloads of its groups"));
  }
}

// Checks the ledger. Ledgers that this service returns are valid, so a
// violation means that the ledger was edited or damaged.
void ValidateLedger(const v1::BudgetLedger& ledger, const FieldPath& path) {
  path.Text("workloadUid", ledger.workload_uid(), kMaxLedgerUidBytes);
  path.Number("attemptsSeen", ledger.attempts_seen(), 0, kMaxInt32);
  path.Text("seededFrom", ledger.seeded_from(), kMaxIdBytes);
  path.Text("workloadKind", ledger.workload_kind(), kMaxIdBytes);
  path.Number("historyDropped", ledger.history_dropped(), 0,
              kMaxInt32 - kMaxHistory);
  path.Number("nativeCount", ledger.native_count(), 0, kMaxLedgerCount);
  ValidateBudgets(ledger, path);
  path.Count("history", ledger.history_size(), kMaxHistory, "records");
  for (int i = 0; i < ledger.history_size(); ++i) {
    ValidateRecord(ledger.history(i), path.In("history", i));
  }
}

void ValidateRecent(
    const google::protobuf::RepeatedPtrField<v1::RecentFailures>& recent,
    const FieldPath& request) {
  request.Count("recent", recent.size(), kMaxRecentWindows, "windows");
  for (int i = 0; i < recent.size(); ++i) {
    ValidateDigest(recent[i], request.In("recent", i));
  }
}

void ValidateLimits(const v1::DecideRequest& message,
                    const FieldPath& request) {
  const FieldPath path = request.In("limits");
  request.Count("limits", static_cast<int>(message.limits().size()),
                kMaxLedgerBudgets, "budgets");
  const std::map<std::string, std::int32_t> by_name(message.limits().begin(),
                                                    message.limits().end());
  for (const auto& [name, limit] : by_name) {
    CheckBudgetName(name, path);
    path.Number(name.c_str(), limit, 0, kMaxBudgetLimit);
  }
}

}  // namespace

std::vector<FieldViolation> Validate(const v1::DecideRequest& request,
                                     const Owners& owners) {
  std::vector<FieldViolation> violations;
  const FieldPath path(violations);
  ValidateCommon(request, owners, path);
  if (request.has_ledger()) {
    ValidateLedger(request.ledger(), path.In("ledger"));
  }
  ValidateRecent(request.recent(), path);
  if (!request.limits().empty()) ValidateLimits(request, path);
  path.Name("policy", request.policy());
  path.Text("requestId", request.request_id(), kMaxIdBytes);
  return violations;
}

std::vector<FieldViolation> Validate(const v1::DemystifyRequest& request,
                                     const Owners& owners) {
  std::vector<FieldViolation> violations;
  const FieldPath path(violations);
  ValidateCommon(request, owners, path);
  path.Name("policy", request.policy());
  return violations;
}

}  // namespace mulligan
