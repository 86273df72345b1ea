// Time limits of gRPC calls.
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

// The context of a call. Stores when its request arrived, and accounts for its
// answer until that is sent or the call is gone.
class TimedContext final : public grpc::CallbackServerContext {
 public:
  SteadyClock::time_point arrived() const { return arrived_; }
  void Keep(UnreadAnswers::Sending answer) { answer_ = std::move(answer); }

 private:
  const SteadyClock::time_point arrived_ = SteadyClock::now();
  UnreadAnswers::Sending answer_;
};

// Makes the context of every call a TimedContext, except for unknown methods,
// whose generic context is released as a plain one.
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

// Returns DEADLINE_EXCEEDED or CANCELLED if the caller no longer waits.
absl::Status CheckWaiting(const grpc::CallbackServerContext& context);

// Where a call runs.
enum class CallPlace {
  // On the thread where it arrived: it must be cheap.
  kArrival,
  // On a thread of the pool.
  kPool,
};

// Ends a call whose deadline passed, whose caller is gone, or that took too
// long: kMaxCallTime in the pool, a millisecond at arrival, where it delays
// others. At arrival it ends with ABORTED and is repeated in the pool.
class CallWatch final : public Watch {
 public:
#ifdef MULLIGAN_INSTRUMENTED
  // Sanitizers make everything about ten times slower.
  static constexpr absl::Duration kMaxCallTime = absl::Seconds(2);
#else
  static constexpr absl::Duration kMaxCallTime = absl::Milliseconds(200);
#endif

  // Starts now, on this thread. `context` must outlive the watch.
  CallWatch(const grpc::CallbackServerContext& context, CallPlace place);

  absl::Status Check() override;
  absl::Duration Spent() override;

 private:
  absl::Status CheckNow();

  const grpc::CallbackServerContext& context_;
  const CallPlace place_;
  const absl::Duration cpu_at_start_;
  SteadyClock::time_point next_check_;
  // Stays not OK once it is.
  absl::Status ended_;
};

}  // namespace mulligan

#endif  // MULLIGAN_SERVER_ADMISSION_CALL_WATCH_H_
