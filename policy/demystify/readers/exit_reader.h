// Reads a single container's end, if that is the whole report.
#ifndef MULLIGAN_POLICY_DEMYSTIFY_READERS_EXIT_READER_H_
#define MULLIGAN_POLICY_DEMYSTIFY_READERS_EXIT_READER_H_

#include <cstdint>
#include <optional>

#include "policy/demystify/context.h"
#include "policy/demystify/fact.h"

namespace mulligan::demystify {

// Adds facts from report.exit, and sets `exit_code` if it has one.
void ReadExit(const Context& context, Candidates& facts,
              std::optional<std::int32_t>& exit_code);

}  // namespace mulligan::demystify

#endif  // MULLIGAN_POLICY_DEMYSTIFY_READERS_EXIT_READER_H_
