// The values of a report's parts as JSON.
#ifndef MULLIGAN_CLIENT_CLI_REPORT_PART_VALUES_H_
#define MULLIGAN_CLIENT_CLI_REPORT_PART_VALUES_H_

#include <cstddef>
#include <cstdint>
#include <exception>
#include <nlohmann/json.hpp>
#include <stdexcept>
#include <string>
#include <tuple>
#include <type_traits>
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

// Returns the library's message without its number.
inline std::string Reason(const std::exception& error) {
  const std::string text = error.what();
  return text.starts_with('[') ? text.substr(text.find(']') + 2) : text;
}

// Calls `read` with a member. Exceptions name the member.
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

// Found by the library for these types. A type with Members() is an array of
// its members.

template <typename Sum>
requires requires(const Sum& sum) { Sum::Members(sum); }
void to_json(PartJson& json, const Sum& sum) {
  std::apply([&](const auto&... members) { json = {members...}; },
             Sum::Members(sum));
}

template <typename Sum>
requires requires(Sum& sum) { Sum::Members(sum); }
void from_json(const PartJson& json, Sum& sum) {
  std::size_t next = 0;
  const auto read = [&](auto& member) {
    const PartJson& at = json.at(next++);
    if constexpr (std::is_same_v<decltype(member), std::int64_t&>) {
      member = Amount(at);
    } else {
      at.get_to(member);
    }
  };
  std::apply([&](auto&... members) { (read(members), ...); },
             Sum::Members(sum));
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

}  // namespace mulligan::cli

#endif  // MULLIGAN_CLIENT_CLI_REPORT_PART_VALUES_H_
