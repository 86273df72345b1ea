#include "server/retry_decision_service.h"

#include <string>
#include <utility>
#include <vector>

#include "absl/strings/str_format.h"
#include "absl/time/clock.h"
#include "absl/time/time.h"
#include "google/protobuf/timestamp.pb.h"
#include "policy/decide.h"
#include "policy/limits.h"
#include "policy/request/refusal.h"

namespace mulligan {
namespace {

// The server's time for a report that does not say when it was observed; not
// read otherwise.
google::protobuf::Timestamp NowFor(const v1::FailureReport& report) {
  google::protobuf::Timestamp now;
  if (report.has_observed_at()) return now;
  const timespec time = absl::ToTimespec(absl::Now());
  now.set_seconds(time.tv_sec);
  now.set_nanos(static_cast<int>(time.tv_nsec));
  return now;
}

CallResult ResultOf(absl::Status status) {
  std::vector<FieldViolation> violations = ViolationsIn(status);
  return {std::move(status), std::move(violations)};
}

// One decision, counted. Starts at `start` and moves it to its end, so that a
// batch reads the clock once an item.
CallResult DecideOne(const v1::DecideRequest& request, const Snapshot& snapshot,
                     Metrics& metrics, SteadyClock::time_point& start,
                     v1::DecideResponse& response) {
  CallResult result = ResultOf(mulligan::Decide(
      request, *snapshot.policies, NowFor(request.report()), response));
  const SteadyClock::time_point end = SteadyClock::now();
  if (result.status.ok()) {
    // A decision log belongs here: request, response and snapshot are at hand.
    metrics.OnDecision(request, response, snapshot.series,
                       SecondsBetween(start, end));
  }
  start = end;
  return result;
}

CallResult TooManyItems(int items) {
  FieldViolation violation{
      "requests", absl::StrFormat("has %d items; expected at most %d", items,
                                  kMaxBatchItems)};
  return {absl::InvalidArgumentError(absl::StrFormat("%s: %s", violation.field,
                                                     violation.description)),
          {std::move(violation)}};
}

// Ends early when nobody waits for the answer any more: items may be
// expensive.
CallResult DecideBatch(const v1::BatchDecideRequest& request,
                       const grpc::CallbackServerContext& context,
                       const CallEnvironment& environment,
                       v1::BatchDecideResponse& response) {
  if (request.requests_size() > kMaxBatchItems) {
    return TooManyItems(request.requests_size());
  }
  environment.metrics.OnBatch(request.requests_size());
  const Snapshot& snapshot = environment.snapshots.Read();
  response.mutable_results()->Reserve(request.requests_size());
  SteadyClock::time_point start = SteadyClock::now();
  for (const v1::DecideRequest& item : request.requests()) {
    if (context.IsCancelled()) {
      return {absl::CancelledError("the caller is gone"), {}};
    }
    v1::BatchDecideResult& result = *response.add_results();
    const CallResult decided = DecideOne(item, snapshot, environment.metrics,
                                         start, *result.mutable_response());
    if (!decided.status.ok()) {
      *result.mutable_error() =
          Reject(environment, RpcMethod::kBatchDecide, decided);
    }
  }
  return {};
}

}  // namespace

grpc::ServerUnaryReactor* RetryDecisionService::Decide(
    grpc::CallbackServerContext* context, const grpc::ByteBuffer* request,
    grpc::ByteBuffer* response) {
  environment_.metrics.OnRequestBytes(request->Length());
  return FinishWith(
      context, RunUnary<v1::DecideRequest, v1::DecideResponse>(
                   environment_, RpcMethod::kDecide, *request, *response,
                   [this](const v1::DecideRequest& q, v1::DecideResponse& r) {
                     SteadyClock::time_point start = SteadyClock::now();
                     return DecideOne(q, environment_.snapshots.Read(),
                                      environment_.metrics, start, r);
                   }));
}

grpc::ServerUnaryReactor* RetryDecisionService::BatchDecide(
    grpc::CallbackServerContext* context, const grpc::ByteBuffer* request,
    grpc::ByteBuffer* response) {
  environment_.metrics.OnRequestBytes(request->Length());
  return FinishWith(
      context, RunUnary<v1::BatchDecideRequest, v1::BatchDecideResponse>(
                   environment_, RpcMethod::kBatchDecide, *request, *response,
                   [=, this](const v1::BatchDecideRequest& q,
                             v1::BatchDecideResponse& r) {
                     return DecideBatch(q, *context, environment_, r);
                   }));
}

grpc::ServerUnaryReactor* RetryDecisionService::Demystify(
    grpc::CallbackServerContext* context, const grpc::ByteBuffer* request,
    grpc::ByteBuffer* response) {
  environment_.metrics.OnRequestBytes(request->Length());
  return FinishWith(
      context,
      RunUnary<v1::DemystifyRequest, v1::DemystifyResponse>(
          environment_, RpcMethod::kDemystify, *request, *response,
          [this](const v1::DemystifyRequest& q, v1::DemystifyResponse& r) {
            const SteadyClock::time_point start = SteadyClock::now();
            CallResult result = ResultOf(
                mulligan::Demystify(q, *environment_.snapshots.Read().policies,
                                    NowFor(q.report()), r));
            if (result.status.ok()) {
              environment_.metrics.OnDemystified(
                  SecondsBetween(start, SteadyClock::now()));
            }
            return result;
          }));
}

}  // namespace mulligan
