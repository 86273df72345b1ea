#include <deque>

#include "tests/benchmark/load/call_slot.h"
#include "tests/benchmark/load/load.h"
#include "tests/benchmark/load/process_usage.h"

namespace mulligan::load {

Result RunClosedLoop(const Plan& plan) {
  grpc::CompletionQueue queue;
  std::deque<CallSlot> slots;
  for (int i = 0; i < plan.outstanding; ++i) {
    auto& stub = *plan.stubs[static_cast<std::size_t>(i) % plan.stubs.size()];
    slots.emplace_back(plan, stub, queue).Start(Clock::now());
  }
  Result result;
  bool measuring = false;
  int alive = plan.outstanding;
  Clock::time_point begin = Clock::now();
  double cpu = 0;
  void* tag = nullptr;
  bool ok = false;
  while (alive > 0 && queue.Next(&tag, &ok)) {
    auto& slot = *static_cast<CallSlot*>(tag);
    const Clock::time_point now = Clock::now();
    if (!measuring && now - begin >= plan.warm_up) {
      measuring = true;
      begin = now;
      cpu = CpuSeconds(plan.server_pid);
    }
    if (measuring && result.seconds == 0) {
      slot.Record(result);
      if (now - begin >= plan.duration) {
        result.seconds = std::chrono::duration<double>(now - begin).count();
        result.server_cpu_seconds = CpuSeconds(plan.server_pid) - cpu;
      }
    }
    if (result.seconds == 0) {
      slot.Start(now);
    } else {
      --alive;
    }
  }
  queue.Shutdown();
  return result;
}

}  // namespace mulligan::load
