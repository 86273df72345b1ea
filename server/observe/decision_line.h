// One line of the decision log.
#ifndef MULLIGAN_SERVER_OBSERVE_DECISION_LINE_H_
#define MULLIGAN_SERVER_OBSERVE_DECISION_LINE_H_

#include <cstddef>
#include <string>

#include "google/protobuf/timestamp.pb.h"
#include "server/observe/redaction.h"

namespace mulligan {

// A serialized decision for the log; only serializing is on the call's path.
struct LoggedDecision {
  // Also replaces an absent report.observed_at.
  google::protobuf::Timestamp decided_at;
  std::string traceparent;
  // A DecideRequest and its DecideResponse.
  std::string request;
  std::string response;

  // Bytes that it takes in the queue.
  std::size_t bytes() const {
    return sizeof(*this) + traceparent.size() + request.size() +
           response.size();
  }
};

// Appends `decision` as a DecisionRecord in JSON with a line break. Returns
// false, with nothing appended, if JSON cannot express it.
bool AppendDecisionLine(const LoggedDecision& decision,
                        const std::string& replica, const Redaction& redaction,
                        std::string& lines);

}  // namespace mulligan

#endif  // MULLIGAN_SERVER_OBSERVE_DECISION_LINE_H_
