// Events of a workload that is too large for one request.
#ifndef MULLIGAN_CLIENT_CLI_INPUT_EVENT_REDUCTION_H_
#define MULLIGAN_CLIENT_CLI_INPUT_EVENT_REDUCTION_H_

#include <cstddef>

#include "mulligan/v1/report.pb.h"

namespace mulligan::cli {

// Events in one request, and their bytes.
inline constexpr std::size_t kMostSentEvents = 2000;
inline constexpr std::size_t kMostSentEventBytes = std::size_t{1} << 20;

// Leaves the events within both bounds: those about pods that the report does
// not have go first, then those that are no warnings, then the oldest. Returns
// how many went.
int ReduceEvents(v1::FailureReport& report, std::size_t most = kMostSentEvents,
                 std::size_t most_bytes = kMostSentEventBytes);

}  // namespace mulligan::cli

#endif  // MULLIGAN_CLIENT_CLI_INPUT_EVENT_REDUCTION_H_
