// How answers are worded for people.
#ifndef MULLIGAN_CLIENT_CLI_STORY_WORDING_H_
#define MULLIGAN_CLIENT_CLI_STORY_WORDING_H_

#include <string>
#include <string_view>
#include <vector>

#include "google/protobuf/duration.pb.h"
#include "google/protobuf/timestamp.pb.h"
#include "mulligan/v1/decision.pb.h"
#include "mulligan/v1/diagnosis.pb.h"

namespace mulligan::cli {

// Whole seconds, or milliseconds below one: jitter gives delays odd fractions,
// which nobody wants to read.
std::string FormatDuration(const google::protobuf::Duration& duration);

// "RESOURCE_LIMIT" as "resource limit".
std::string Words(std::string name);

// "RETRY the pod", whenever.
std::string ActionLine(const v1::Decision& decision);

// "RETRY the pod in 30s".
std::string VerdictLine(const v1::Decision& decision);

// Where it stands among what can be tried: "another node; after 2 more like it
// a person". Empty when it does not say.
std::string LadderText(const v1::Escalation& escalation);

// "0.04 accelerator hours; 3 alike in a row; expected to pass 20 times in 100".
// Empty where nothing is known.
std::string StakeText(const v1::Stake& stake);

// When the delay of the decision is over, which runs from `from`, and until
// when evidence is waited for: " (at 09:07:43 UTC)", with the day where it is
// not the same. Empty without either.
std::string EndOfDelay(const v1::Decision& decision,
                       const google::protobuf::Timestamp& from);

// How sure a diagnosis is and why: "certain: Kubernetes or the runtime says
// exactly this". Empty when it does not say.
std::string_view ConfidenceText(v1::Diagnosis::Confidence confidence);

// Whether the same work can recover unchanged, and on what that rests: "no: a
// mistake in the program". Empty when it does not say, or nobody can tell.
std::string OutlookText(const v1::Diagnosis& diagnosis);

// A piece of evidence, and those after it that say the same of other places, as
// events that repeat each other do.
struct ToldEvidence {
  const v1::Evidence* first;
  std::vector<const v1::Evidence*> again;
};

// Each of them once, with views into `diagnosis`; what the headline rests on
// last.
std::vector<ToldEvidence> EvidenceOf(const v1::Diagnosis& diagnosis);

// "2026-01-31T08:00:00Z", to the second.
std::string TimeText(const google::protobuf::Timestamp& time);

// "2026-01-31 08:00:00", where UTC stands beside it.
std::string DayAndTime(const google::protobuf::Timestamp& time);

// Where a limit comes from that is not the policy's: "of its operator". Empty:
// the policy.
std::string LimitSourceText(v1::BudgetState::LimitSource source);

// The name of the budget, or "maxAttempts".
std::string LimitName(const v1::Exhaustion& exhaustion);

}  // namespace mulligan::cli

#endif  // MULLIGAN_CLIENT_CLI_STORY_WORDING_H_
