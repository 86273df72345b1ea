// Periodic checks on a thread of their own.
#ifndef MULLIGAN_SERVER_OBSERVE_MONITOR_H_
#define MULLIGAN_SERVER_OBSERVE_MONITOR_H_

#include <condition_variable>
#include <functional>
#include <mutex>
#include <thread>

#include "absl/time/time.h"

namespace mulligan {

// Calls `check` at once and then every `interval` until destroyed.
class Monitor {
 public:
  Monitor(absl::Duration interval, std::function<void()> check);
  ~Monitor();
  Monitor(const Monitor&) = delete;
  Monitor& operator=(const Monitor&) = delete;

 private:
  void Run();

  const absl::Duration interval_;
  const std::function<void()> check_;
  std::mutex mutex_;
  std::condition_variable wake_;
  bool ending_ = false;  // guarded by mutex_
  std::thread thread_;
};

}  // namespace mulligan

#endif  // MULLIGAN_SERVER_OBSERVE_MONITOR_H_
