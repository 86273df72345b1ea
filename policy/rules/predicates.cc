#include "policy/rules/predicates.h"

#include <algorithm>
#include <functional>
#include <string>
#include <string_view>

#include "policy/demystify/causes.h"
#include "policy/rules/signals.h"
#include "re2/re2.h"

namespace mulligan {
namespace {

template <typename T, typename V>
bool Contains(const std::vector<T>& sorted, const V& value) {
  return std::binary_search(sorted.begin(), sorted.end(), value, std::less<>());
}

bool HasLabels(const Predicates& predicates, const Facts& facts) {
  const auto& labels = facts.workload.labels();
  return std::all_of(predicates.labels.begin(), predicates.labels.end(),
                     [&labels](const auto& wanted) {
                       const auto found = labels.find(wanted.first);
                       return found != labels.end() &&
                              found->second == wanted.second;
                     });
}

bool HasExitCode(const ExitCodes& codes, const Facts& facts) {
  // Exit code 0 is a success in podFailurePolicy too, also for NotIn.
  const auto fits = [&codes](std::int32_t code) {
    return code != 0 && Contains(codes.values, code) != codes.negated;
  };
  const v1::Diagnosis& diagnosis = facts.diagnosis;
  const std::string& culprit = diagnosis.culprit().container();
  if (codes.container.empty() || codes.container == culprit) {
    if (diagnosis.has_exit_code()) return fits(diagnosis.exit_code());
  }
  const std::string& container =
      codes.container.empty() ? culprit : codes.container;
  return AnyExitCode(facts.report, diagnosis.culprit().pod(), container, fits);
}

bool HasCondition(const Predicates& predicates, const Facts& facts) {
  return AnyCondition(facts.report, [&predicates](const ConditionView& seen) {
    return std::any_of(
        predicates.conditions.begin(), predicates.conditions.end(),
        [&seen](const ConditionFields& wanted) {
          return seen.type == wanted.type && seen.status == wanted.status &&
                 (wanted.reason.empty() || seen.reason == wanted.reason);
        });
  });
}

bool HasReason(const Predicates& predicates, const Facts& facts) {
  return AnyReason(facts.report, [&predicates](std::string_view reason) {
    return Contains(predicates.reasons, reason);
  });
}

bool HasMessage(const Predicates& predicates, const Facts& facts) {
  return AnyMessage(facts.report, [&](std::string_view message) {
    return facts.patterns.Find(*predicates.message, message);
  });
}

// The conditions in the order of their cost.
enum class Check {
  kCauses,
  kFaultDomains,
  kOutlooks,
  kDerivedCauses,
  kConfidence,
  kAttempts,
  kInterruptible,
  kKinds,
  kContainers,
  kLabels,
  kHttpCodes,
  kExitCodes,
  kReasons,
  kConditions,
  kMessage,
  kNone,
};

// Those of the diagnosis; in a what-if about another cause, those of the cause.
v1::Diagnosis::FaultDomain DomainOf(const Facts& facts) {
  return facts.cause == facts.diagnosis.cause() ? facts.diagnosis.fault_domain()
                                                : RowOf(facts.cause).domain;
}
v1::Diagnosis::Outlook OutlookOf(const Facts& facts) {
  return facts.cause == facts.diagnosis.cause() ? facts.diagnosis.outlook()
                                                : RowOf(facts.cause).outlook;
}

Check FirstFailedOfReport(const Predicates& p, const Facts& facts) {
  if (p.exit_codes && !HasExitCode(*p.exit_codes, facts)) {
    return Check::kExitCodes;
  }
  if (!p.reasons.empty() && !HasReason(p, facts)) return Check::kReasons;
  if (!p.conditions.empty() && !HasCondition(p, facts)) {
    return Check::kConditions;
  }
  if (p.message != nullptr && !HasMessage(p, facts)) return Check::kMessage;
  return Check::kNone;
}

Check FirstFailed(const Predicates& p, const Facts& facts) {
  if (!p.causes.Contains(facts.cause)) return Check::kCauses;
  if (!p.fault_domains.empty() && !p.fault_domains.Contains(DomainOf(facts))) {
    return Check::kFaultDomains;
  }
  if (!p.outlooks.empty() && !p.outlooks.Contains(OutlookOf(facts))) {
    return Check::kOutlooks;
  }
  if (!p.derived_causes.empty() &&
      !p.derived_causes.Contains(facts.derived_cause)) {
    return Check::kDerivedCauses;
  }
  if (facts.diagnosis.confidence() < p.min_confidence) {
    return Check::kConfidence;
  }
  if (facts.attempt < p.first_attempt || facts.attempt > p.last_attempt) {
    return Check::kAttempts;
  }
  if (p.interruptible.has_value() &&
      !(facts.workload.has_interruptible() &&
        facts.workload.interruptible() == *p.interruptible)) {
    return Check::kInterruptible;
  }
  if (!p.kinds.empty() && !Contains(p.kinds, facts.workload.kind())) {
    return Check::kKinds;
  }
  if (!p.containers.empty() &&
      !Contains(p.containers, facts.diagnosis.culprit().container())) {
    return Check::kContainers;
  }
  if (!HasLabels(p, facts)) return Check::kLabels;
  if (!p.http_codes.empty() &&
      !(facts.report.has_creation_error() &&
        Contains(p.http_codes, facts.report.creation_error().http_code()))) {
    return Check::kHttpCodes;
  }
  return FirstFailedOfReport(p, facts);
}

std::string List(const std::vector<std::string>& names) {
  std::string text = "[";
  for (const std::string& name : names) {
    if (text.size() > 1) text += ", ";
    text += name;
  }
  return text + "]";
}

std::string Codes(const std::vector<std::int32_t>& values) {
  std::string text = "[";
  for (const std::int32_t value : values) {
    if (text.size() > 1) text += ", ";
    text += std::to_string(value);
  }
  return text + "]";
}

template <typename Value>
std::string Names(const EnumSet<Value>& set) {
  std::vector<std::string> names;
  const auto* values = google::protobuf::GetEnumDescriptor<Value>();
  for (int i = 0; i < values->value_count(); ++i) {
    const auto* value = values->value(i);
    if (value->number() != 0 &&
        set.Contains(static_cast<Value>(value->number()))) {
      names.push_back(value->name());
    }
  }
  return List(names);
}

std::string Attempts(const Predicates& p) {
  const bool open = p.last_attempt == std::numeric_limits<std::int32_t>::max();
  return std::to_string(p.first_attempt) +
         (open ? " or later" : " to " + std::to_string(p.last_attempt));
}

std::string ExitCodesText(const ExitCodes& codes, const Facts& facts) {
  std::string text = "exitCodes: ";
  text += facts.diagnosis.has_exit_code()
              ? std::to_string(facts.diagnosis.exit_code())
              : std::string("no exit code");
  if (!codes.container.empty()) text += " of container " + codes.container;
  text += codes.negated ? " is not outside " : " is not in ";
  return text + Codes(codes.values);
}

// The value found, or a word for its absence.
std::string Or(const std::string& value, const char* absent) {
  return value.empty() ? absent : value;
}

std::string ReportText(Check check, const Predicates& p, const Facts& facts) {
  switch (check) {
    case Check::kHttpCodes:
      return "httpCodes: " +
             std::to_string(facts.report.creation_error().http_code()) +
             " is not one of " + Codes(p.http_codes);
    case Check::kExitCodes:
      return ExitCodesText(*p.exit_codes, facts);
    case Check::kReasons:
      return "reasons: none of " + List(p.reasons) + " is in the report";
    case Check::kConditions:
      return "conditions: " + p.conditions.front().type + "=" +
             p.conditions.front().status +
             (p.conditions.size() > 1 ? " (or an alternative)" : "") +
             " is not in the report";
    case Check::kMessage:
      return "messagePattern: no message matches " + p.message->pattern();
    default:
      return {};
  }
}

}  // namespace

Predicates::Predicates() = default;
Predicates::Predicates(Predicates&&) noexcept = default;
Predicates& Predicates::operator=(Predicates&&) noexcept = default;
Predicates::~Predicates() = default;

bool Matches(const Predicates& predicates, const Facts& facts) {
  return FirstFailed(predicates, facts) == Check::kNone;
}

std::string FailedPredicate(const Predicates& p, const Facts& facts) {
  const Check check = FirstFailed(p, facts);
  switch (check) {
    case Check::kNone:
      return {};
    case Check::kCauses:
      return "causes: " + v1::Cause_Name(facts.cause) + " is not one of " +
             Names(p.causes);
    case Check::kFaultDomains:
      return "faultDomains: " +
             v1::Diagnosis::FaultDomain_Name(DomainOf(facts)) +
             " is not one of " + Names(p.fault_domains);
    case Check::kOutlooks:
      return "outlooks: " + v1::Diagnosis::Outlook_Name(OutlookOf(facts)) +
             " is not one of " + Names(p.outlooks);
    case Check::kDerivedCauses:
      return "derivedCauses: none of " + Names(p.derived_causes) + " holds";
    case Check::kConfidence:
      return "minConfidence: " +
             v1::Diagnosis::Confidence_Name(facts.diagnosis.confidence()) +
             " is below " + v1::Diagnosis::Confidence_Name(p.min_confidence);
    case Check::kAttempts:
      return "attempts: " + std::to_string(facts.attempt) + " is not " +
             Attempts(p);
    case Check::kInterruptible:
      return std::string("interruptible: not known to be ") +
             (*p.interruptible ? "true" : "false");
    case Check::kKinds:
      return "kinds: " + Or(facts.workload.kind(), "no kind") +
             " is not one of " + List(p.kinds);
    case Check::kContainers:
      return "containers: " +
             Or(facts.diagnosis.culprit().container(), "no culprit") +
             " is not one of " + List(p.containers);
    case Check::kLabels:
      return "matchLabels: the workload lacks one of the labels";
    default:
      return ReportText(check, p, facts);
  }
}

}  // namespace mulligan
