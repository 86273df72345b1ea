#include "server/observe/metrics.h"

#include <sstream>
#include <string_view>
#include <utility>
#include <vector>

#include "mulligan_build_info.h"
#include "policy/request/workload.h"
#include "prometheus/text_serializer.h"
#include "server/observe/process_metrics.h"

namespace mulligan {
namespace {

using Bounds = prometheus::Histogram::BucketBoundaries;

// The exhausted limit that is not a budget (Exhaustion.limit).
constexpr char kMaxAttempts[] = "maxAttempts";

// From one microsecond, because a decision takes a few.
const Bounds& DurationBounds() {
  static const Bounds bounds = {1e-6,   2e-6, 5e-6,   1e-5, 2e-5, 5e-5, 1e-4,
                                2.5e-4, 1e-3, 2.5e-3, 0.01, 0.1,  1};
  return bounds;
}

const Bounds& HandlingBounds() {
  static const Bounds bounds = {1e-5,   2.5e-5, 5e-5,  1e-4, 2.5e-4, 5e-4, 1e-3,
                                2.5e-3, 0.01,   0.025, 0.1,  1,      10};
  return bounds;
}

constexpr const char* kReasonNames[] = {
    "malformed", "invalid",     "unknown_policy", "foreign_ledger",
    "cancelled", "deadline",    "overload",       "too_expensive",
    "stopping",  "not_allowed", "internal"};
static_assert(std::size(kReasonNames) == kRejectReasonCount);

// Names that dashboards for go-grpc-prometheus expect.
constexpr const char* kCodeNames[] = {"OK",
                                      "Canceled",
                                      "Unknown",
                                      "InvalidArgument",
                                      "DeadlineExceeded",
                                      "NotFound",
                                      "AlreadyExists",
                                      "PermissionDenied",
                                      "ResourceExhausted",
                                      "FailedPrecondition",
                                      "Aborted",
                                      "OutOfRange",
                                      "Unimplemented",
                                      "Internal",
                                      "Unavailable",
                                      "DataLoss",
                                      "Unauthenticated"};

// By Divergence; the first means no difference and has no series.
constexpr const char* kDifferenceNames[] = {nullptr,
                                            "only_native_retries",
                                            "only_mulligan_retries",
                                            "action",
                                            "scope",
                                            "queue",
                                            "delay"};

// Whether the enum value occurs in answers.
bool IsAction(int value) {
  return v1::Decision::Action_IsValid(value) && value != 0;
}
bool IsCause(int value) { return v1::Cause_IsValid(value) && value != 0; }

CountersByAction MakeByAction(prometheus::Family<prometheus::Counter>& family,
                              const char* label, const std::string& value) {
  CountersByAction counters = {};
  for (int action = 0; action < kActionCount; ++action) {
    if (!IsAction(action)) continue;
    counters[static_cast<std::size_t>(action)] = &family.Add(
        {{label, value},
         {"action", v1::Decision::Action_Name(
                        static_cast<v1::Decision::Action>(action))}});
  }
  return counters;
}

// Returns null for UNSPECIFIED and out of range, which have no series.
template <typename Array>
prometheus::Counter* At(const Array& counters, int index) {
  if (index < 0 || static_cast<std::size_t>(index) >= counters.size()) {
    return nullptr;
  }
  return counters[static_cast<std::size_t>(index)];
}

void Count(prometheus::Counter* counter, double by = 1) {
  if (counter != nullptr) counter->Increment(by);
}

// Raises a counter to a total that is counted elsewhere.
void RaiseTo(prometheus::Counter& counter, double value) {
  counter.Increment(value - counter.Value());
}

bool IsUndemystified(v1::Cause cause) {
  return cause == v1::UNKNOWN || cause == v1::SIGTERM_UNEXPLAINED ||
         cause == v1::SIGKILL_UNEXPLAINED;
}

double SecondsSinceEpoch(absl::Time time) {
  return absl::ToDoubleSeconds(time - absl::UnixEpoch());
}

}  // namespace

Metrics::Metrics() {
  MakeDecisionSeries();
  MakeNativeSeries();
  MakeGrpcSeries();
  MakePolicyGauges();
  MakeDecisionLogSeries();
  GaugeFamily(registry_, MetricId::kBuildInfo)
      .Add({{"version", kVersion}, {"commit", kCommit}})
      .Set(1);
}

prometheus::Histogram& Metrics::OneHistogram(MetricId id,
                                             const Bounds& bounds) {
  return prometheus::BuildHistogram()
      .Name(InfoOf(id).name)
      .Help(InfoOf(id).help)
      .Register(registry_)
      .Add({}, bounds);
}

void Metrics::MakeDecisionSeries() {
  auto& decisions = CounterFamily(registry_, MetricId::kDecisions);
  auto& derived = CounterFamily(registry_, MetricId::kDerivedCauses);
  for (int cause = 0; cause < static_cast<int>(kCauseCount); ++cause) {
    if (!IsCause(cause)) continue;
    const auto index = static_cast<std::size_t>(cause);
    const std::string& name = v1::Cause_Name(static_cast<v1::Cause>(cause));
    decisions_[index] = MakeByAction(decisions, "cause", name);
  }
  for (int cause = 1; cause <= v1::DerivedCause_MAX; ++cause) {
    const auto value = static_cast<v1::DerivedCause>(cause);
    derived_[static_cast<std::size_t>(cause)] =
        &derived.Add({{"cause", v1::DerivedCause_Name(value)}});
  }
  auto& by_kind = CounterFamily(registry_, MetricId::kDecisionsByKind);
  auto& undemystified = CounterFamily(registry_, MetricId::kUndemystified);
  for (std::size_t kind = 0; kind < by_kind_.size(); ++kind) {
    const std::string& name = KindLabels()[kind];
    by_kind_[kind] = MakeByAction(by_kind, "kind", name);
    undemystified_[kind] = &undemystified.Add({{"kind", name}});
  }
  by_policy_ = &CounterFamily(registry_, MetricId::kDecisionsByPolicy);
  budget_charged_ = &CounterFamily(registry_, MetricId::kBudgetCharged);
  budget_exhausted_ = &CounterFamily(registry_, MetricId::kBudgetExhausted);
  duplicates_ = &CounterFamily(registry_, MetricId::kDuplicateReports).Add({});
  malformed_traces_ =
      &CounterFamily(registry_, MetricId::kMalformedTraces).Add({});
  auto& rejected = CounterFamily(registry_, MetricId::kRequestsRejected);
  for (std::size_t i = 0; i < kRejectReasonCount; ++i) {
    rejected_[i] = &rejected.Add({{"reason", kReasonNames[i]}});
  }
  decision_duration_ =
      &OneHistogram(MetricId::kDecisionDuration, DurationBounds());
  demystify_duration_ =
      &OneHistogram(MetricId::kDemystifyDuration, DurationBounds());
  request_bytes_ = &OneHistogram(
      MetricId::kRequestBytes, {256, 1024, 4096, 16384, 65536, 262144, 1048576,
                                4194304, 16777216, 67108864});
  batch_items_ = &OneHistogram(MetricId::kBatchItems,
                               {1, 2, 5, 10, 20, 50, 100, 200, 500, 1000});
}

void Metrics::MakeNativeSeries() {
  static_assert(std::size(kDifferenceNames) == kDivergenceCount);
  auto& verdicts = CounterFamily(registry_, MetricId::kNativeVerdicts);
  auto& divergence = CounterFamily(registry_, MetricId::kNativeDivergence);
  for (std::size_t kind = 0; kind < divergence_.size(); ++kind) {
    const std::string& name = KindLabels()[kind];
    native_verdicts_[kind] = &verdicts.Add({{"kind", name}});
    for (std::size_t i = 1; i < kDivergenceCount; ++i) {
      divergence_[kind][i] = &divergence.Add(
          {{"kind", name}, {"difference", kDifferenceNames[i]}});
    }
  }
}

void Metrics::MakeGrpcSeries() {
  auto& started = CounterFamily(registry_, MetricId::kGrpcStarted);
  auto& handled = CounterFamily(registry_, MetricId::kGrpcHandled);
  const MetricInfo& info = InfoOf(MetricId::kGrpcHandling);
  auto& handling =
      prometheus::BuildHistogram().Name(info.name).Help(info.help).Register(
          registry_);
  for (std::size_t i = 0; i < kRpcMethodCount; ++i) {
    const RpcMethodInfo& method = kRpcMethods[i];
    prometheus::Labels labels = {{"grpc_type", method.type},
                                 {"grpc_service", method.service},
                                 {"grpc_method", method.name}};
    grpc_[i].started = &started.Add(labels);
    grpc_[i].seconds = &handling.Add(labels, HandlingBounds());
    for (std::size_t code = 0; code < kCodeCount; ++code) {
      labels["grpc_code"] = kCodeNames[code];
      grpc_[i].handled[code] = &handled.Add(labels);
    }
  }
}

void Metrics::MakePolicyGauges() {
  policy_info_ = &GaugeFamily(registry_, MetricId::kPolicyInfo);
  loaded_timestamp_ =
      &GaugeFamily(registry_, MetricId::kPolicyLoadedTimestamp).Add({});
  policies_ = &GaugeFamily(registry_, MetricId::kPolicies).Add({});
  auto& reloads = CounterFamily(registry_, MetricId::kPolicyReloads);
  reload_successes_ = &reloads.Add({{"result", "success"}});
  reload_failures_ = &reloads.Add({{"result", "failure"}});
  reload_failing_ =
      &GaugeFamily(registry_, MetricId::kPolicyReloadFailing).Add({});
  stale_since_ = &GaugeFamily(registry_, MetricId::kPolicyStaleSince).Add({});
  connections_ = &GaugeFamily(registry_, MetricId::kConnections).Add({});
  refused_connections_ =
      &CounterFamily(registry_, MetricId::kRefusedConnections).Add({});
  ended_connections_ =
      &CounterFamily(registry_, MetricId::kEndedConnections).Add({});
  queued_calls_ = &GaugeFamily(registry_, MetricId::kQueuedCalls).Add({});
  memory_under_way_ =
      &GaugeFamily(registry_, MetricId::kMemoryUnderWay).Add({});
  certificate_end_ = &GaugeFamily(registry_, MetricId::kCertificateEnd).Add({});
}

void Metrics::MakeDecisionLogSeries() {
  log_written_ =
      &CounterFamily(registry_, MetricId::kDecisionLogWritten).Add({});
  auto& dropped = CounterFamily(registry_, MetricId::kDecisionLogDropped);
  log_queue_full_ = &dropped.Add({{"reason", "queue_full"}});
  log_write_failed_ = &dropped.Add({{"reason", "write_failed"}});
  log_unprintable_ = &dropped.Add({{"reason", "unprintable"}});
  log_queue_ = &GaugeFamily(registry_, MetricId::kDecisionLogQueue).Add({});
  log_failing_ = &GaugeFamily(registry_, MetricId::kDecisionLogFailing).Add({});
}

void Metrics::OnCallHandled(RpcMethod method, grpc::StatusCode code,
                            double seconds) {
  const GrpcSeries& series = grpc_[static_cast<std::size_t>(method)];
  Count(At(series.handled, static_cast<int>(code)));
  series.seconds->Observe(seconds);
}

void Metrics::OnDecision(const v1::DecideRequest& request,
                         const v1::DecideResponse& response,
                         const PolicySeries& series, double seconds) {
  if (request.purpose() == v1::DecideRequest::PREVIEW) return;
  const v1::Diagnosis& diagnosis = response.diagnosis();
  const v1::Accounting& accounting = response.accounting();
  const int action = response.decision().action();
  const int cause = diagnosis.cause();
  if (IsCause(cause)) {
    Count(At(decisions_[static_cast<std::size_t>(cause)], action));
  }
  const std::size_t kind = KindLabelOf(WorkloadKindOf(request.report()));
  Count(At(by_kind_[kind], action));
  if (IsUndemystified(diagnosis.cause())) Count(undemystified_[kind]);
  Count(At(derived_, diagnosis.derived_cause()));
  if (response.has_native()) {
    Count(native_verdicts_[kind]);
    const Divergence difference =
        Compare(response.native(), response.decision());
    Count(At(divergence_[kind], static_cast<int>(difference)));
  }
  // An inline policy may have the name of a loaded one.
  const bool is_inline = request.has_inline_policy();
  const auto budget = [&](const std::string& name) {
    return is_inline ? series.inline_budget() : series.ForBudget(name);
  };
  Count(At(is_inline ? series.inline_policy()
                     : series.ForPolicy(response.policy().name()),
           action));
  if (accounting.units() > 0) {
    Count(budget(accounting.charged_to()).charged,
          static_cast<double>(accounting.units()));
  }
  if (accounting.has_exhaustion()) {
    const v1::Exhaustion& end = accounting.exhaustion();
    Count(budget(end.limit() == v1::Exhaustion::MAX_ATTEMPTS ? "maxAttempts"
                                                             : end.budget())
              .exhausted);
  }
  if (accounting.duplicate()) duplicates_->Increment();
  decision_duration_->Observe(seconds);
}

BudgetCounters Metrics::MakeBudgetCounters(const std::string& budget) {
  return {&budget_charged_->Add({{"budget", budget}}),
          &budget_exhausted_->Add({{"budget", budget}})};
}

PolicySeries Metrics::MakePolicySeries(const PolicySet& policies) {
  PolicySeries series;
  for (const auto& policy : policies.policies()) {
    series.policies_.emplace(
        policy->name(), MakeByAction(*by_policy_, "policy", policy->name()));
    for (const CompiledBudget& budget : policy->compiled().budgets) {
      series.budgets_.emplace(budget.name, MakeBudgetCounters(budget.name));
    }
  }
  series.budgets_.emplace(kMaxAttempts, MakeBudgetCounters(kMaxAttempts));
  series.inline_policy_ = MakeByAction(*by_policy_, "policy", kInlineLabel);
  series.inline_budget_ = MakeBudgetCounters(kInlineLabel);
  return series;
}

void Metrics::OnState(const State& state) {
  connections_->Set(state.connections);
  RaiseTo(*refused_connections_, state.refused_connections);
  RaiseTo(*ended_connections_, state.ended_connections);
  queued_calls_->Set(state.queued_calls);
  memory_under_way_->Set(state.memory_under_way);
  certificate_end_->Set(state.certificate_end);
}

void Metrics::OnDecisionLog(const DecisionLog::Counts& counts) {
  RaiseTo(*log_written_, static_cast<double>(counts.written));
  RaiseTo(*log_queue_full_, static_cast<double>(counts.queue_full));
  RaiseTo(*log_write_failed_, static_cast<double>(counts.write_failed));
  RaiseTo(*log_unprintable_, static_cast<double>(counts.unprintable));
  log_queue_->Set(static_cast<double>(counts.queue_bytes));
  log_failing_->Set(counts.failing ? 1 : 0);
}

void Metrics::OnPoliciesLoaded(const PolicySet& policies, absl::Time now) {
  if (revision_ != nullptr) policy_info_->Remove(revision_);
  revision_ = &policy_info_->Add({{"revision", policies.revision()}});
  revision_->Set(1);
  loaded_timestamp_->Set(SecondsSinceEpoch(now));
  policies_->Set(static_cast<double>(policies.policies().size()));
  reload_successes_->Increment();
  OnPoliciesRestored();
}

void Metrics::OnPolicyLoadFailed(absl::Time since) {
  reload_failures_->Increment();
  reload_failing_->Set(1);
  stale_since_->Set(SecondsSinceEpoch(since));
}

void Metrics::OnPoliciesRestored() {
  reload_failing_->Set(0);
  stale_since_->Set(0);
}

std::int64_t Metrics::CallsInFlight() const {
  double in_flight = 0;
  for (std::size_t i = 0; i < kRpcMethodCount; ++i) {
    if (static_cast<RpcMethod>(i) == RpcMethod::kHealthWatch) continue;
    // Handled first, so that a call that starts meanwhile does not count as -1.
    for (const prometheus::Counter* handled : grpc_[i].handled) {
      in_flight -= handled->Value();
    }
    in_flight += grpc_[i].started->Value();
  }
  return static_cast<std::int64_t>(in_flight);
}

std::string Metrics::Serialize() const {
  std::vector<prometheus::MetricFamily> families = registry_.Collect();
  for (prometheus::MetricFamily& family : CollectProcessMetrics()) {
    families.push_back(std::move(family));
  }
  std::ostringstream out;
  prometheus::TextSerializer().Serialize(out, families);
  return std::move(out).str();
}

}  // namespace mulligan
