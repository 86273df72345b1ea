// The tables as C++.
#ifndef MULLIGAN_POLICY_DEMYSTIFY_SIGNATURES_COMPILER_WRITE_H_
#define MULLIGAN_POLICY_DEMYSTIFY_SIGNATURES_COMPILER_WRITE_H_

#include <string>
#include <vector>

#include "policy/demystify/signatures/compiler/rows.h"

namespace mulligan::demystify {

// What the tables offer: rows::HardwareTexts(), sign::kHelperFailed.
std::string HeaderOf(const std::vector<CompiledTable>& tables);

// The tables themselves, constants that need nothing at the start of a program.
std::string SourceOf(const std::vector<CompiledTable>& tables);

// The samples of all texts, for tests.
std::string SamplesOf(const std::vector<CompiledTable>& tables);

}  // namespace mulligan::demystify

#endif  // MULLIGAN_POLICY_DEMYSTIFY_SIGNATURES_COMPILER_WRITE_H_
