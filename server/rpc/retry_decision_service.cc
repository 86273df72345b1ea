#include "server/rpc/retry_decision_service.h"

#include <google/protobuf/arena.h>

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
#include "server/rpc/ask_candidate.h"
#include "server/rpc/batch_answer.h"

namespace mulligan {
namespace {

google::protobuf::Timestamp Now() {
  google::protobuf::Timestamp now;
  SetTime(absl::Now(), now);
  return now;
}

// Sets `stale_since` of the policy used. An inline policy is never stale.
template <typename Request>
void SetStaleSince(const Request& request, const Snapshot& snapshot,
                   v1::PolicyReference& policy) {
  if (!snapshot.stale_since.has_value() || request.has_inline_policy()) return;
  SetTime(*snapshot.stale_since, *policy.mutable_stale_since());
}

// The shared state of one call's decisions.
struct DecidingCall {
  const CallEnvironment& environment;
  const grpc::CallbackServerContext& context;
  Watch& watch;
  const Snapshot& snapshot = environment.snapshots.Read();
  // For reports without a time.
  const google::protobuf::Timestamp now = Now();
};

struct DecidedOne {
  absl::Status status;
  double seconds = 0;
};

DecidedOne DecideOne(const v1::DecideRequest& request, const DecidingCall& call,
                     v1::DecideResponse& response) {
  const SteadyClock::time_point start = SteadyClock::now();
  DecidedOne decided;
  // Includes the cost of earlier items of a batch, refused ones too.
  decided.status = call.watch.Check();
  if (decided.status.ok()) {
    decided.status =
        mulligan::Decide(request, *call.snapshot.policies, call.now, response,
                         {&call.watch, &call.environment.inline_policies});
  }
  decided.seconds = SecondsBetween(start, SteadyClock::now());
  if (decided.status.ok()) {
    SetStaleSince(request, call.snapshot, *response.mutable_policy());
  }
  return decided;
}

// Asks the candidate, if there is one.
absl::Status AddCandidateVerdict(const v1::DecideRequest& request,
                                 const DecidingCall& call,
                                 v1::DecideResponse& response) {
  const CallEnvironment& environment = call.environment;
  if (environment.candidate == nullptr || request.has_inline_policy()) {
    return absl::OkStatus();
  }
  const Snapshot& candidate = environment.candidate->Read();
  if (candidate.policies == nullptr) return absl::OkStatus();
  absl::Status asked = AskCandidate(request, *candidate.policies, call.now,
                                    call.watch, response);
  if (absl::IsAborted(asked)) return asked;
  environment.metrics.candidate().OnDecision(request, response);
  return absl::OkStatus();
}

// Adds the candidate's verdict, metrics and the log line, none of which changes
// the answer. Runs after all answers of the call, because the candidate may use
// up the remaining time. ABORTED means that the call is not cheap with a
// candidate; then nothing was counted or logged.
absl::Status FollowUp(const v1::DecideRequest& request,
                      const DecidingCall& call, double seconds,
                      v1::DecideResponse& response) {
  if (absl::Status tried = AddCandidateVerdict(request, call, response);
      !tried.ok()) {
    return tried;
  }
  const CallEnvironment& environment = call.environment;
  environment.metrics.OnDecision(request, response, call.snapshot.series,
                                 seconds);
  if (environment.decision_log != nullptr) {
    environment.decision_log->Add(request, response, call.now,
                                  TraceContextOf(call.context).parent);
  }
  return absl::OkStatus();
}

absl::Status TooManyItems(int items) {
  return RefuseViolations(
      {{"requests", absl::StrFormat("has %d items; expected at most %d", items,
                                    kMaxBatchItems)}});
}

// A message whose memory is reused for the next one.
class Result {
 public:
  // Returns an empty message and invalidates the previous one.
  v1::BatchDecideResult& Next() {
    arena_.Reset();
    return *google::protobuf::Arena::CreateMessage<v1::BatchDecideResult>(
        &arena_);
  }

 private:
  static google::protobuf::ArenaOptions Options(std::vector<char>& first) {
    google::protobuf::ArenaOptions options;
    options.initial_block = first.data();
    options.initial_block_size = first.size();
    return options;
  }

  // Enough for an ordinary answer, so that resetting frees nothing.
  std::vector<char> first_ = std::vector<char>(std::size_t{32} << 10);
  google::protobuf::Arena arena_{Options(first_)};
};

// The serialized answers of a batch that wait for the candidate, which comes
// last. As messages they would take five times as much.
struct PendingResults {
  std::vector<std::string> results;
  std::vector<double> seconds;
};

// Follows up all answers of a batch if there is a candidate.
absl::Status FollowUpAll(const v1::BatchDecideRequest& request,
                         const DecidingCall& call,
                         const PendingResults& pending, Result& memory,
                         BatchAnswer& answer) {
  for (std::size_t i = 0; i < pending.results.size(); ++i) {
    v1::BatchDecideResult& result = memory.Next();
    result.ParseFromString(pending.results[i]);
    if (!result.has_error()) {
      const absl::Status followed =
          FollowUp(request.requests(static_cast<int>(i)), call,
                   pending.seconds[i], *result.mutable_response());
      if (!followed.ok()) return followed;
    }
    answer.Add(result);
  }
  return absl::OkStatus();
}

// All items share one watch. Ends early if the caller no longer waits. Once the
// call has cost too much, each remaining item gets an error.
absl::Status DecideBatch(const v1::BatchDecideRequest& request,
                         const DecidingCall& call, BatchAnswer& answer) {
  const CallEnvironment& environment = call.environment;
  if (request.requests_size() > kMaxBatchItems) {
    return TooManyItems(request.requests_size());
  }
  environment.metrics.OnBatch(request.requests_size());
  Result memory;
  PendingResults pending;
  for (const v1::DecideRequest& item : request.requests()) {
    v1::BatchDecideResult& result = memory.Next();
    const auto [decided, seconds] =
        DecideOne(item, call, *result.mutable_response());
    if (absl::IsCancelled(decided) || absl::IsDeadlineExceeded(decided)) {
      return decided;
    }
    if (!decided.ok()) {
      *result.mutable_error() =
          Reject(environment, RpcMethod::kBatchDecide, call.context, decided);
    }
    if (environment.candidate != nullptr) {
      pending.results.push_back(result.SerializeAsString());
      pending.seconds.push_back(seconds);
      continue;
    }
    if (decided.ok()) {
      const absl::Status followed =
          FollowUp(item, call, seconds, *result.mutable_response());
      if (!followed.ok()) return followed;
    }
    answer.Add(result);
  }
  return FollowUpAll(request, call, pending, memory, answer);
}

}  // namespace

grpc::ServerUnaryReactor* RetryDecisionService::Decide(
    grpc::CallbackServerContext* context, const grpc::ByteBuffer* request,
    grpc::ByteBuffer* response) {
  environment_.metrics.OnRequestBytes(request->Length());
  return Serve<v1::DecideRequest, v1::DecideResponse>(
      environment_, RpcMethod::kDecide,
      CallPlaceOf(*request, v1::DecideRequest::kInlinePolicyFieldNumber),
      context, request, response,
      [this, context](const v1::DecideRequest& q, v1::DecideResponse& r,
                      Watch& watch) {
        const DecidingCall call{environment_, *context, watch};
        const DecidedOne decided = DecideOne(q, call, r);
        return decided.status.ok() ? FollowUp(q, call, decided.seconds, r)
                                   : decided.status;
      });
}

grpc::ServerUnaryReactor* RetryDecisionService::BatchDecide(
    grpc::CallbackServerContext* context, const grpc::ByteBuffer* request,
    grpc::ByteBuffer* response) {
  environment_.metrics.OnRequestBytes(request->Length());
  return Serve<v1::BatchDecideRequest, grpc::ByteBuffer>(
      environment_, RpcMethod::kBatchDecide, CallPlace::kPool, context, request,
      response,
      [this, context](const v1::BatchDecideRequest& q, grpc::ByteBuffer& r,
                      Watch& watch) {
        BatchAnswer answer;
        const absl::Status status =
            DecideBatch(q, {environment_, *context, watch}, answer);
        if (status.ok()) answer.Take().Swap(&r);
        return status;
      });
}

grpc::ServerUnaryReactor* RetryDecisionService::Demystify(
    grpc::CallbackServerContext* context, const grpc::ByteBuffer* request,
    grpc::ByteBuffer* response) {
  environment_.metrics.OnRequestBytes(request->Length());
  return Serve<v1::DemystifyRequest, v1::DemystifyResponse>(
      environment_, RpcMethod::kDemystify,
      CallPlaceOf(*request, v1::DemystifyRequest::kInlinePolicyFieldNumber),
      context, request, response,
      [this](const v1::DemystifyRequest& q, v1::DemystifyResponse& r,
             Watch& watch) {
        const SteadyClock::time_point start = SteadyClock::now();
        const Snapshot& snapshot = environment_.snapshots.Read();
        const absl::Status status =
            mulligan::Demystify(q, *snapshot.policies, Now(), r,
                                {&watch, &environment_.inline_policies});
        if (status.ok()) {
          SetStaleSince(q, snapshot, *r.mutable_policy());
          environment_.metrics.OnDemystified(
              SecondsBetween(start, SteadyClock::now()));
        }
        return status;
      });
}

}  // namespace mulligan
