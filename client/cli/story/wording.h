// The wording of answers for people.
#ifndef MULLIGAN_CLIENT_CLI_STORY_WORDING_H_
#define MULLIGAN_CLIENT_CLI_STORY_WORDING_H_

#include <string>
#include <string_view>
#include <vector>

#include "google/protobuf/duration.pb.h"
#include "google/protobuf/timestamp.pb.h"
#include "mulligan/v1/decision.pb.h"
#include "mulligan/v1/diagnosis.pb.h"
#include "mulligan/v1/explanation.pb.h"

namespace mulligan::cli {

// Returns whole seconds, or milliseconds below one second, because fractions
// from jitter are noise.
std::string FormatDuration(const google::protobuf::Duration& duration);

// Returns "RESOURCE_LIMIT" as "resource limit".
std::string Words(std::string name);

// Returns "RETRY the pod", without the delay.
std::string ActionLine(const v1::Decision& decision);

// Returns "RETRY the pod in 30s".
std::string VerdictLine(const v1::Decision& decision);

// Returns what ended the evaluation if no rule did, to be appended to the
// policy's name: "not asked: there is no failure to decide about". Empty if
// unspecified.
std::string DecidedText(v1::Explanation::DecidedBy decided_by);

// Returns the position among the possible remedies: "another node; after 2 more
// like it a person". Empty if unspecified.
std::string LadderText(const v1::Escalation& escalation);

// Returns "0.04 accelerator hours; 3 alike in a row; expected to pass 20 times
// in 100". Empty if nothing is known.
std::string StakeText(const v1::Stake& stake);

// Returns when the decision's delay after `from` ends, and until when it waits
// for evidence: " (at 09:07:43 UTC)", with the date if it is another day; or
// empty.
std::string EndOfDelay(const v1::Decision& decision,
                       const google::protobuf::Timestamp& from);

// Returns the confidence and its reason: "certain: Kubernetes or the runtime
// says exactly this". Empty if unspecified.
std::string_view ConfidenceText(v1::Diagnosis::Confidence confidence);

// Returns whether the same work can recover unchanged and why: "no: a mistake
// in the program". Empty if unspecified or unknown.
std::string OutlookText(const v1::Diagnosis& diagnosis);

// A piece of evidence, and later ones with the same content, such as repeated
// events.
struct EvidenceGroup {
  const v1::Evidence* first;
  std::vector<const v1::Evidence*> repeats;
};

// Returns each piece of evidence once, the headline's last. Points into
// `diagnosis`.
std::vector<EvidenceGroup> EvidenceOf(const v1::Diagnosis& diagnosis);

// Returns "2026-01-31T08:00:00Z", to the second.
std::string TimeText(const google::protobuf::Timestamp& time);

// Returns "2026-01-31 08:00:00", to be shown with "UTC".
std::string DayAndTime(const google::protobuf::Timestamp& time);

// Returns the source of a limit that is not the policy's: "of its operator".
// Empty for the policy.
std::string LimitSourceText(v1::BudgetState::LimitSource source);

// Returns the name of the budget, or "maxAttempts".
std::string LimitName(const v1::Exhaustion& exhaustion);

}  // namespace mulligan::cli

#endif  // MULLIGAN_CLIENT_CLI_STORY_WORDING_H_
