#include <algorithm>
#include <iterator>

#include "policy/demystify/demystify.h"

namespace mulligan {
namespace {

struct Row {
  v1::Cause cause;
  v1::FaultDomain domain;
};

constexpr Row kDomains[] = {
    {v1::STALE_REPORT, v1::NONE},
    {v1::SUCCEEDED, v1::NONE},
    {v1::CANCELLED, v1::NONE},
    {v1::SUSPENDED, v1::QUEUE},
    {v1::PREEMPTED_QUEUE, v1::QUEUE},
    {v1::PREEMPTED_SCHEDULER, v1::DISRUPTION},
    {v1::SPOT_RECLAIMED, v1::DISRUPTION},
    {v1::DRAINED, v1::DISRUPTION},
    {v1::TAINT_EVICTED, v1::DISRUPTION},
    {v1::NODE_SHUTDOWN, v1::DISRUPTION},
    {v1::NODE_LOST, v1::INFRASTRUCTURE},
    {v1::NODE_PRESSURE_EVICTED, v1::INFRASTRUCTURE},
    {v1::GPU_FAULT, v1::INFRASTRUCTURE},
    {v1::FABRIC_FAULT, v1::INFRASTRUCTURE},
    {v1::DEVICE_ADMISSION, v1::INFRASTRUCTURE},
    {v1::CREATE_REJECTED, v1::CONFIGURATION},
    {v1::CREATE_CONFLICT, v1::CONTROL_PLANE},
    {v1::QUOTA_EXCEEDED, v1::QUEUE},
    {v1::API_TRANSIENT, v1::CONTROL_PLANE},
    {v1::UNSCHEDULABLE, v1::QUEUE},
    {v1::IMAGE_INVALID, v1::CONFIGURATION},
    {v1::IMAGE_DENIED, v1::CONFIGURATION},
    {v1::IMAGE_PULL_TRANSIENT, v1::INFRASTRUCTURE},
    {v1::CONFIG_MISSING, v1::CONFIGURATION},
    {v1::SANDBOX_OR_MOUNT, v1::INFRASTRUCTURE},
    {v1::START_TIMEOUT, v1::QUEUE},
    {v1::CONTAINER_OOM, v1::RESOURCE_LIMIT},
    {v1::HOST_OOM, v1::INFRASTRUCTURE},
    {v1::GPU_OOM, v1::RESOURCE_LIMIT},
    {v1::STORAGE_EXHAUSTED, v1::RESOURCE_LIMIT},
    {v1::DEADLINE_POD, v1::DEADLINE},
    {v1::DEADLINE_JOB, v1::DEADLINE},
    {v1::HANG, v1::APPLICATION},
    {v1::PROBE_KILLED, v1::APPLICATION},
    {v1::CONFIG_USER_ERROR, v1::CONFIGURATION},
    {v1::DECLARED_FATAL, v1::APPLICATION},
    {v1::DECLARED_RETRYABLE, v1::APPLICATION},
    {v1::CRASH_SIGNAL, v1::APPLICATION},
    {v1::DEPENDENCY_UNAVAILABLE, v1::APPLICATION},
    {v1::DATA_OR_NUMERIC, v1::APPLICATION},
    {v1::COLLECTIVE_CASCADE, v1::INFRASTRUCTURE},
    {v1::RENDEZVOUS_FAILED, v1::INFRASTRUCTURE},
    {v1::LAUNCHER_FAILED, v1::CONTROL_PLANE},
    {v1::CONTROLLER_ERROR, v1::CONTROL_PLANE},
    {v1::SIGTERM_UNEXPLAINED, v1::DISRUPTION},
    {v1::SIGKILL_UNEXPLAINED, v1::INFRASTRUCTURE},
    {v1::APP_ERROR, v1::APPLICATION},
    {v1::UNKNOWN, v1::INFRASTRUCTURE},
    {v1::NOT_FAILED, v1::NONE},
    {v1::DETERMINISTIC, v1::APPLICATION},
    {v1::CRASH_LOOP, v1::APPLICATION},
    {v1::BAD_NODE, v1::INFRASTRUCTURE},
    {v1::POISON_JOB, v1::APPLICATION},
    {v1::INCIDENT, v1::INFRASTRUCTURE},
};

constexpr bool Less(const Row& a, const Row& b) { return a.cause < b.cause; }
static_assert(std::is_sorted(std::begin(kDomains), std::end(kDomains), Less));

}  // namespace

v1::FaultDomain FaultDomainOf(v1::Cause cause) {
  const auto* row =
      std::lower_bound(std::begin(kDomains), std::end(kDomains),
                       Row{cause, v1::FAULT_DOMAIN_UNSPECIFIED}, Less);
  return row != std::end(kDomains) && row->cause == cause
             ? row->domain
             : v1::FAULT_DOMAIN_UNSPECIFIED;
}

}  // namespace mulligan
