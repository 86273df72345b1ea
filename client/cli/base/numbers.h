// Formats counts, percentages and times for people.
#ifndef MULLIGAN_CLIENT_CLI_BASE_NUMBERS_H_
#define MULLIGAN_CLIENT_CLI_BASE_NUMBERS_H_

#include <cstdint>
#include <string>
#include <string_view>

namespace mulligan::cli {

using Count = std::int64_t;

// "1,234,567".
std::string WithCommas(Count count);

// "1 line", "1,234 lines".
std::string Plural(Count count, std::string_view one, std::string_view many);

// Returns `part` of `whole`: "1.2 %", "<0.1 %", "0 %".
std::string Percent(Count part, Count whole);

// Formats `seconds` since 1970 in UTC as absl::FormatTime does.
std::string UtcText(std::string_view format, std::int64_t seconds);

}  // namespace mulligan::cli

#endif  // MULLIGAN_CLIENT_CLI_BASE_NUMBERS_H_
