#include "policy/demystify/demystify.h"

namespace mulligan {

v1::FaultDomain FaultDomainOf(v1::Cause cause) {
  switch (cause) {
    case v1::STALE_REPORT:
    case v1::SUCCEEDED:
    case v1::CANCELLED:
      return v1::NONE;
    case v1::SUSPENDED:
    case v1::PREEMPTED_QUEUE:
    case v1::QUOTA_EXCEEDED:
    case v1::UNSCHEDULABLE:
    case v1::START_TIMEOUT:
      return v1::QUEUE;
    case v1::PREEMPTED_SCHEDULER:
    case v1::SPOT_RECLAIMED:
    case v1::DRAINED:
    case v1::TAINT_EVICTED:
    case v1::NODE_SHUTDOWN:
    case v1::SIGTERM_UNEXPLAINED:
      return v1::DISRUPTION;
    case v1::NODE_LOST:
    case v1::NODE_PRESSURE_EVICTED:
    case v1::GPU_FAULT:
    case v1::FABRIC_FAULT:
    case v1::DEVICE_ADMISSION:
    case v1::IMAGE_PULL_TRANSIENT:
    case v1::SANDBOX_OR_MOUNT:
    case v1::HOST_OOM:
    case v1::COLLECTIVE_CASCADE:
    case v1::RENDEZVOUS_FAILED:
    case v1::SIGKILL_UNEXPLAINED:
    case v1::UNKNOWN:
    case v1::BAD_NODE:
    case v1::INCIDENT:
      return v1::INFRASTRUCTURE;
    case v1::CREATE_REJECTED:
    case v1::IMAGE_INVALID:
    case v1::IMAGE_DENIED:
    case v1::CONFIG_MISSING:
    case v1::CONFIG_USER_ERROR:
      return v1::CONFIGURATION;
    case v1::CREATE_CONFLICT:
    case v1::API_TRANSIENT:
    case v1::LAUNCHER_FAILED:
    case v1::CONTROLLER_ERROR:
      return v1::CONTROL_PLANE;
    case v1::CONTAINER_OOM:
    case v1::GPU_OOM:
    case v1::STORAGE_EXHAUSTED:
      return v1::RESOURCE_LIMIT;
    case v1::DEADLINE_POD:
    case v1::DEADLINE_JOB:
      return v1::DEADLINE;
    case v1::HANG:
    case v1::PROBE_KILLED:
    case v1::DECLARED_FATAL:
    case v1::DECLARED_RETRYABLE:
    case v1::CRASH_SIGNAL:
    case v1::DEPENDENCY_UNAVAILABLE:
    case v1::DATA_OR_NUMERIC:
    case v1::APP_ERROR:
    case v1::DETERMINISTIC:
    case v1::CRASH_LOOP:
    case v1::POISON_JOB:
      return v1::APPLICATION;
    default:
      return v1::FAULT_DOMAIN_UNSPECIFIED;
  }
}

}  // namespace mulligan
