// What a report is added up from, as JSON in the lines of its parts.
#ifndef MULLIGAN_CLIENT_CLI_REPORT_PART_VALUES_H_
#define MULLIGAN_CLIENT_CLI_REPORT_PART_VALUES_H_

#include <cstdint>
#include <exception>
#include <nlohmann/json.hpp>
#include <stdexcept>
#include <string>
#include <utility>

#include "absl/strings/str_cat.h"
#include "client/cli/report/gathered.h"
#include "client/cli/report/report.h"

namespace mulligan::cli {

using PartJson = nlohmann::ordered_json;

inline std::int64_t Amount(const PartJson& json) {
  const auto amount = json.get<std::int64_t>();
  if (amount >= 0) return amount;
  throw std::invalid_argument(
      absl::StrCat(amount, " is not valid; expected an amount of at least 0"));
}

// What is wrong, without the library's number for it.
inline std::string Reason(const std::exception& error) {
  const std::string text = error.what();
  return text.starts_with('[') ? text.substr(text.find(']') + 2) : text;
}

// Calls `read` with a member; what it throws names the member.
template <typename Read>
void ReadMember(const PartJson& json, const char* name, const Read& read) {
  const auto member = json.find(name);
  if (member == json.end()) {
    throw std::invalid_argument(absl::StrCat(name, ": is missing"));
  }
  try {
    read(*member);
  } catch (const std::exception& error) {
    throw std::invalid_argument(absl::StrCat(name, ": ", Reason(error)));
  }
}

inline Count AmountAt(const PartJson& json, const char* name) {
  Count amount = 0;
  ReadMember(json, name, [&](const PartJson& at) { amount = Amount(at); });
  return amount;
}

// Found by the library for members, arrays and maps of these types.

inline void to_json(PartJson& json, const Spent& spent) {
  json = {spent.accelerator, spent.core, spent.pod};
}
inline void from_json(const PartJson& json, Spent& spent) {
  spent = {Amount(json.at(0)), Amount(json.at(1)), Amount(json.at(2))};
}

inline void to_json(PartJson& json, const EntryCount& count) {
  json = {count.entries, count.lines};
}
inline void from_json(const PartJson& json, EntryCount& count) {
  count = {Amount(json.at(0)), json.at(1).get<std::uint64_t>()};
}

inline void to_json(PartJson& json, const Cost& cost) {
  json = {cost.failures, cost.workloads, cost.lost};
}
inline void from_json(const PartJson& json, Cost& cost) {
  cost = {Amount(json.at(0)), Amount(json.at(1)), json.at(2).get<Spent>()};
}

inline void to_json(PartJson& json, const BudgetCost& cost) {
  json = {cost.charged, cost.ended, cost.lost};
}
inline void from_json(const PartJson& json, BudgetCost& cost) {
  cost = {Amount(json.at(0)), Amount(json.at(1)), json.at(2).get<Spent>()};
}

inline void to_json(PartJson& json, const CauseStep& step) {
  json = {step.failures, step.lost, step.begun, step.over};
}
inline void from_json(const PartJson& json, CauseStep& step) {
  step = {Amount(json.at(0)), json.at(1).get<Spent>(), Amount(json.at(2)),
          Amount(json.at(3))};
}

inline void to_json(PartJson& json, const Exhibits& exhibits) {
  json = PartJson::array();
  for (const Exhibit& one : exhibits.all()) {
    json.push_back({one.key, one.workload, one.observed, one.lost, one.problem,
                    one.first_step.text(), one.first_step.actor(),
                    one.first_step.command()});
  }
}
inline void from_json(const PartJson& json, Exhibits& exhibits) {
  for (const PartJson& one : json) {
    Exhibit example = {
        one.at(0).get<std::uint64_t>(), one.at(1).get<std::string>(),
        one.at(2).get<std::int64_t>(),  one.at(3).get<Spent>(),
        one.at(4).get<std::string>(),   {}};
    example.first_step.set_text(one.at(5).get<std::string>());
    example.first_step.set_actor(
        static_cast<v1::FirstStep::Actor>(one.at(6).get<int>()));
    example.first_step.set_command(one.at(7).get<std::string>());
    exhibits.Add(std::move(example));
  }
}

inline void to_json(PartJson& json, const Verdicts& verdicts) {
  json = {verdicts.in_vain,
          verdicts.assumed,
          verdicts.given_up,
          verdicts.completed,
          verdicts.tried_again,
          verdicts.saved,
          verdicts.given_up_examples,
          verdicts.completed_examples,
          verdicts.tried_again_examples,
          verdicts.saved_examples};
}
inline void from_json(const PartJson& json, Verdicts& verdicts) {
  json.at(0).get_to(verdicts.in_vain);
  json.at(1).get_to(verdicts.assumed);
  json.at(2).get_to(verdicts.given_up);
  json.at(3).get_to(verdicts.completed);
  json.at(4).get_to(verdicts.tried_again);
  json.at(5).get_to(verdicts.saved);
  json.at(6).get_to(verdicts.given_up_examples);
  json.at(7).get_to(verdicts.completed_examples);
  json.at(8).get_to(verdicts.tried_again_examples);
  json.at(9).get_to(verdicts.saved_examples);
}

}  // namespace mulligan::cli

#endif  // MULLIGAN_CLIENT_CLI_REPORT_PART_VALUES_H_
