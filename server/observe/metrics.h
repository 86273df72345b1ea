// The server's metrics. Names are in metric_table.h.
#ifndef MULLIGAN_SERVER_OBSERVE_METRICS_H_
#define MULLIGAN_SERVER_OBSERVE_METRICS_H_

#include <grpcpp/support/status.h>

#include <array>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <string>
#include <vector>

#include "absl/time/time.h"
#include "mulligan/v1/retry_decision_service.pb.h"
#include "policy/compare.h"
#include "policy/rules/policy_set.h"
#include "prometheus/counter.h"
#include "prometheus/gauge.h"
#include "prometheus/histogram.h"
#include "prometheus/registry.h"
#include "server/observe/candidate_metrics.h"
#include "server/observe/decision_log.h"
#include "server/observe/metric_table.h"
#include "server/observe/policy_series.h"
#include "server/observe/rpc_method.h"
#include "server/observe/workload_kind.h"

namespace mulligan {

// Why a request or a batch item got an error; label `reason`.
enum class RejectReason {
  kMalformed,
  kInvalid,
  kUnknownPolicy,
  kForeignLedger,
  // The caller left before the answer was ready.
  kCancelled,
  // The deadline passed before the answer was ready.
  kDeadline,
  // Too many calls, or too much memory, in use.
  kOverload,
  // The request needs more work or memory than one request may.
  kTooExpensive,
  // The server was about to stop.
  kStopping,
  // The caller's certificate is not on the list.
  kNotAllowed,
  kInternal,
};
inline constexpr std::size_t kRejectReasonCount = 11;

// All series with closed label sets exist from the start, so that rate() sees
// the first increment. Counters are reached by index. Safe to share; blocks at
// most for a histogram's lock.
class Metrics {
 public:
  Metrics();
  Metrics(const Metrics&) = delete;
  Metrics& operator=(const Metrics&) = delete;

  void OnCallStarted(RpcMethod method) {
    grpc_[static_cast<std::size_t>(method)].started->Increment();
  }
  void OnCallHandled(RpcMethod method, grpc::StatusCode code, double seconds);
  void OnRequestBytes(std::size_t bytes) {
    request_bytes_->Observe(static_cast<double>(bytes));
  }
  void OnMalformedTrace() { malformed_traces_->Increment(); }
  void OnBatch(int items) { batch_items_->Observe(items); }
  void OnRejected(RejectReason reason) {
    rejected_[static_cast<std::size_t>(reason)]->Increment();
  }

  // Counts an answered decision, except for requests with purpose PREVIEW.
  void OnDecision(const v1::DecideRequest& request,
                  const v1::DecideResponse& response,
                  const PolicySeries& series, double seconds);
  void OnDemystified(double seconds) { demystify_duration_->Observe(seconds); }

  // Creates the series for the names in `policies`. Series of unloaded policies
  // remain, because their counters may be in use.
  PolicySeries MakePolicySeries(const PolicySet& policies);
  void OnPoliciesLoaded(const PolicySet& policies, absl::Time now);
  // The policies in force have been stale since `since`.
  void OnPolicyLoadFailed(absl::Time since);
  // The policies in force are the latest again.
  void OnPoliciesRestored();

  CandidateMetrics& candidate() { return candidate_; }

  // Values observed by the monitor.
  struct State {
    double connections = 0;
    double refused_connections = 0;
    double ended_connections = 0;
    double queued_calls = 0;
    double memory_under_way = 0;
    // Seconds since 1970; 0 without TLS.
    double certificate_end = 0;
  };
  void OnState(const State& state);
  void OnDecisionLog(const DecisionLog::Counts& counts);

  // Returns the number of unanswered calls, except health watches.
  std::int64_t CallsInFlight() const;

  // Returns all metrics in Prometheus' text format, including process metrics.
  std::string Serialize() const;

 private:
  static constexpr std::size_t kCauseCount = v1::Cause_MAX + 1;
  static constexpr std::size_t kCodeCount = 17;
  static constexpr std::size_t kDivergenceCount =
      static_cast<std::size_t>(Divergence::kDelay) + 1;

  struct GrpcSeries {
    prometheus::Counter* started;
    std::array<prometheus::Counter*, kCodeCount> handled;
    prometheus::Histogram* seconds;
  };

  prometheus::Histogram& OneHistogram(
      MetricId id, const prometheus::Histogram::BucketBoundaries& bounds);
  void MakeDecisionSeries();
  void MakeNativeSeries();
  void MakeGrpcSeries();
  void MakePolicyGauges();
  void MakeDecisionLogSeries();
  BudgetCounters MakeBudgetCounters(const std::string& budget);

  prometheus::Registry registry_;
  CandidateMetrics candidate_{registry_};
  std::array<CountersByAction, kCauseCount> decisions_ = {};
  // By index of KindLabels().
  std::vector<CountersByAction> by_kind_{KindLabels().size()};
  std::vector<prometheus::Counter*> undemystified_{KindLabels().size()};
  std::array<prometheus::Counter*, v1::DerivedCause_MAX + 1> derived_ = {};
  std::array<prometheus::Counter*, kRejectReasonCount> rejected_ = {};
  std::vector<prometheus::Counter*> native_verdicts_{KindLabels().size()};
  std::vector<std::array<prometheus::Counter*, kDivergenceCount>> divergence_{
      KindLabels().size()};
  std::array<GrpcSeries, kRpcMethodCount> grpc_ = {};
  prometheus::Counter* duplicates_;
  prometheus::Counter* malformed_traces_;
  prometheus::Family<prometheus::Counter>* by_policy_;
  prometheus::Family<prometheus::Counter>* budget_charged_;
  prometheus::Family<prometheus::Counter>* budget_exhausted_;
  prometheus::Histogram* decision_duration_;
  prometheus::Histogram* demystify_duration_;
  prometheus::Histogram* request_bytes_;
  prometheus::Histogram* batch_items_;
  prometheus::Family<prometheus::Gauge>* policy_info_;
  prometheus::Gauge* revision_ = nullptr;
  prometheus::Gauge* loaded_timestamp_;
  prometheus::Gauge* policies_;
  prometheus::Counter* reload_successes_;
  prometheus::Counter* reload_failures_;
  prometheus::Gauge* reload_failing_;
  prometheus::Gauge* stale_since_;
  prometheus::Gauge* connections_;
  prometheus::Counter* refused_connections_;
  prometheus::Counter* ended_connections_;
  prometheus::Gauge* queued_calls_;
  prometheus::Gauge* memory_under_way_;
  prometheus::Gauge* certificate_end_;
  prometheus::Counter* log_written_;
  prometheus::Counter* log_queue_full_;
  prometheus::Counter* log_write_failed_;
  prometheus::Counter* log_unprintable_;
  prometheus::Gauge* log_queue_;
  prometheus::Gauge* log_failing_;
};

}  // namespace mulligan

#endif  // MULLIGAN_SERVER_OBSERVE_METRICS_H_
