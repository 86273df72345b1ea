// Metrics about the process itself, which prometheus-cpp does not have.
#ifndef MULLIGAN_SERVER_OBSERVE_PROCESS_METRICS_H_
#define MULLIGAN_SERVER_OBSERVE_PROCESS_METRICS_H_

#include <vector>

#include "prometheus/metric_family.h"

namespace mulligan {

// The process_* families every Prometheus client has, read from /proc now.
// Families whose source cannot be read are left out.
std::vector<prometheus::MetricFamily> CollectProcessMetrics();

}  // namespace mulligan

#endif  // MULLIGAN_SERVER_OBSERVE_PROCESS_METRICS_H_
