// The parts of FormatForPeople below the facts. Each begins with a blank line
// and its title, and writes nothing when it has nothing to say.
#ifndef MULLIGAN_CLIENT_CLI_HUMAN_SECTIONS_H_
#define MULLIGAN_CLIENT_CLI_HUMAN_SECTIONS_H_

#include <string>

#include "client/cli/layout.h"
#include "google/protobuf/timestamp.pb.h"
#include "mulligan/v1/retry_decision_service.pb.h"

namespace mulligan::cli {

// What was observed, heaviest first, with the path it was read at.
void WriteEvidence(const v1::Diagnosis& diagnosis, Layout& layout);

// Budgets after the decision as a table; the one that paid is marked. Without
// `all`, those never used are named below it.
void WriteBudgets(const v1::Accounting& accounting, bool all, Layout& layout);

// Causes that did not win.
void WriteConsidered(const v1::Diagnosis& diagnosis, Layout& layout);

// Rules that did not match.
void WriteRulesTried(const v1::Explanation& explanation, Layout& layout);

// Changes that would have flipped the verdict.
void WriteCounterfactuals(const v1::Explanation& explanation, Layout& layout);

// What to fetch to be surer.
void WriteNeededEvidence(const v1::Diagnosis& diagnosis, Layout& layout);

void WriteWarnings(const v1::DecideResponse& response, Layout& layout);

// "2026-01-31T08:00:00Z", to the second.
std::string TimeText(const google::protobuf::Timestamp& time);

// "<embedded>:12", "train.yaml:3", or empty without a file.
std::string RulePlace(const v1::RuleReference& rule);

}  // namespace mulligan::cli

#endif  // MULLIGAN_CLIENT_CLI_HUMAN_SECTIONS_H_
