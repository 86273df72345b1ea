// Answers that callers have yet to read.
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

// Flow control lets a caller decide how long an answer stays here. Large
// answers count against the memory of open requests; calls whose answers stay
// too long are cancelled. Thread-safe.
class UnreadAnswers {
 public:
  using Clock = std::chrono::steady_clock;

  // Answers up to this many bytes do not count, so that cheap calls are
  // answered even if the memory is used up.
  static constexpr std::size_t kSmall = 16 << 10;

  UnreadAnswers(MemoryGauge& memory, Clock::duration max_time)
      : memory_(memory), max_time_(max_time) {}

 private:
  struct Entry {
    grpc_call* call;
    Clock::time_point since;
    MemoryGauge::Share bytes;
    bool cancelled;  // guarded by mutex_
  };

 public:
  // One answer, counted until destruction. REQUIRES: its call outlives it.
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

    // False if there is no memory for it.
    explicit operator bool() const { return all_ != nullptr; }

   private:
    friend class UnreadAnswers;
    Sending(UnreadAnswers* all, std::list<Entry>::iterator at)
        : all_(all), at_(at) {}

    UnreadAnswers* all_ = nullptr;
    std::list<Entry>::iterator at_;
  };

  // Adds an answer of `bytes` bytes to `call`.
  Sending Add(grpc_call* call, std::size_t bytes, Clock::time_point now);

  // Cancels the calls whose answers stay too long. Returns their number.
  int CancelLate(Clock::time_point now);

 private:
  void Remove(std::list<Entry>::iterator at);

  MemoryGauge& memory_;
  const Clock::duration max_time_;
  std::mutex mutex_;
  // The oldest first. Guarded by mutex_, like cancelled_.
  std::list<Entry> answers_;
  // Cancelled calls that are not gone yet.
  std::list<Entry> cancelled_;
};

}  // namespace mulligan

#endif  // MULLIGAN_SERVER_ADMISSION_UNREAD_ANSWERS_H_
