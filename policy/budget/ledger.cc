#include "policy/budget/ledger.h"

#include <algorithm>
#include <array>
#include <cstddef>
#include <cstdint>
#include <limits>
#include <string>
#include <vector>

#include "policy/base/counts.h"
#include "policy/demystify/causes.h"
#include "policy/limits.h"
#include "policy/rules/outcome.h"

namespace mulligan {
namespace {

// Returns whether the wire size alone proves that the ledger is below its bound
// in bytes. A byte of text becomes at most six in JSON. The field names of a
// record or budget, with the longest numbers and times, take less than 1000
// bytes.
bool IsClearlySmall(const v1::BudgetLedger& ledger) {
  const auto parts =
      static_cast<std::size_t>(ledger.history_size()) + ledger.budgets().size();
  constexpr std::size_t kNamesPerPart = 1000;
  return parts < kMaxLedgerJsonBytes / kNamesPerPart &&
         ledger.ByteSizeLong() * 6 + (parts + 1) * kNamesPerPart <
             kMaxLedgerJsonBytes;
}

// Longest JSON form in bytes, with quotes.
constexpr std::size_t kInt64 = 22;
constexpr std::size_t kCount = 13;  // up to kMaxLedgerCount, or an int32
constexpr std::size_t kDouble = 26;
constexpr std::size_t kBool = 5;
// `"":,` around a key, and the space that some writers add.
constexpr std::size_t kPunctuation = 5;

// "2026-11-21T09:47:46.123456789Z"
std::size_t TimeSize(const google::protobuf::Timestamp& time) {
  return time.nanos() == 0 ? 24 : 34;
}

// "315576000000.123456789s"
std::size_t Span(const google::protobuf::Duration& duration) {
  return duration.nanos() == 0 ? 16 : 26;
}

// An enum value without a name is a number.
constexpr std::size_t kUnnamed = 12;

// Returns the size of an enum value's name. Protobuf's own Name functions look
// the name up for each call, which a ledger of 30 records needs 200 times.
template <typename Enum>
std::size_t Name(Enum value) {
  static const std::vector<std::size_t> sizes = [] {
    const auto& type = *google::protobuf::GetEnumDescriptor<Enum>();
    std::vector<std::size_t> names;
    for (int i = 0; i < type.value_count(); ++i) {
      const auto number = static_cast<std::size_t>(type.value(i)->number());
      names.resize(std::max(names.size(), number + 1), kUnnamed);
      names[number] = type.value(i)->name().size() + 2;
    }
    return names;
  }();
  const auto number = static_cast<std::size_t>(value);
  return number < sizes.size() ? sizes[number] : kUnnamed;
}

// Bytes of JSON per byte of text. Characters that a writer may escape as \u003c
// take six; a byte of a longer UTF-8 sequence takes at most three (\ud83d\ude00
// for four bytes).
constexpr std::array<std::uint8_t, 256> kByteSizes = [] {
  std::array<std::uint8_t, 256> sizes{};
  for (std::size_t byte = 0; byte < sizes.size(); ++byte) {
    sizes[byte] = byte >= 0x80 ? 3 : byte < 0x20 ? 6 : 1;
  }
  for (const char c : {'\x7f', '<', '>', '&', '\''}) {
    sizes[static_cast<unsigned char>(c)] = 6;
  }
  for (const char c : {'"', '\\'}) sizes[static_cast<unsigned char>(c)] = 2;
  return sizes;
}();

std::size_t Text(const std::string& text) {
  std::size_t size = 2;
  for (const char c : text) size += kByteSizes[static_cast<unsigned char>(c)];
  return size;
}

// Returns the size of an object's member; 0 if its value is absent.
template <std::size_t kKey>
constexpr std::size_t Member(const char (&)[kKey], bool present,
                             std::size_t value) {
  return present ? kKey - 1 + kPunctuation + value : 0;
}

template <std::size_t kKey>
std::size_t TextMember(const char (&key)[kKey], const std::string& value) {
  return value.empty() ? 0 : Member(key, true, Text(value));
}

std::size_t ResourceBytes(const v1::ResourceChange& change) {
  return 3 + TextMember("resource", change.resource()) +
         Member("factor", true, kDouble) +
         Member("requestOnly", change.request_only(), kBool) +
         TextMember("container", change.container());
}

std::size_t PlacementBytes(const v1::Placement& placement) {
  std::size_t size = 4 + Member("avoidNodes", true, 2) +
                     Member("onDemand", placement.on_demand(), kBool) +
                     TextMember("onDemandReason", placement.on_demand_reason());
  for (const v1::AvoidNode& node : placement.avoid_nodes()) {
    size += 3 + TextMember("node", node.node()) +
            Member("hard", node.hard(), kBool) +
            Member("expiresAt", node.has_expires_at(),
                   TimeSize(node.expires_at())) +
            TextMember("reason", node.reason());
  }
  return size;
}

std::size_t EscalationBytes(const v1::Escalation& escalation) {
  return 3 + Member("rung", true, Name(escalation.rung())) +
         Member("next", escalation.next() != 0, Name(escalation.next())) +
         Member("after", escalation.after() != 0, kCount);
}

std::size_t DecisionBytes(const v1::Decision& decision) {
  std::size_t size =
      3 + Member("action", true, Name(decision.action())) +
      Member("scope", true, Name(decision.scope())) +
      Member("retryAfter", decision.has_retry_after(),
             Span(decision.retry_after())) +
      Member("queue", decision.queue() != 0, Name(decision.queue())) +
      Member("requiresRecreate", decision.requires_recreate(), kBool) +
      Member("evidenceDeadline", decision.has_evidence_deadline(),
             TimeSize(decision.evidence_deadline())) +
      Member("lastAttempt", decision.last_attempt(), kBool) +
      Member("canary", decision.canary(), kBool) +
      TextMember("sentence", decision.sentence());
  if (decision.has_placement()) {
    size += Member("placement", true, PlacementBytes(decision.placement()));
  }
  if (decision.has_escalation()) {
    size += Member("escalation", true, EscalationBytes(decision.escalation()));
  }
  if (!decision.resources().empty()) size += Member("resources", true, 2);
  for (const v1::ResourceChange& change : decision.resources()) {
    size += ResourceBytes(change);
  }
  return size;
}

// Returns the index of the record that a full ledger needs least.
int LeastNeeded(const v1::BudgetLedger& ledger) {
  for (int i = 0; i + kMaxHistory / 4 < ledger.history_size(); ++i) {
    const v1::Cause cause = ledger.history(i).cause();
    if (RowOf(cause).domain == v1::Diagnosis::DISRUPTION) return i;
  }
  return 0;
}

}  // namespace

int FindFailure(const v1::BudgetLedger& ledger, std::string_view id) {
  for (int i = ledger.history_size(); i-- > 0;) {
    if (ledger.history(i).failure_id() == id) return i;
  }
  return -1;
}

bool IsPending(const v1::AttemptRecord& record) {
  return record.decision().action() == v1::Decision::WAIT ||
         record.decision().action() == v1::Decision::IGNORE;
}

bool IsUnderstood(const v1::AttemptRecord& record) {
  const v1::Decision& decision = record.decision();
  return decision.action() != v1::Decision::ACTION_UNSPECIFIED &&
         v1::Decision::Action_IsValid(decision.action()) &&
         decision.scope() != v1::Decision::SCOPE_UNSPECIFIED &&
         v1::Decision::Scope_IsValid(decision.scope()) &&
         v1::Decision::Queue_IsValid(decision.queue()) &&
         record.cause() != v1::CAUSE_UNSPECIFIED &&
         v1::Cause_IsValid(record.cause()) &&
         v1::AttemptRecord::Refusal_IsValid(record.refused_by()) &&
         v1::DerivedCause_IsValid(record.derived_cause());
}

bool IsRetriedByOthers(const v1::AttemptRecord& record) {
  return record.retried_by() != v1::AttemptRecord::RETRIED_BY_UNSPECIFIED;
}

bool IsRepeatable(const v1::AttemptRecord& record) {
  return !IsPending(record) && IsUnderstood(record);
}

bool IsOfWhole(const v1::Decision& decision) {
  return decision.scope() > v1::Decision::INDEX;
}

bool IsOvertaken(const v1::BudgetLedger& ledger, int record) {
  for (int i = record + 1; i < ledger.history_size(); ++i) {
    const v1::Decision& later = ledger.history(i).decision();
    if (later.action() == v1::Decision::RETRY && IsOfWhole(later)) return true;
    if (later.action() == v1::Decision::FAIL &&
        later.scope() != v1::Decision::INDEX) {
      return true;
    }
  }
  return false;
}

bool IsPastAttempt(const v1::BudgetLedger& ledger, std::int32_t attempt) {
  return std::ranges::any_of(
      ledger.history(), [attempt](const v1::AttemptRecord& record) {
        return record.attempt() >= attempt && !IsPending(record);
      });
}

std::int32_t NextAttempt(const v1::BudgetLedger& ledger) {
  return std::min(ledger.attempts_seen(),
                  std::numeric_limits<std::int32_t>::max() - 1) +
         1;
}

void TakeBack(int index, v1::BudgetLedger& ledger) {
  const v1::AttemptRecord& record = ledger.history(index);
  const auto use = ledger.mutable_budgets()->find(record.charged_to());
  if (use != ledger.mutable_budgets()->end() && use->second.used() > 0) {
    use->second.set_used(use->second.used() - 1);
  }
  if (ledger.attempts_seen() > 0) {
    ledger.set_attempts_seen(ledger.attempts_seen() - 1);
  }
  ledger.mutable_history()->DeleteSubrange(index, 1);
}

void PutBack(const v1::AttemptRecord& record, int index,
             v1::BudgetLedger& ledger) {
  if (!record.charged_to().empty()) {
    v1::BudgetUse& use = (*ledger.mutable_budgets())[record.charged_to()];
    use.set_used(use.used() + 1);
  }
  ledger.set_attempts_seen(NextAttempt(ledger));
  *ledger.add_history() = record;
  auto& history = *ledger.mutable_history();
  for (int i = history.size() - 1; i > index; --i) {
    history.SwapElements(i, i - 1);
  }
}

void AddRecord(std::int32_t attempts, v1::AttemptRecord& record,
               v1::BudgetLedger& ledger) {
  ledger.set_attempts_seen(attempts);
  ledger.add_history()->Swap(&record);
}

void BoundLedger(const CompiledPolicy& policy, v1::BudgetLedger& ledger) {
  if (ledger.budgets().size() > kMaxLedgerBudgets) {
    std::vector<std::string> foreign;
    for (const auto& [name, use] : ledger.budgets()) {
      if (FindBudget(policy.budgets, name) == kNoBudget) {
        foreign.push_back(name);
      }
    }
    std::ranges::sort(foreign);
    while (ledger.budgets().size() > kMaxLedgerBudgets && !foreign.empty()) {
      ledger.mutable_budgets()->erase(foreign.back());
      foreign.pop_back();
    }
  }
  if (ledger.history_size() <= kMaxHistory && IsClearlySmall(ledger)) return;
  std::int64_t dropped = ledger.history_dropped();
  std::size_t size = LedgerJsonBytes(ledger);
  while (!ledger.history().empty() &&
         (ledger.history_size() > kMaxHistory || size > kMaxLedgerJsonBytes)) {
    const int least = LeastNeeded(ledger);
    size -= std::min(size, RecordJsonBytes(ledger.history(least)));
    ledger.mutable_history()->DeleteSubrange(least, 1);
    ++dropped;
  }
  ledger.set_history_dropped(CountOf(dropped));
}

std::size_t RecordJsonBytes(const v1::AttemptRecord& record) {
  return 3 + TextMember("failureId", record.failure_id()) +
         Member("attempt", true, kCount) +
         Member("cause", true, Name(record.cause())) +
         TextMember("chargedTo", record.charged_to()) +
         TextMember("node", record.node()) +
         Member("finishedAt", record.has_finished_at(),
                TimeSize(record.finished_at())) +
         TextMember("fingerprint", record.fingerprint()) +
         Member("progress", record.has_progress(), kDouble) +
         (record.has_decision()
              ? Member("decision", true, DecisionBytes(record.decision()))
              : 0) +
         Member("ranFor", record.has_ran_for(), Span(record.ran_for())) +
         Member("observedAt", record.has_observed_at(),
                TimeSize(record.observed_at())) +
         Member("struckAt", record.has_struck_at(),
                TimeSize(record.struck_at())) +
         TextMember("artifact", record.artifact()) +
         TextMember("part", record.part()) +
         Member("refusedBy", record.refused_by() != 0,
                Name(record.refused_by())) +
         TextMember("refusingBudget", record.refusing_budget()) +
         Member("derivedCause", record.derived_cause() != 0,
                Name(record.derived_cause())) +
         Member("retriedBy", record.retried_by() != 0,
                Name(record.retried_by())) +
         Member("used", record.used() != 0, kCount) +
         Member("bound", record.bound() != 0, kCount);
}

std::size_t LedgerJsonBytes(const v1::BudgetLedger& ledger) {
  std::size_t size = 2 + TextMember("workloadUid", ledger.workload_uid()) +
                     Member("attemptsSeen", true, kCount) +
                     Member("budgets", !ledger.budgets().empty(), 3) +
                     Member("history", true, 2) +
                     Member("historyDropped", true, kInt64) +
                     Member("nativeCount", ledger.has_native_count(), kCount) +
                     TextMember("seededFrom", ledger.seeded_from()) +
                     TextMember("workloadKind", ledger.workload_kind());
  for (const auto& [name, use] : ledger.budgets()) {
    size += Text(name) + kPunctuation + 3 + Member("used", true, kCount) +
            Member("windowStart", use.has_window_start(),
                   TimeSize(use.window_start())) +
            Member("refunded", use.refunded() != 0, kCount);
  }
  for (const v1::AttemptRecord& record : ledger.history()) {
    size += RecordJsonBytes(record);
  }
  return size;
}

}  // namespace mulligan
