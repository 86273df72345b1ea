// Metrics of the process, which prometheus-cpp lacks.
#ifndef MULLIGAN_SERVER_OBSERVE_PROCESS_METRICS_H_
#define MULLIGAN_SERVER_OBSERVE_PROCESS_METRICS_H_

#include <vector>

#include "prometheus/metric_family.h"

namespace mulligan {

// Returns the process_* families of Prometheus clients, read from /proc now.
// Families whose source is unreadable are left out.
std::vector<prometheus::MetricFamily> CollectProcessMetrics();

}  // namespace mulligan

#endif  // MULLIGAN_SERVER_OBSERVE_PROCESS_METRICS_H_
