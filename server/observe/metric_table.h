// The table of the server's metrics: names, types, labels, help. A test
// compares it with docs/metrics.md.
#ifndef MULLIGAN_SERVER_OBSERVE_METRIC_TABLE_H_
#define MULLIGAN_SERVER_OBSERVE_METRIC_TABLE_H_

#include <cstddef>
#include <iterator>

namespace mulligan {

enum class MetricType { kCounter, kGauge, kHistogram };

struct MetricInfo {
  const char* name;
  MetricType type;
  // Comma-separated; "" if there are none.
  const char* labels;
  const char* help;
};

enum class MetricId {
  kDecisions,
  kDecisionsByKind,
  kDecisionsByPolicy,
  kBudgetCharged,
  kBudgetExhausted,
  kUndemystified,
  kDerivedCauses,
  kDuplicateReports,
  kNativeVerdicts,
  kNativeDivergence,
  kDecisionDuration,
  kDemystifyDuration,
  kRequestBytes,
  kBatchItems,
  kRequestsRejected,
  kMalformedTraces,
  kPolicyInfo,
  kPolicyLoadedTimestamp,
  kPolicies,
  kPolicyReloads,
  kPolicyReloadFailing,
  kPolicyStaleSince,
  kConnections,
  kRefusedConnections,
  kEndedConnections,
  kQueuedCalls,
  kMemoryUnderWay,
  kCertificateEnd,
  kCandidateDecisions,
  kCandidateDifferences,
  kCandidateActions,
  kCandidateInfo,
  kCandidateFailing,
  kDecisionLogWritten,
  kDecisionLogDropped,
  kDecisionLogQueue,
  kDecisionLogFailing,
  kBuildInfo,
  kGrpcStarted,
  kGrpcHandled,
  kGrpcHandling,
  kProcessCpu,
  kProcessResidentMemory,
  kProcessVirtualMemory,
  kProcessOpenFds,
  kProcessMaxFds,
  kProcessStartTime,
};

// Indexed by MetricId.
inline constexpr MetricInfo kMetrics[] = {
    {"mulligan_decisions_total", MetricType::kCounter, "cause,action",
     "Decisions answered by cause and action, except previews"},
    {"mulligan_decisions_by_kind_total", MetricType::kCounter, "kind,action",
     "Decisions answered by workload kind and action"},
    {"mulligan_decisions_by_policy_total", MetricType::kCounter,
     "policy,action", "Decisions answered by policy and action"},
    {"mulligan_budget_charged_total", MetricType::kCounter, "budget",
     "Failures charged to a budget"},
    {"mulligan_budget_exhausted_total", MetricType::kCounter, "budget",
     "Decisions in which a budget or the attempt limit was used up"},
    {"mulligan_undemystified_total", MetricType::kCounter, "kind",
     "Decisions whose cause is UNKNOWN or an unexplained signal"},
    {"mulligan_derived_causes_total", MetricType::kCounter, "cause",
     "Decisions with a second cause derived from the history"},
    {"mulligan_duplicate_reports_total", MetricType::kCounter, "",
     "Decisions about a failure already in the ledger"},
    {"mulligan_native_verdicts_total", MetricType::kCounter, "kind",
     "Decisions answered with the verdict of the workload's own operator"},
    {"mulligan_native_divergence_total", MetricType::kCounter,
     "kind,difference",
     "Decisions that differ from the verdict of the workload's own operator"},
    {"mulligan_decision_duration_seconds", MetricType::kHistogram, "",
     "Time to decide one failure, without parsing and sending"},
    {"mulligan_demystify_duration_seconds", MetricType::kHistogram, "",
     "Time to classify one failure, without parsing and sending"},
    {"mulligan_request_bytes", MetricType::kHistogram, "",
     "Size of requests to RetryDecisionService"},
    {"mulligan_batch_items", MetricType::kHistogram, "",
     "Requests in one BatchDecide"},
    {"mulligan_requests_rejected_total", MetricType::kCounter, "reason",
     "Requests and batch items answered with an error"},
    {"mulligan_malformed_traces_total", MetricType::kCounter, "",
     "Calls whose traceparent or tracestate was dropped as malformed"},
    {"mulligan_policy_info", MetricType::kGauge, "revision",
     "Always 1; the label is the revision of the loaded policies"},
    {"mulligan_policy_loaded_timestamp_seconds", MetricType::kGauge, "",
     "When the loaded policies were loaded, seconds since 1970"},
    {"mulligan_policies", MetricType::kGauge, "", "Number of loaded policies"},
    {"mulligan_policy_reloads_total", MetricType::kCounter, "result",
     "Attempts to load policies, including the first one"},
    {"mulligan_policy_reload_failing", MetricType::kGauge, "",
     "1 while the newest policy files could not be loaded"},
    {"mulligan_policy_stale_since_timestamp_seconds", MetricType::kGauge, "",
     "When loading newer policy files first failed, seconds since 1970; "
     "0: the latest are in force"},
    {"mulligan_connections", MetricType::kGauge, "", "Open gRPC connections"},
    {"mulligan_connections_refused_total", MetricType::kCounter, "",
     "gRPC connections closed at once since the start"},
    {"mulligan_connections_ended_total", MetricType::kCounter, "",
     "gRPC connections ended since the start for misuse of HTTP/2"},
    {"mulligan_queued_calls", MetricType::kGauge, "",
     "Calls that wait for a thread of the pool"},
    {"mulligan_memory_under_way_bytes", MetricType::kGauge, "",
     "Memory that open requests may take, bounded by --max-memory"},
    {"mulligan_tls_certificate_end_timestamp_seconds", MetricType::kGauge, "",
     "When the server's certificate expires, seconds since 1970; 0 without "
     "TLS"},
    {"mulligan_candidate_decisions_total", MetricType::kCounter, "",
     "Decisions also made with the candidate policies"},
    {"mulligan_candidate_differences_total", MetricType::kCounter,
     "kind,difference",
     "Decisions in which the candidate's answer differs, by what differs"},
    {"mulligan_candidate_actions_total", MetricType::kCounter,
     "action,candidate_action",
     "Decisions by our action and the candidate's, where they differ"},
    {"mulligan_candidate_policy_info", MetricType::kGauge, "revision",
     "1, labeled with the revision of the candidate policies; 0 without any"},
    {"mulligan_candidate_failing", MetricType::kGauge, "",
     "1 while the newest candidate policies could not be loaded"},
    {"mulligan_decision_log_written_total", MetricType::kCounter, "",
     "Decisions written to the decision log"},
    {"mulligan_decision_log_dropped_total", MetricType::kCounter, "reason",
     "Decisions missing from the decision log"},
    {"mulligan_decision_log_queue_bytes", MetricType::kGauge, "",
     "Decisions that wait to be written to the decision log"},
    {"mulligan_decision_log_failing", MetricType::kGauge, "",
     "1 while the decision log cannot be written"},
    {"mulligan_build_info", MetricType::kGauge, "version,commit",
     "Always 1; the labels identify the build"},
    {"grpc_server_started_total", MetricType::kCounter,
     "grpc_type,grpc_service,grpc_method", "RPCs started on the server"},
    {"grpc_server_handled_total", MetricType::kCounter,
     "grpc_type,grpc_service,grpc_method,grpc_code",
     "RPCs completed on the server"},
    {"grpc_server_handling_seconds", MetricType::kHistogram,
     "grpc_type,grpc_service,grpc_method",
     "Time from the arrival of a request to its answer"},
    {"process_cpu_seconds_total", MetricType::kCounter, "",
     "User and system CPU time"},
    {"process_resident_memory_bytes", MetricType::kGauge, "",
     "Resident memory"},
    {"process_virtual_memory_bytes", MetricType::kGauge, "", "Virtual memory"},
    {"process_open_fds", MetricType::kGauge, "", "Open file descriptors"},
    {"process_max_fds", MetricType::kGauge, "",
     "Limit on open file descriptors"},
    {"process_start_time_seconds", MetricType::kGauge, "",
     "Start of the process, seconds since 1970"},
};
inline constexpr std::size_t kMetricCount = std::size(kMetrics);

constexpr const MetricInfo& InfoOf(MetricId id) {
  return kMetrics[static_cast<std::size_t>(id)];
}

}  // namespace mulligan

#endif  // MULLIGAN_SERVER_OBSERVE_METRIC_TABLE_H_
