// Whether the server wants traffic, for probes.
#ifndef MULLIGAN_SERVER_READINESS_H_
#define MULLIGAN_SERVER_READINESS_H_

#include <atomic>

namespace mulligan {

enum class ServingState { kStarting, kServing, kDraining };

// Set by the life cycle, read by probes. Safe to share.
class Readiness {
 public:
  void Set(ServingState state) { state_.store(state); }
  ServingState state() const { return state_.load(); }

 private:
  std::atomic<ServingState> state_ = ServingState::kStarting;
};

}  // namespace mulligan

#endif  // MULLIGAN_SERVER_READINESS_H_
