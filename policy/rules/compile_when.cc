#include "policy/rules/compile_when.h"

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "absl/strings/str_cat.h"
#include "absl/strings/str_format.h"
#include "policy/base/issue.h"
#include "policy/base/text_pattern.h"
#include "policy/limits.h"
#include "policy/rules/interval.h"
#include "policy/rules/selector.h"
#include "re2/re2.h"

namespace mulligan {
namespace {

bool IsEmpty(const v1::When& when) { return when.ByteSizeLong() == 0; }

// Reports empty names, because empty means "any" elsewhere.
std::vector<std::string> Names(
    const google::protobuf::RepeatedPtrField<std::string>& values,
    const std::string& path, IssueReporter& report) {
  for (int i = 0; i < values.size(); ++i) {
    if (values[i].empty()) {
      report.Error(absl::StrCat(path, "[", i, "]"), "is empty");
    }
  }
  return Sorted(values);
}

// Returns the set of values and reports unknown ones as "is no `what`".
template <typename Value>
EnumSet<Value> SetOf(const google::protobuf::RepeatedField<int>& values,
                     bool (*is_valid)(int), const char* what,
                     const std::string& path, IssueReporter& report) {
  EnumSet<Value> set;
  for (int i = 0; i < values.size(); ++i) {
    if (values[i] == 0 || !is_valid(values[i])) {
      report.Error(absl::StrCat(path, "[", i, "]"),
                   absl::StrCat(values[i], " is no ", what));
    } else {
      set.Add(static_cast<Value>(values[i]));
    }
  }
  return set;
}

void CompileCauseConditions(const v1::When& when, const std::string& path,
                            Predicates& compiled, IssueReporter& report) {
  if (when.causes_size() > 0) {
    compiled.causes = SetOf<v1::Cause>(when.causes(), v1::Cause_IsValid,
                                       "cause", path + ".causes", report);
  }
  compiled.fault_domains = SetOf<v1::Diagnosis::FaultDomain>(
      when.fault_domains(), v1::Diagnosis::FaultDomain_IsValid, "fault domain",
      path + ".faultDomains", report);
  compiled.outlooks = SetOf<v1::Diagnosis::Outlook>(
      when.outlooks(), v1::Diagnosis::Outlook_IsValid, "outlook",
      path + ".outlooks", report);
  compiled.derived_causes =
      SetOf<v1::DerivedCause>(when.derived_causes(), v1::DerivedCause_IsValid,
                              "derived cause", path + ".derivedCauses", report);
}

ExitCodes CompileExitCodes(const v1::ExitCodes& codes, const std::string& path,
                           IssueReporter& report) {
  ExitCodes compiled;
  if (codes.operator_() != "In" && codes.operator_() != "NotIn") {
    report.Error(path + ".operator",
                 absl::StrFormat("\"%s\" is no operator, expected In or NotIn",
                                 codes.operator_()));
  }
  compiled.negated = codes.operator_() == "NotIn";
  compiled.container = codes.container_name();
  compiled.values = Sorted(codes.values());
  if (codes.values().empty()) {
    report.Error(path + ".values", "is empty, expected at least one exit code");
  }
  const bool zero = std::ranges::binary_search(compiled.values, 0);
  if (zero && !compiled.negated) {
    report.Error(path + ".values",
                 "0 is a success and never matches with operator In");
  }
  return compiled;
}

std::vector<ConditionFields> CompileConditions(
    const google::protobuf::RepeatedPtrField<v1::ConditionPattern>& conditions,
    const std::string& path, IssueReporter& report) {
  std::vector<ConditionFields> compiled;
  for (int i = 0; i < conditions.size(); ++i) {
    const v1::ConditionPattern& condition = conditions[i];
    const std::string entry = absl::StrCat(path, "[", i, "]");
    if (condition.type().empty()) {
      report.Error(entry, "type is missing, for example DisruptionTarget");
    }
    const std::string& status = condition.status();
    if (!status.empty() && status != "True" && status != "False" &&
        status != "Unknown") {
      report.Error(entry + ".status",
                   absl::StrFormat("\"%s\" is no condition status, expected "
                                   "True, False or Unknown",
                                   status));
    }
    compiled.push_back({condition.type(), status.empty() ? "True" : status,
                        condition.reason()});
  }
  return compiled;
}

// Returns the range, whose ends `read` checks and converts; empty if not given.
template <typename Value, typename Given>
std::optional<Interval<Value>> CompileRange(bool is_given, const Given& range,
                                            Value min, const auto& read,
                                            const std::string& path,
                                            IssueReporter& report) {
  if (!is_given) return std::nullopt;
  Interval<Value> compiled{min, Endless<Value>()};
  if (range.has_from()) compiled.from = read(range.from(), path + ".from");
  if (range.has_to()) compiled.to = read(range.to(), path + ".to");
  if (compiled.to < compiled.from) {
    report.Error(path + ".to",
                 absl::StrCat(IntervalText(compiled.to), " is before from, ",
                              IntervalText(compiled.from)));
  }
  if (!range.has_from() && !range.has_to()) {
    report.Error(path, "needs from, to or both");
  }
  return compiled;
}

void CompileRanges(const v1::When& when, const std::string& path,
                   Predicates& compiled, IssueReporter& report) {
  const auto count = [&](std::int32_t value, const std::string& at) {
    if (value >= 1) return value;
    report.Error(at, absl::StrCat(value, ", expected at least 1"));
    return std::int32_t{1};
  };
  const auto duration = [&](const google::protobuf::Duration& value,
                            const std::string& at) {
    return CheckDuration(value, at, report);
  };
  const auto number = [&](double value, const std::string& at) {
    if (std::isfinite(value) && value >= 0) return value;
    report.Error(at, absl::StrCat(value, ", expected at least 0"));
    return 0.0;
  };
  const auto share = [&](double value, const std::string& at) {
    if (value >= 0 && value <= 1) return value;
    report.Error(at, absl::StrCat(value, ", expected a share, 0 to 1"));
    return 0.0;
  };
  compiled.attempts =
      CompileRange(when.has_attempts(), when.attempts(), std::int32_t{1}, count,
                   path + ".attempts", report);
  compiled.alike = CompileRange(when.has_alike(), when.alike(), std::int32_t{1},
                                count, path + ".alike", report);
  compiled.ran = CompileRange(when.has_ran(), when.ran(), absl::ZeroDuration(),
                              duration, path + ".ran", report);
  compiled.accelerators =
      CompileRange(when.has_accelerators(), when.accelerators(), 0.0, number,
                   path + ".accelerators", report);
  compiled.hours_at_stake =
      CompileRange(when.has_hours_at_stake(), when.hours_at_stake(), 0.0,
                   number, path + ".hoursAtStake", report);
  compiled.passed = CompileRange(when.has_passed(), when.passed(), 0.0, share,
                                 path + ".passed", report);
}

void CheckListLengths(const v1::When& when, const std::string& path,
                      IssueReporter& report) {
  const auto check = [&](int size, const char* field) {
    if (size > kMaxListEntries) {
      report.Error(absl::StrCat(path, ".", field),
                   absl::StrCat("has ", size, " entries, expected at most ",
                                kMaxListEntries));
    }
  };
  check(when.exit_codes().values_size(), "exitCodes.values");
  check(when.reasons_size(), "reasons");
  check(when.conditions_size(), "conditions");
  check(when.containers_size(), "containers");
  check(when.kinds_size(), "kinds");
  check(static_cast<int>(when.match_labels().size()), "matchLabels");
  check(when.http_codes_size(), "httpCodes");
}

}  // namespace

Predicates CompileWhen(const v1::When& when, const std::string& path,
                       PatternAllowance& allowance, IssueReporter& report) {
  Predicates compiled;
  if (IsEmpty(when)) {
    report.Error(path,
                 "is empty and would match everything; that is what default "
                 "is for");
    return compiled;
  }
  CheckListLengths(when, path, report);
  CompileCauseConditions(when, path, compiled, report);
  if (when.has_exit_codes()) {
    compiled.exit_codes =
        CompileExitCodes(when.exit_codes(), path + ".exitCodes", report);
  }
  compiled.reasons = Names(when.reasons(), path + ".reasons", report);
  if (!when.message_pattern().empty()) {
    compiled.message = CompilePattern(
        when.message_pattern(), path + ".messagePattern", allowance, report);
  }
  if (!when.status_pattern().empty()) {
    compiled.status = CompilePattern(
        when.status_pattern(), path + ".statusPattern", allowance, report);
  }
  compiled.conditions =
      CompileConditions(when.conditions(), path + ".conditions", report);
  compiled.containers = Names(when.containers(), path + ".containers", report);
  compiled.min_confidence = when.min_confidence();
  if (!v1::Diagnosis::Confidence_IsValid(when.min_confidence())) {
    report.Error(path + ".minConfidence", "expected LOW, MEDIUM or HIGH");
  }
  CompileRanges(when, path, compiled, report);
  if (when.has_interruptible()) compiled.interruptible = when.interruptible();
  if (when.has_repeated_by_operator()) {
    compiled.repeated_by_operator = when.repeated_by_operator();
  }
  compiled.kinds = Names(when.kinds(), path + ".kinds", report);
  compiled.labels.assign(when.match_labels().begin(),
                         when.match_labels().end());
  std::ranges::sort(compiled.labels);
  compiled.http_codes = Sorted(when.http_codes());
  compiled.given = GivenIn(compiled);
  return compiled;
}

}  // namespace mulligan
