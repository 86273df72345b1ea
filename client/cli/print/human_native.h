// The workload's own operator beside Mulligan.
#ifndef MULLIGAN_CLIENT_CLI_PRINT_HUMAN_NATIVE_H_
#define MULLIGAN_CLIENT_CLI_PRINT_HUMAN_NATIVE_H_

#include "client/cli/print/layout.h"
#include "client/cli/story/story.h"
#include "mulligan/v1/retry_decision_service.pb.h"

namespace mulligan::cli {

// Both verdicts with their prices, the operator's own words, and the
// difference. Begins with a blank line and a title; writes nothing without a
// native verdict.
void WriteNative(const Story& story, const v1::DecideResponse& response,
                 Layout& layout);

}  // namespace mulligan::cli

#endif  // MULLIGAN_CLIENT_CLI_PRINT_HUMAN_NATIVE_H_
