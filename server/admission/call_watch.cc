#include "server/admission/call_watch.h"

#include <grpc/support/time.h>

#include <ctime>

#include "absl/strings/str_format.h"

namespace mulligan {
namespace {

// Time between two checks of deadline and processor time, and before the first,
// so that an ordinary call makes no system call.
constexpr std::chrono::milliseconds kCheckInterval(1);

absl::Duration ThreadTime() {
  timespec time = {};
  clock_gettime(CLOCK_THREAD_CPUTIME_ID, &time);
  return absl::DurationFromTimespec(time);
}

}  // namespace

absl::Status CheckWaiting(const grpc::CallbackServerContext& context) {
  if (context.IsCancelled()) return absl::CancelledError("the caller is gone");
  // In seconds: as a C++ time point in nanoseconds, a deadline after the year
  // 2262 would have passed long ago.
  const gpr_timespec deadline =
      gpr_convert_clock_type(context.raw_deadline(), GPR_CLOCK_REALTIME);
  if (gpr_time_cmp(deadline, gpr_now(GPR_CLOCK_REALTIME)) < 0) {
    return absl::DeadlineExceededError("the deadline of the call is over");
  }
  return absl::OkStatus();
}

CallWatch::CallWatch(const grpc::CallbackServerContext& context,
                     CallPlace place)
    : context_(context),
      place_(place),
      cpu_at_start_(place == CallPlace::kPool ? ThreadTime()
                                              : absl::ZeroDuration()),
      next_check_(SteadyClock::now() + kCheckInterval) {}

absl::Duration CallWatch::Spent() { return ThreadTime() - cpu_at_start_; }

absl::Status CallWatch::Check() {
  const SteadyClock::time_point now = SteadyClock::now();
  if (now < next_check_ || !ended_.ok()) return ended_;
  next_check_ = now + kCheckInterval;
  ended_ = CheckNow();
  return ended_;
}

absl::Status CallWatch::CheckNow() {
  if (absl::Status waiting = CheckWaiting(context_); !waiting.ok()) {
    return waiting;
  }
  if (place_ == CallPlace::kArrival) {
    return absl::AbortedError("not cheap: must be repeated in the pool");
  }
  if (Spent() <= kMaxCallTime) return absl::OkStatus();
  return absl::ResourceExhaustedError(absl::StrFormat(
      "the call took more than its limit of %s of processor time; expected "
      "fewer objects, shorter texts or simpler patterns, or the rest of a "
      "batch "
      "in another one",
      absl::FormatDuration(kMaxCallTime)));
}

}  // namespace mulligan
