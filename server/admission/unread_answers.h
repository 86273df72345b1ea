// Answers on their way to callers, who need not read them.
#ifndef MULLIGAN_SERVER_ADMISSION_UNREAD_ANSWERS_H_
#define MULLIGAN_SERVER_ADMISSION_UNREAD_ANSWERS_H_

#include <grpc/grpc.h>

#include <chrono>
#include <cstddef>
#include <list>
#include <mutex>
#include <utility>

#include "server/admission/memory_gauge.h"

namespace mulligan {

// A caller decides with its flow control how long an answer stays with us.
// Large ones count against the memory of requests under way, and the calls of
// those that stay too long are cancelled. Safe to share.
class UnreadAnswers {
 public:
  using Clock = std::chrono::steady_clock;

  // Up to this size an answer does not count: cheap calls are answered when
  // the memory is used up, too.
  static constexpr std::size_t kSmall = 16 << 10;

  UnreadAnswers(MemoryGauge& memory, Clock::duration most_time)
      : memory_(memory), most_time_(most_time) {}

 private:
  struct Entry {
    grpc_call* call;
    Clock::time_point since;
    MemoryGauge::Share bytes;
    bool cancelled;  // guarded by mutex_
  };

 public:
  // One answer; it counts until this goes, which has to be before its call.
  class Sending {
   public:
    Sending() = default;
    Sending(Sending&& other) noexcept
        : all_(std::exchange(other.all_, nullptr)), at_(other.at_) {}
    Sending& operator=(Sending&& other) noexcept {
      std::swap(all_, other.all_);
      std::swap(at_, other.at_);
      return *this;
    }
    ~Sending() {
      if (all_ != nullptr) all_->Remove(at_);
    }

    // False: there is no memory for it.
    explicit operator bool() const { return all_ != nullptr; }

   private:
    friend class UnreadAnswers;
    Sending(UnreadAnswers* all, std::list<Entry>::iterator at)
        : all_(all), at_(at) {}

    UnreadAnswers* all_ = nullptr;
    std::list<Entry>::iterator at_;
  };

  // An answer of so many bytes to `call`.
  Sending Add(grpc_call* call, std::size_t bytes, Clock::time_point now);

  // Cancels the calls whose answers are on their way for too long. Returns how
  // many.
  int CancelLate(Clock::time_point now);

 private:
  void Remove(std::list<Entry>::iterator at);

  MemoryGauge& memory_;
  const Clock::duration most_time_;
  std::mutex mutex_;
  // The oldest first. Guarded by mutex_, as the next.
  std::list<Entry> answers_;
  // Calls that were cancelled and are not gone yet.
  std::list<Entry> cancelled_;
};

}  // namespace mulligan

#endif  // MULLIGAN_SERVER_ADMISSION_UNREAD_ANSWERS_H_
