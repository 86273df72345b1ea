// Generates C++ from the tables.
#ifndef MULLIGAN_TOOLS_ROWS_WRITE_H_
#define MULLIGAN_TOOLS_ROWS_WRITE_H_

#include <string>
#include <string_view>
#include <vector>

#include "tools/rows/rows.h"

namespace mulligan::demystify {

// Returns the declarations, such as rows::HardwareTexts() and
// sign::kHelperFailed.
std::string HeaderOf(const std::vector<CompiledTable>& tables);

// Returns the tables as constants that need no initialization at run time.
std::string SourceOf(const std::vector<CompiledTable>& tables);

// Returns the samples of all texts, for tests.
std::string SamplesOf(const std::vector<CompiledTable>& tables);

// Returns "UNCLEAR_END_ONLY" as "kUnclearEndOnly".
std::string ConstantName(std::string_view name);

// Returns the text as a C++ literal.
std::string CppString(const std::string& text);

}  // namespace mulligan::demystify

#endif  // MULLIGAN_TOOLS_ROWS_WRITE_H_
