// How counts are written for people.
#ifndef MULLIGAN_CLIENT_CLI_BASE_NUMBERS_H_
#define MULLIGAN_CLIENT_CLI_BASE_NUMBERS_H_

#include <cstdint>
#include <string>

namespace mulligan::cli {

using Count = std::int64_t;

// "1,234,567".
std::string WithCommas(Count count);

// `part` of `whole`: "1.2 %", "<0.1 %", "0 %".
std::string Percent(Count part, Count whole);

}  // namespace mulligan::cli

#endif  // MULLIGAN_CLIENT_CLI_BASE_NUMBERS_H_
