#include "server/retry_decision_service.h"

#include <string>
#include <utility>
#include <vector>

#include "absl/strings/str_format.h"
#include "absl/time/clock.h"
#include "absl/time/time.h"
#include "google/protobuf/timestamp.pb.h"
#include "policy/base/times.h"
#include "policy/decide.h"
#include "policy/limits.h"
#include "policy/request/refusal.h"
#include "server/wire_scan.h"

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

// Says in the answer that newer policies are refused, and since when. A policy
// that came with the request is the latest.
template <typename Request>
void TellStaleness(const Request& request, const Snapshot& snapshot,
                   v1::PolicyReference& policy) {
  if (!snapshot.stale_since.has_value() || request.has_inline_policy()) return;
  SetTime(*snapshot.stale_since, *policy.mutable_stale_since());
}

CallResult ResultOf(absl::Status status) {
  std::vector<FieldViolation> violations = ViolationsIn(status);
  return {std::move(status), std::move(violations)};
}

// One decision, counted. Starts at `start` and moves it to its end, so that a
// batch reads the clock once an item.
CallResult DecideOne(const v1::DecideRequest& request, const Snapshot& snapshot,
                     const CallEnvironment& environment, Watch& watch,
                     SteadyClock::time_point& start,
                     v1::DecideResponse& response) {
  CallResult result = ResultOf(
      mulligan::Decide(request, *snapshot.policies, NowFor(request.report()),
                       response, {&watch, &environment.inline_policies}));
  const SteadyClock::time_point end = SteadyClock::now();
  if (result.status.ok()) {
    TellStaleness(request, snapshot, *response.mutable_policy());
    // A decision log belongs here: request, response and snapshot are at hand.
    environment.metrics.OnDecision(request, response, snapshot.series,
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

// One watch for all items: what they cost together counts. Ends early when
// nobody waits for the answer any more; once the call has cost too much, the
// items that are left get an error each.
CallResult DecideBatch(const v1::BatchDecideRequest& request,
                       const CallEnvironment& environment, Watch& watch,
                       v1::BatchDecideResponse& response) {
  if (request.requests_size() > kMaxBatchItems) {
    return TooManyItems(request.requests_size());
  }
  environment.metrics.OnBatch(request.requests_size());
  const Snapshot& snapshot = environment.snapshots.Read();
  response.mutable_results()->Reserve(request.requests_size());
  SteadyClock::time_point start = SteadyClock::now();
  for (const v1::DecideRequest& item : request.requests()) {
    v1::BatchDecideResult& result = *response.add_results();
    const CallResult decided = DecideOne(item, snapshot, environment, watch,
                                         start, *result.mutable_response());
    if (absl::IsCancelled(decided.status) ||
        absl::IsDeadlineExceeded(decided.status)) {
      return decided;
    }
    if (!decided.status.ok()) {
      *result.mutable_error() =
          Reject(environment, RpcMethod::kBatchDecide, decided);
    }
  }
  return {};
}

// Up to this size a request is worked on where it arrives: it takes less than
// the watch allows there, but for patterns.
constexpr std::size_t kCheapBytes = 16 << 10;

// The field number of inline_policy in DecideRequest and DemystifyRequest.
template <typename Request>
CallPlace PlaceOf(const grpc::ByteBuffer& request) {
  grpc::Slice slice;
  const bool cheap =
      request.Length() <= kCheapBytes && request.TrySingleSlice(&slice).ok() &&
      !HasField({reinterpret_cast<const char*>(slice.begin()), slice.size()},
                Request::kInlinePolicyFieldNumber);
  return cheap ? CallPlace::kArrival : CallPlace::kPool;
}

}  // namespace

grpc::ServerUnaryReactor* RetryDecisionService::Decide(
    grpc::CallbackServerContext* context, const grpc::ByteBuffer* request,
    grpc::ByteBuffer* response) {
  environment_.metrics.OnRequestBytes(request->Length());
  return Serve<v1::DecideRequest, v1::DecideResponse>(
      environment_, RpcMethod::kDecide, PlaceOf<v1::DecideRequest>(*request),
      context, request, response,
      [this](const v1::DecideRequest& q, v1::DecideResponse& r, Watch& watch) {
        SteadyClock::time_point start = SteadyClock::now();
        return DecideOne(q, environment_.snapshots.Read(), environment_, watch,
                         start, r);
      });
}

grpc::ServerUnaryReactor* RetryDecisionService::BatchDecide(
    grpc::CallbackServerContext* context, const grpc::ByteBuffer* request,
    grpc::ByteBuffer* response) {
  environment_.metrics.OnRequestBytes(request->Length());
  return Serve<v1::BatchDecideRequest, v1::BatchDecideResponse>(
      environment_, RpcMethod::kBatchDecide, CallPlace::kPool, context, request,
      response,
      [this](const v1::BatchDecideRequest& q, v1::BatchDecideResponse& r,
             Watch& watch) { return DecideBatch(q, environment_, watch, r); });
}

grpc::ServerUnaryReactor* RetryDecisionService::Demystify(
    grpc::CallbackServerContext* context, const grpc::ByteBuffer* request,
    grpc::ByteBuffer* response) {
  environment_.metrics.OnRequestBytes(request->Length());
  return Serve<v1::DemystifyRequest, v1::DemystifyResponse>(
      environment_, RpcMethod::kDemystify,
      PlaceOf<v1::DemystifyRequest>(*request), context, request, response,
      [this](const v1::DemystifyRequest& q, v1::DemystifyResponse& r,
             Watch& watch) {
        const SteadyClock::time_point start = SteadyClock::now();
        const Snapshot& snapshot = environment_.snapshots.Read();
        CallResult result = ResultOf(
            mulligan::Demystify(q, *snapshot.policies, NowFor(q.report()), r,
                                {&watch, &environment_.inline_policies}));
        if (result.status.ok()) {
          TellStaleness(q, snapshot, *r.mutable_policy());
          environment_.metrics.OnDemystified(
              SecondsBetween(start, SteadyClock::now()));
        }
        return result;
      });
}

}  // namespace mulligan
