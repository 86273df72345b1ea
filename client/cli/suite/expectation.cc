#include <algorithm>
#include <set>

#include "absl/strings/str_cat.h"
#include "absl/strings/str_format.h"
#include "absl/strings/str_join.h"
#include "client/cli/story/wording.h"
#include "client/cli/suite/suite.h"
#include "policy/base/times.h"

namespace mulligan::cli {
namespace {

using ::google::protobuf::FieldDescriptor;
using ::google::protobuf::Message;
using ::google::protobuf::Reflection;

std::string NameOr(const std::string& name) {
  return name.empty() ? "none" : name;
}

std::string YesNo(bool value) { return value ? "true" : "false"; }

// Returns the answer's values of all single-valued keys.
v1::ExpectedAnswer ActualValues(const v1::DecideResponse& answer) {
  v1::ExpectedAnswer said;
  const v1::Decision& decision = answer.decision();
  const v1::Diagnosis& diagnosis = answer.diagnosis();
  const v1::Accounting& accounting = answer.accounting();
  const v1::Explanation& explanation = answer.explanation();
  said.set_action(decision.action());
  said.set_scope(decision.scope());
  said.set_queue(decision.queue());
  said.set_cause(diagnosis.cause());
  said.set_derived_cause(diagnosis.derived_cause());
  said.set_situation(diagnosis.situation());
  said.set_fault_domain(diagnosis.fault_domain());
  said.set_confidence(diagnosis.confidence());
  said.set_outlook(diagnosis.outlook());
  said.set_policy(answer.policy().name());
  said.set_rule(explanation.matched_rule().rule());
  said.set_decided_by(explanation.decided_by());
  said.set_budget(accounting.charged_to());
  said.set_charged(accounting.units() > 0);
  said.set_last_attempt(decision.last_attempt());
  if (accounting.has_exhaustion()) {
    said.set_exhausted(LimitName(accounting.exhaustion()));
  }
  said.set_duplicate(accounting.duplicate());
  said.set_attempts(accounting.attempts());
  said.set_on_demand(decision.placement().on_demand());
  if (answer.ledger().history_size() > 0) {
    said.set_retried_by(answer.ledger().history().rbegin()->retried_by());
  }
  return said;
}

std::string ValueOf(const Message& message, const FieldDescriptor& field) {
  const Reflection& reflection = *message.GetReflection();
  switch (field.cpp_type()) {
    case FieldDescriptor::CPPTYPE_ENUM: {
      const auto* const value = reflection.GetEnum(message, &field);
      return value->number() == 0 ? "none" : value->name();
    }
    case FieldDescriptor::CPPTYPE_BOOL:
      return YesNo(reflection.GetBool(message, &field));
    case FieldDescriptor::CPPTYPE_INT32:
      return absl::StrCat(reflection.GetInt32(message, &field));
    default:
      return NameOr(reflection.GetString(message, &field));
  }
}

// Returns whether the key is not in ActualValues().
bool IsCheckedApart(const FieldDescriptor& field) {
  return field.is_repeated() || field.message_type() != nullptr ||
         field.number() == v1::ExpectedAnswer::kSentenceFieldNumber ||
         field.number() == v1::ExpectedAnswer::kErrorFieldNumber;
}

void CompareValues(const v1::ExpectedAnswer& expect,
                   const v1::ExpectedAnswer& said,
                   std::vector<Mismatch>& mismatches) {
  std::vector<const FieldDescriptor*> given;
  expect.GetReflection()->ListFields(expect, &given);
  for (const FieldDescriptor* field : given) {
    if (IsCheckedApart(*field)) continue;
    const std::string expected = ValueOf(expect, *field);
    const std::string found = ValueOf(said, *field);
    if (expected != found) {
      mismatches.push_back({field->json_name(), expected, found});
    }
  }
}

// Compares values by name, such as "used.memory", with those of `find`.
void CompareNamed(const char* key, const auto& expected, const auto& find,
                  std::vector<Mismatch>& mismatches) {
  for (const auto& [name, value] : expected) {
    std::string found = find(name);
    if (found == absl::StrCat(value)) continue;
    mismatches.push_back({absl::StrFormat("%s.%s", key, name),
                          absl::StrCat(value), std::move(found)});
  }
}

// Explains the remaining delay, which counts from the failure's end.
std::string ElapsedText(const v1::Diagnosis& diagnosis,
                        const google::protobuf::Timestamp& observed_at) {
  if (!diagnosis.has_finished_at()) return "";
  const absl::Duration passed =
      ToTime(observed_at) - ToTime(diagnosis.finished_at());
  if (passed <= absl::ZeroDuration()) return "";
  google::protobuf::Duration duration;
  SetDuration(passed, duration);
  return absl::StrFormat(" (remaining: %s had passed since the end)",
                         FormatDuration(duration));
}

void CompareDelay(const v1::ExpectedDelay& expect,
                  const v1::DecideResponse& answer,
                  const google::protobuf::Timestamp& observed_at,
                  std::vector<Mismatch>& mismatches) {
  const v1::Decision& decision = answer.decision();
  const absl::Duration delay = ToDuration(decision.retry_after());
  const bool fits =
      delay >= ToDuration(expect.at_least()) &&
      (!expect.has_at_most() || delay <= ToDuration(expect.at_most()));
  if (fits && decision.has_retry_after()) return;
  std::string expected = "at least " + FormatDuration(expect.at_least());
  if (expect.has_at_most()) {
    expected += ", at most " + FormatDuration(expect.at_most());
  }
  mismatches.push_back({"delay", std::move(expected),
                        decision.has_retry_after()
                            ? FormatDuration(decision.retry_after()) +
                                  ElapsedText(answer.diagnosis(), observed_at)
                            : "none"});
}

void CompareNodes(const v1::ExpectedAnswer& expect,
                  const v1::Decision& decision,
                  std::vector<Mismatch>& mismatches) {
  if (expect.avoid_nodes().empty()) return;
  const std::set<std::string> wanted(expect.avoid_nodes().begin(),
                                     expect.avoid_nodes().end());
  std::set<std::string> found;
  for (const v1::AvoidNode& node : decision.placement().avoid_nodes()) {
    found.insert(node.node());
  }
  if (wanted == found) return;
  mismatches.push_back({"avoidNodes", absl::StrJoin(wanted, ", "),
                        NameOr(absl::StrJoin(found, ", "))});
}

void CompareTexts(const v1::ExpectedAnswer& expect,
                  const v1::DecideResponse& answer,
                  std::vector<Mismatch>& mismatches) {
  for (const std::string& text : expect.warnings()) {
    const auto& warnings = answer.warnings();
    if (std::ranges::none_of(warnings, [&text](const std::string& warning) {
          return warning.find(text) != warning.npos;
        })) {
      mismatches.push_back(
          {"warnings", text, NameOr(absl::StrJoin(warnings, "; "))});
    }
  }
  const std::string& sentence = answer.decision().sentence();
  if (sentence.find(expect.sentence()) == sentence.npos) {
    mismatches.push_back({"sentence", expect.sentence(), sentence});
  }
}

}  // namespace

std::vector<Mismatch> FindMismatches(
    const v1::ExpectedAnswer& expect,
    const google::protobuf::Timestamp& observed_at,
    const absl::StatusOr<v1::DecideResponse>& answer) {
  if (!answer.ok()) {
    const std::string code = absl::StatusCodeToString(answer.status().code());
    if (expect.error() == code) return {};
    return {{"error", expect.error().empty() ? "an answer" : expect.error(),
             absl::StrCat(code, ": ", std::string(answer.status().message()))}};
  }
  if (!expect.error().empty()) {
    return {{"error", expect.error(), answer->decision().sentence()}};
  }
  std::vector<Mismatch> mismatches;
  CompareValues(expect, ActualValues(*answer), mismatches);
  const auto compare_budgets = [&](const char* key, const auto& expected,
                                   auto value) {
    CompareNamed(
        key, expected,
        [&](const std::string& budget) {
          std::string found = "no such budget";
          for (const v1::BudgetState& state : answer->accounting().budgets()) {
            if (state.name() == budget) found = absl::StrCat((state.*value)());
          }
          return found;
        },
        mismatches);
  };
  compare_budgets("used", expect.used(), &v1::BudgetState::used);
  compare_budgets("limits", expect.limits(), &v1::BudgetState::limit);
  if (expect.has_delay()) {
    CompareDelay(expect.delay(), *answer, observed_at, mismatches);
  }
  CompareNodes(expect, answer->decision(), mismatches);
  CompareNamed(
      "resources", expect.resources(),
      [&](const std::string& resource) {
        std::string factor = "none";
        for (const auto& change : answer->decision().resources()) {
          if (change.resource() == resource) {
            factor = absl::StrCat(change.factor());
          }
        }
        return factor;
      },
      mismatches);
  CompareTexts(expect, *answer, mismatches);
  return mismatches;
}

}  // namespace mulligan::cli
