// What was decided is answered once more.
#ifndef MULLIGAN_POLICY_VERDICT_ANSWER_AGAIN_H_
#define MULLIGAN_POLICY_VERDICT_ANSWER_AGAIN_H_

#include <optional>

#include "absl/time/time.h"
#include "mulligan/v1/ledger.pb.h"
#include "policy/verdict/call.h"

namespace mulligan {

// Until when pods of the attempt are being stopped; absent: none is.
std::optional<absl::Time> GoneAt(const Call& call);

// Answers with the verdict of a record once more, and charges nothing. A delay
// has been running since.
void AnswerAgain(Call& call, const v1::AttemptRecord& record);

}  // namespace mulligan

#endif  // MULLIGAN_POLICY_VERDICT_ANSWER_AGAIN_H_
