// One line of the decision log.
#ifndef MULLIGAN_SERVER_OBSERVE_DECISION_LINE_H_
#define MULLIGAN_SERVER_OBSERVE_DECISION_LINE_H_

#include <cstddef>
#include <string>

#include "google/protobuf/timestamp.pb.h"
#include "server/observe/redaction.h"

namespace mulligan {

// A decision on its way to the log, in bytes: taking them is all that the call
// waits for.
struct LoggedDecision {
  // Stands in for an absent report.observed_at, too.
  google::protobuf::Timestamp decided_at;
  std::string traceparent;
  // A DecideRequest and its DecideResponse.
  std::string request;
  std::string response;

  // What it takes of the queue.
  std::size_t bytes() const {
    return sizeof(*this) + traceparent.size() + request.size() +
           response.size();
  }
};

// Appends `decision` as a DecisionRecord in JSON with its line break. False,
// with nothing appended, when it cannot be said in JSON.
bool AppendDecisionLine(const LoggedDecision& decision,
                        const std::string& replica, const Redaction& redaction,
                        std::string& lines);

}  // namespace mulligan

#endif  // MULLIGAN_SERVER_OBSERVE_DECISION_LINE_H_
