#include <algorithm>
#include <atomic>
#include <deque>
#include <mutex>
#include <thread>
#include <vector>

#include "tests/benchmark/load/call_slot.h"
#include "tests/benchmark/load/load.h"
#include "tests/benchmark/load/process_usage.h"

namespace mulligan::load {
namespace {

constexpr double kSlots = 4096;

// Free slots; shared by the pacing and the receiving thread.
class FreeSlots {
 public:
  void Put(CallSlot* slot) {
    const std::lock_guard lock(mutex_);
    slots_.push_back(slot);
  }
  CallSlot* Take() {
    const std::lock_guard lock(mutex_);
    if (slots_.empty()) return nullptr;
    CallSlot* slot = slots_.back();
    slots_.pop_back();
    return slot;
  }

 private:
  std::mutex mutex_;
  std::vector<CallSlot*> slots_;
};

}  // namespace

Result RunOpenLoop(const Plan& plan) {
  grpc::CompletionQueue queue;
  std::deque<CallSlot> slots;
  FreeSlots free_slots;
  const auto count = static_cast<std::size_t>(
      std::max(kSlots, plan.rate * plan.deadline.count() * 1.1));
  for (std::size_t i = 0; i < count; ++i) {
    free_slots.Put(
        &slots.emplace_back(plan, *plan.stubs[i % plan.stubs.size()], queue));
  }
  std::atomic<bool> measuring = false;
  std::atomic<int> under_way = 0;
  Result result;
  std::thread receiver([&] {
    void* tag = nullptr;
    bool ok = false;
    while (queue.Next(&tag, &ok)) {
      auto* slot = static_cast<CallSlot*>(tag);
      if (measuring) slot->Record(result);
      free_slots.Put(slot);
      --under_way;
    }
  });

  const Clock::time_point begin = Clock::now();
  const auto period = std::chrono::duration<double>(1 / plan.rate);
  Clock::time_point measured_from = begin;
  std::uint64_t not_started = 0;
  double cpu = 0;
  for (std::uint64_t i = 0;; ++i) {
    const auto due = begin + std::chrono::duration_cast<Clock::duration>(
                                 period * static_cast<double>(i));
    if (due - begin >= plan.warm_up + plan.duration) break;
    std::this_thread::sleep_until(due);
    if (!measuring && due - begin >= plan.warm_up) {
      measured_from = Clock::now();
      cpu = CpuSeconds(plan.server_pid);
      measuring = true;
    }
    CallSlot* slot = free_slots.Take();
    if (slot == nullptr) {
      if (measuring) ++not_started;
      continue;
    }
    ++under_way;
    slot->Start(due);
  }
  const double seconds =
      std::chrono::duration<double>(Clock::now() - measured_from).count();
  const double server_cpu = CpuSeconds(plan.server_pid) - cpu;
  while (under_way > 0) {
    std::this_thread::sleep_for(std::chrono::milliseconds(5));
  }
  queue.Shutdown();
  receiver.join();
  result.seconds = seconds;
  result.server_cpu_seconds = server_cpu;
  result.not_started = not_started;
  return result;
}

}  // namespace mulligan::load
