#include "server/rpc/ask_candidate.h"

#include <exception>

#include "absl/status/status.h"
#include "google/protobuf/arena.h"
#include "policy/compare.h"
#include "policy/decide.h"

namespace mulligan {

absl::Status AskCandidate(const v1::DecideRequest& request,
                          const PolicySet& candidate,
                          const google::protobuf::Timestamp& now, Watch& watch,
                          v1::DecideResponse& response) {
  v1::CandidateVerdict& verdict = *response.mutable_candidate();
  absl::Status decided;
  try {
    google::protobuf::Arena arena;
    auto& answer =
        *google::protobuf::Arena::CreateMessage<v1::DecideResponse>(&arena);
    decided = Decide(request, candidate, now, answer, {&watch, nullptr});
    if (decided.ok()) FillCandidate(response, answer, verdict);
  } catch (const std::exception& error) {
    decided = absl::InternalError(error.what());
    verdict.Clear();
  }
  if (!decided.ok()) FillCandidateError(decided, verdict);
  return decided;
}

}  // namespace mulligan
