// The ledger on the workload's own object.
#ifndef MULLIGAN_CLIENT_CLI_STORY_LEDGER_ANNOTATION_H_
#define MULLIGAN_CLIENT_CLI_STORY_LEDGER_ANNOTATION_H_

#include <string>

#include "client/cli/story/story.h"
#include "client/ledger.h"
#include "mulligan/v1/retry_decision_service.pb.h"

namespace mulligan::cli {

// Fills request.ledger from the annotation, unless the request has a ledger:
// that of report.workload, of the most senior object that has one (custom
// resource, Jobs, pods), in this order. Returns where it was found, "Job
// ml/train"; empty: nowhere, or with a warning in `warnings` when the ledger is
// of another object (a copied annotation) or is none at all: what happened can
// be told without it.
std::string TakeAnnotatedLedger(v1::DecideRequest& request,
                                std::vector<std::string>& warnings);

// What people are told about the `ledger` of an answer.
LedgerNote NoteLedger(const v1::WorkloadReference& workload,
                      const v1::BudgetLedger& ledger,
                      const std::string& source);

}  // namespace mulligan::cli

#endif  // MULLIGAN_CLIENT_CLI_STORY_LEDGER_ANNOTATION_H_
