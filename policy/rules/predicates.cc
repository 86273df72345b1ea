#include "policy/rules/predicates.h"

#include <algorithm>
#include <bit>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <iterator>
#include <string>
#include <string_view>
#include <vector>

#include "absl/strings/str_cat.h"
#include "absl/strings/str_join.h"
#include "policy/base/labels.h"
#include "policy/base/times.h"
#include "policy/demystify/causes.h"
#include "policy/request/workload.h"
#include "policy/rules/signals.h"
#include "re2/re2.h"

namespace mulligan {
namespace {

template <typename T, typename V>
bool Contains(const std::vector<T>& sorted, const V& value) {
  return std::ranges::binary_search(sorted, value);
}

bool HasExitCode(const ExitCodes& codes, const Facts& facts) {
  // As in podFailurePolicy, exit code 0 is a success, also for NotIn.
  const auto fits = [&codes](std::int32_t code) {
    return code != 0 && Contains(codes.values, code) != codes.negated;
  };
  const Failure& failure = facts.failure;
  const std::string& culprit = failure.culprit.container;
  if (codes.container.empty() || codes.container == culprit) {
    if (failure.exit_code) return fits(*failure.exit_code);
  }
  const std::string& container =
      codes.container.empty() ? culprit : codes.container;
  return AnyExitCode(facts.report(), failure.culprit.pod, container, fits);
}

bool HasCondition(const Predicates& predicates, const Facts& facts) {
  return AnyCondition(facts.owners, [&predicates](const ConditionView& seen) {
    return std::ranges::any_of(
        predicates.conditions, [&seen](const ConditionFields& wanted) {
          return seen.type() == wanted.type && seen.status() == wanted.status &&
                 (wanted.reason.empty() || seen.reason() == wanted.reason);
        });
  });
}

bool HasReason(const Predicates& predicates, const Facts& facts) {
  return AnyReason(facts.owners, [&predicates](std::string_view reason) {
    return Contains(predicates.reasons, reason);
  });
}

bool HasMessage(const Predicates& predicates, const Facts& facts) {
  return AnyMessage(facts.owners, [&](std::string_view message) {
    return facts.patterns.Find(*predicates.message, message);
  });
}

bool HasStatus(const Predicates& predicates, const Facts& facts) {
  return std::ranges::any_of(facts.report().pods(), [&](const auto& pod) {
    return facts.patterns.Find(*predicates.status, pod.status().message());
  });
}

// Values of the failure or, in a what-if about another cause, of that cause.
v1::Diagnosis::FaultDomain DomainOf(const Facts& facts) {
  return facts.cause == facts.failure.cause ? facts.failure.domain
                                            : RowOf(facts.cause).domain;
}
v1::Diagnosis::Outlook OutlookOf(const Facts& facts) {
  return facts.cause == facts.failure.cause ? facts.failure.outlook
                                            : RowOf(facts.cause).outlook;
}

std::string List(const auto& values) {
  return absl::StrCat("[", absl::StrJoin(values, ", "), "]");
}

template <typename Value>
std::string Names(EnumSet<Value> set) {
  std::string names = "[";
  names.reserve(256);
  const auto& values = *google::protobuf::GetEnumDescriptor<Value>();
  set.ForEach([&](int number) {
    const auto* value = values.FindValueByNumber(number);
    if (number == 0 || value == nullptr) return;
    if (names.size() > 1) names += ", ";
    names += value->name();
  });
  names += ']';
  return names;
}

// Returns whether the operator repeats the failed call by itself. A caller that
// reports its own call (creation_error) has to repeat it itself.
bool IsRepeatedByOperator(const Facts& facts) {
  const Culprit& culprit = facts.failure.culprit;
  return facts.cause == facts.failure.cause && !culprit.kind.empty() &&
         culprit.pod.empty() && !facts.report().has_creation_error() &&
         !IsInFinalState(facts.owners, facts.workload);
}

// The values that ranges apply to; empty if unknown.
std::optional<std::int32_t> AttemptOf(const Facts& facts) {
  return facts.attempt;
}
std::optional<std::int32_t> AlikeOf(const Facts& facts) {
  return facts.stake.alike();
}
std::optional<double> HeldOf(const Facts& facts) {
  return facts.stake.accelerators();
}
std::optional<absl::Duration> RanOf(const Facts& facts) {
  if (!facts.stake.has_ran()) return std::nullopt;
  return ToDuration(facts.stake.ran());
}
std::optional<double> HoursOf(const Facts& facts) {
  if (!facts.stake.has_ran()) return std::nullopt;
  return facts.stake.hours();
}
std::optional<double> PassedOf(const Facts& facts) {
  const v1::Stake& stake = facts.stake;
  const double passed =
      static_cast<double>(stake.passed()) + stake.others_passed();
  const double retries = passed + stake.failed_again() +
                         static_cast<double>(stake.others_failed_again());
  if (retries == 0) return std::nullopt;
  return passed / retries;
}

// Returns for example "12.5 is not 0 to 10" or "unknown is not 1 or more".
template <typename Value>
std::string NotInRange(const Interval<Value>& range,
                       const std::optional<Value>& value) {
  return absl::StrCat(value ? IntervalText(*value) : "unknown", " is not ",
                      IntervalText(range));
}

std::string ExitCodesText(const ExitCodes& codes, const Facts& facts) {
  return absl::StrCat(
      facts.failure.exit_code ? absl::StrCat(*facts.failure.exit_code)
                              : "no exit code",
      codes.container.empty() ? "" : " of container ", codes.container,
      codes.negated ? " is not outside " : " is not in ", List(codes.values));
}

// Returns "found is not one of wanted"; `absent` replaces an empty `found`.
std::string NotOneOf(const std::string& found, const std::string& wanted,
                     const std::string& absent = "") {
  return absl::StrCat(found.empty() ? absent : found, " is not one of ",
                      wanted);
}

// Whether a condition is about the failure or about how often it occurred.
enum class About : std::uint8_t { kFailure, kHistory };

struct Condition {
  const char* name;
  About about;
  // Whether a rule has the condition.
  bool (*given)(const Predicates& p);
  // Whether it holds. REQUIRES: the rule has it.
  bool (*holds)(const Predicates& p, const Facts& f);
  // Describes the actual value if it does not hold.
  std::string (*failure)(const Predicates& p, const Facts& f);
};

// A condition that the value of `kOf` is in the range `kRange`.
template <auto kRange, auto kOf>
constexpr Condition InRangeRow(const char* name, About about) {
  return {name, about,
          [](const Predicates& p) { return (p.*kRange).has_value(); },
          [](const Predicates& p, const Facts& f) {
            const auto value = kOf(f);
            return value && (p.*kRange)->Holds(*value);
          },
          [](const Predicates& p, const Facts& f) {
            return NotInRange(*(p.*kRange), kOf(f));
          }};
}

// In order of cost.
constexpr Condition kConditions[] = {
    {"causes", About::kFailure,
     [](const Predicates& p) { return !p.causes.Covers(CauseSet::All()); },
     [](const Predicates& p, const Facts& f) {
       return p.causes.Contains(f.cause);
     },
     [](const Predicates& p, const Facts& f) {
       return NotOneOf(v1::Cause_Name(f.cause), Names(p.causes));
     }},
    {"faultDomains", About::kFailure,
     [](const Predicates& p) { return !p.fault_domains.empty(); },
     [](const Predicates& p, const Facts& f) {
       return p.fault_domains.Contains(DomainOf(f));
     },
     [](const Predicates& p, const Facts& f) {
       return NotOneOf(v1::Diagnosis::FaultDomain_Name(DomainOf(f)),
                       Names(p.fault_domains));
     }},
    {"outlooks", About::kFailure,
     [](const Predicates& p) { return !p.outlooks.empty(); },
     [](const Predicates& p, const Facts& f) {
       return p.outlooks.Contains(OutlookOf(f));
     },
     [](const Predicates& p, const Facts& f) {
       return NotOneOf(v1::Diagnosis::Outlook_Name(OutlookOf(f)),
                       Names(p.outlooks));
     }},
    {"derivedCauses", About::kHistory,
     [](const Predicates& p) { return !p.derived_causes.empty(); },
     [](const Predicates& p, const Facts& f) {
       return p.derived_causes.Contains(f.derived_cause);
     },
     [](const Predicates& p, const Facts&) {
       return absl::StrCat("none of ", Names(p.derived_causes), " holds");
     }},
    {"minConfidence", About::kFailure,
     [](const Predicates& p) {
       return p.min_confidence != v1::Diagnosis::CONFIDENCE_UNSPECIFIED;
     },
     [](const Predicates& p, const Facts& f) {
       return f.failure.confidence >= p.min_confidence;
     },
     [](const Predicates& p, const Facts& f) {
       return absl::StrCat(v1::Diagnosis::Confidence_Name(f.failure.confidence),
                           " is below ",
                           v1::Diagnosis::Confidence_Name(p.min_confidence));
     }},
    InRangeRow<&Predicates::attempts, AttemptOf>("attempts", About::kHistory),
    InRangeRow<&Predicates::alike, AlikeOf>("alike", About::kHistory),
    InRangeRow<&Predicates::ran, RanOf>("ran", About::kFailure),
    InRangeRow<&Predicates::accelerators, HeldOf>("accelerators",
                                                  About::kFailure),
    InRangeRow<&Predicates::hours_at_stake, HoursOf>("hoursAtStake",
                                                     About::kFailure),
    InRangeRow<&Predicates::passed, PassedOf>("passed", About::kHistory),
    {"interruptible", About::kFailure,
     [](const Predicates& p) { return p.interruptible.has_value(); },
     [](const Predicates& p, const Facts& f) {
       return f.workload.has_interruptible() &&
              f.workload.interruptible() == *p.interruptible;
     },
     [](const Predicates& p, const Facts&) {
       return absl::StrCat("not known to be ",
                           *p.interruptible ? "true" : "false");
     }},
    {"repeatedByOperator", About::kFailure,
     [](const Predicates& p) { return p.repeated_by_operator.has_value(); },
     [](const Predicates& p, const Facts& f) {
       return *p.repeated_by_operator == IsRepeatedByOperator(f);
     },
     [](const Predicates& p, const Facts&) {
       return std::string(*p.repeated_by_operator
                              ? "no operator repeats it by itself"
                              : "its operator repeats it by itself");
     }},
    {"kinds", About::kFailure,
     [](const Predicates& p) { return !p.kinds.empty(); },
     [](const Predicates& p, const Facts& f) {
       return Contains(p.kinds, f.workload.kind());
     },
     [](const Predicates& p, const Facts& f) {
       return NotOneOf(f.workload.kind(), List(p.kinds), "no kind");
     }},
    {"containers", About::kFailure,
     [](const Predicates& p) { return !p.containers.empty(); },
     [](const Predicates& p, const Facts& f) {
       return Contains(p.containers, f.failure.culprit.container);
     },
     [](const Predicates& p, const Facts& f) {
       return NotOneOf(f.failure.culprit.container, List(p.containers),
                       "no culprit");
     }},
    {"matchLabels", About::kFailure,
     [](const Predicates& p) { return !p.labels.empty(); },
     [](const Predicates& p, const Facts& f) {
       return HasLabels(f.workload.labels(), p.labels);
     },
     [](const Predicates&, const Facts&) {
       return std::string("the workload lacks one of the labels");
     }},
    {"httpCodes", About::kFailure,
     [](const Predicates& p) { return !p.http_codes.empty(); },
     [](const Predicates& p, const Facts& f) {
       return f.report().has_creation_error() &&
              Contains(p.http_codes, f.report().creation_error().http_code());
     },
     [](const Predicates& p, const Facts& f) {
       return NotOneOf(absl::StrCat(f.report().creation_error().http_code()),
                       List(p.http_codes));
     }},
    {"exitCodes", About::kFailure,
     [](const Predicates& p) { return p.exit_codes.has_value(); },
     [](const Predicates& p, const Facts& f) {
       return HasExitCode(*p.exit_codes, f);
     },
     [](const Predicates& p, const Facts& f) {
       return ExitCodesText(*p.exit_codes, f);
     }},
    {"reasons", About::kFailure,
     [](const Predicates& p) { return !p.reasons.empty(); },
     [](const Predicates& p, const Facts& f) { return HasReason(p, f); },
     [](const Predicates& p, const Facts&) {
       return absl::StrCat("none of ", List(p.reasons), " is in the report");
     }},
    {"conditions", About::kFailure,
     [](const Predicates& p) { return !p.conditions.empty(); },
     [](const Predicates& p, const Facts& f) { return HasCondition(p, f); },
     [](const Predicates& p, const Facts&) {
       const ConditionFields& first = p.conditions.front();
       return absl::StrCat(
           first.type, "=", first.status,
           p.conditions.size() > 1 ? " (or an alternative)" : "",
           " is not in the report");
     }},
    {"statusPattern", About::kFailure,
     [](const Predicates& p) { return p.status != nullptr; },
     [](const Predicates& p, const Facts& f) { return HasStatus(p, f); },
     [](const Predicates& p, const Facts&) {
       return absl::StrCat("no status message matches ", p.status->pattern());
     }},
    {"messagePattern", About::kFailure,
     [](const Predicates& p) { return p.message != nullptr; },
     [](const Predicates& p, const Facts& f) { return HasMessage(p, f); },
     [](const Predicates& p, const Facts&) {
       return absl::StrCat("no message matches ", p.message->pattern());
     }},
};

static_assert(std::size(kConditions) <= 32, "Predicates::given is too narrow");

constexpr std::uint32_t BitOf(std::size_t condition) {
  return std::uint32_t{1} << condition;
}

constexpr std::uint32_t kOfHistory = [] {
  std::uint32_t bits = 0;
  for (std::size_t i = 0; i < std::size(kConditions); ++i) {
    if (kConditions[i].about == About::kHistory) bits |= BitOf(i);
  }
  return bits;
}();

// Returns the first of the conditions of a rule in `mask` that does not hold;
// null if all hold.
const Condition* FirstFailed(std::uint32_t mask, const Predicates& p,
                             const Facts& facts) {
  for (std::uint32_t left = p.given & mask; left != 0; left &= left - 1) {
    const Condition& condition = kConditions[std::countr_zero(left)];
    if (!condition.holds(p, facts)) return &condition;
  }
  return nullptr;
}

}  // namespace

Predicates::Predicates() = default;
Predicates::Predicates(Predicates&&) noexcept = default;
Predicates& Predicates::operator=(Predicates&&) noexcept = default;
Predicates::~Predicates() = default;

std::uint32_t GivenIn(const Predicates& predicates) {
  std::uint32_t given = 0;
  for (std::size_t i = 0; i < std::size(kConditions); ++i) {
    if (kConditions[i].given(predicates)) given |= BitOf(i);
  }
  return given;
}

bool Matches(const Predicates& predicates, const Facts& facts) {
  return FirstFailed(~std::uint32_t{0}, predicates, facts) == nullptr;
}

bool MatchesHistory(const Predicates& predicates, const Facts& facts) {
  return FirstFailed(kOfHistory, predicates, facts) == nullptr;
}

bool MatchesFailure(const Predicates& predicates, const Facts& facts) {
  return FirstFailed(~kOfHistory, predicates, facts) == nullptr;
}

std::string FailedPredicate(const Predicates& p, const Facts& facts) {
  const Condition* failed = FirstFailed(~std::uint32_t{0}, p, facts);
  if (failed == nullptr) return {};
  return absl::StrCat(failed->name, ": ", failed->failure(p, facts));
}

std::string CauseNames(CauseSet causes) { return Names(causes); }

}  // namespace mulligan
