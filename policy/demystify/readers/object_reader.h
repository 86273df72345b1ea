// Facts from everything except the pods of an attempt.
#ifndef MULLIGAN_POLICY_DEMYSTIFY_READERS_OBJECT_READER_H_
#define MULLIGAN_POLICY_DEMYSTIFY_READERS_OBJECT_READER_H_

#include <cstdint>
#include <optional>

#include "policy/demystify/fact.h"
#include "policy/demystify/gang.h"
#include "policy/demystify/member.h"

namespace mulligan::demystify {

// Adds facts from the creation error, queue, operators, events about other
// objects and, as a last resort, nodes. `gang` is the result for the pods. Sets
// `exit_code` from report.exit if there are no pods.
void ReadObjects(const Attempt& attempt, const Gang& gang, Candidates& facts,
                 std::optional<std::int32_t>& exit_code);

}  // namespace mulligan::demystify

#endif  // MULLIGAN_POLICY_DEMYSTIFY_READERS_OBJECT_READER_H_
