// How long a gRPC call may go on.
#ifndef MULLIGAN_SERVER_ADMISSION_CALL_WATCH_H_
#define MULLIGAN_SERVER_ADMISSION_CALL_WATCH_H_

#include <grpcpp/generic/async_generic_service.h>
#include <grpcpp/server_context.h>

#include <chrono>
#include <utility>

#include "absl/status/status.h"
#include "absl/time/time.h"
#include "policy/base/pattern_allowance.h"
#include "server/admission/unread_answers.h"

namespace mulligan {

using SteadyClock = std::chrono::steady_clock;

inline double SecondsBetween(SteadyClock::time_point start,
                             SteadyClock::time_point end) {
  return std::chrono::duration<double>(end - start).count();
}

// A call's context that knows when its request had arrived, and keeps account
// of its answer until that is sent or the call gone.
class TimedContext final : public grpc::CallbackServerContext {
 public:
  SteadyClock::time_point arrived() const { return arrived_; }
  void Keep(UnreadAnswers::Sending answer) { answer_ = std::move(answer); }

 private:
  const SteadyClock::time_point arrived_ = SteadyClock::now();
  UnreadAnswers::Sending answer_;
};

// Makes every call's context a TimedContext, but for methods that do not exist:
// theirs is generic, and released as if it were not.
class TimedContexts final : public grpc::ContextAllocator {
 public:
  grpc::CallbackServerContext* NewCallbackServerContext() override {
    return new TimedContext;
  }
  grpc::GenericCallbackServerContext* NewGenericCallbackServerContext()
      override {
    return new grpc::GenericCallbackServerContext;
  }
  void Release(grpc::CallbackServerContext* context) override {
    delete context;
  }
  void Release(grpc::GenericCallbackServerContext* context) override {
    delete context;
  }
};

// DEADLINE_EXCEEDED or CANCELLED when nobody waits for the call any more.
absl::Status CheckWaiting(const grpc::CallbackServerContext& context);

// Where a call is worked on.
enum class CallPlace {
  // Where it arrived: it must be cheap.
  kArrival,
  // On a thread of the pool.
  kPool,
};

// Ends a call whose deadline is over, whose caller is gone, or that has cost
// too much: kMaxCallTime in the pool; and at its arrival, where it keeps others
// waiting, a millisecond: ABORTED then, and it is done again in the pool.
class CallWatch final : public Watch {
 public:
#ifdef MULLIGAN_INSTRUMENTED
  // With sanitizers everything takes some ten times as long.
  static constexpr absl::Duration kMaxCallTime = absl::Seconds(2);
#else
  static constexpr absl::Duration kMaxCallTime = absl::Milliseconds(200);
#endif

  // Starts now, on this thread. `context` outlives the watch.
  CallWatch(const grpc::CallbackServerContext& context, CallPlace place);

  absl::Status Check() override;
  absl::Duration Spent() override;

 private:
  absl::Status Look();

  const grpc::CallbackServerContext& context_;
  const CallPlace place_;
  const absl::Duration cpu_at_start_;
  SteadyClock::time_point next_look_;
  // Once it is not OK it stays so.
  absl::Status ended_;
};

}  // namespace mulligan

#endif  // MULLIGAN_SERVER_ADMISSION_CALL_WATCH_H_
