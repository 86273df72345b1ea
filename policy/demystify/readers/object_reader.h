// What all else than the pods of an attempt says of it.
#ifndef MULLIGAN_POLICY_DEMYSTIFY_READERS_OBJECT_READER_H_
#define MULLIGAN_POLICY_DEMYSTIFY_READERS_OBJECT_READER_H_

#include <cstdint>
#include <optional>

#include "policy/demystify/fact.h"
#include "policy/demystify/gang.h"
#include "policy/demystify/member.h"

namespace mulligan::demystify {

// Adds what creation error, queue, operators, events about other objects and,
// where nothing else tells, nodes say, beside the pods, which are `gang`. Fills
// `exit_code` where report.exit has one and there are no pods.
void ReadObjects(const Attempt& attempt, const Gang& gang, Candidates& facts,
                 std::optional<std::int32_t>& exit_code);

}  // namespace mulligan::demystify

#endif  // MULLIGAN_POLICY_DEMYSTIFY_READERS_OBJECT_READER_H_
