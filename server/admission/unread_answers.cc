#include "server/admission/unread_answers.h"

#include <vector>

namespace mulligan {

UnreadAnswers::Sending UnreadAnswers::Add(grpc_call* call, std::size_t bytes,
                                          Clock::time_point now) {
  MemoryGauge::Share share;
  if (bytes > kSmall) {
    share = memory_.Take(bytes);
    if (!share) return {};
  }
  std::list<Entry> added;
  added.push_back({call, now, std::move(share), false});
  const auto at = added.begin();
  const std::lock_guard lock(mutex_);
  answers_.splice(answers_.end(), added);
  return {this, at};
}

int UnreadAnswers::CancelLate(Clock::time_point now) {
  std::vector<grpc_call*> late;
  {
    const std::lock_guard lock(mutex_);
    while (!answers_.empty() && now - answers_.front().since > max_time_) {
      late.push_back(answers_.front().call);
      grpc_call_ref(late.back());
      answers_.front().cancelled = true;
      cancelled_.splice(cancelled_.end(), answers_, answers_.begin());
    }
  }
  // Ending a call may end others here, which calls Remove.
  for (grpc_call* call : late) {
    grpc_call_cancel(call, nullptr);
    grpc_call_unref(call);
  }
  return static_cast<int>(late.size());
}

void UnreadAnswers::Remove(std::list<Entry>::iterator at) {
  std::list<Entry> removed;
  {
    const std::lock_guard lock(mutex_);
    removed.splice(removed.end(), at->cancelled ? cancelled_ : answers_, at);
  }
}

}  // namespace mulligan
