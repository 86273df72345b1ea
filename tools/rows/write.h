// The tables as C++.
#ifndef MULLIGAN_TOOLS_ROWS_WRITE_H_
#define MULLIGAN_TOOLS_ROWS_WRITE_H_

#include <string>
#include <string_view>
#include <vector>

#include "tools/rows/rows.h"

namespace mulligan::demystify {

// What the tables offer: rows::HardwareTexts(), sign::kHelperFailed.
std::string HeaderOf(const std::vector<CompiledTable>& tables);

// The tables themselves, constants that need nothing at the start of a program.
std::string SourceOf(const std::vector<CompiledTable>& tables);

// The samples of all texts, for tests.
std::string SamplesOf(const std::vector<CompiledTable>& tables);

// "UNCLEAR_END_ONLY" as "kUnclearEndOnly".
std::string ConstantName(std::string_view name);

// The text as a literal of C++.
std::string CppString(const std::string& text);

}  // namespace mulligan::demystify

#endif  // MULLIGAN_TOOLS_ROWS_WRITE_H_
