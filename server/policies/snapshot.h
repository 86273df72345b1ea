// The loaded policies, as handlers use them.
#ifndef MULLIGAN_SERVER_POLICIES_SNAPSHOT_H_
#define MULLIGAN_SERVER_POLICIES_SNAPSHOT_H_

#include <atomic>
#include <cstdint>
#include <memory>
#include <mutex>
#include <optional>
#include <string>
#include <utility>

#include "absl/time/time.h"
#include "policy/rules/policy_set.h"
#include "server/observe/policy_series.h"

namespace mulligan {

// One loaded set and its metric series. Immutable; safe to share.
struct Snapshot {
  // Null if a candidate has not been loadable yet.
  std::shared_ptr<const PolicySet> policies;
  PolicySeries series;
  absl::Time loaded_at;
  // Why newer files were refused; empty if these are the latest.
  std::string last_error;
  // When newer files were first refused; empty if these are the latest.
  std::optional<absl::Time> stale_since;
};

// Holds the snapshot in force. One writer at a time publishes; any number of
// threads read. Without changes a read costs one atomic load: each thread keeps
// a copy of the pointer with its version. (atomic<shared_ptr> costs 20 to 140
// ns and is a false race under TSan.)
class SnapshotStore {
 public:
  // Threads keep one copy per role, so that reading one store does not
  // invalidate what was read from the other.
  enum class Role { kInForce, kCandidate };

  explicit SnapshotStore(std::shared_ptr<const Snapshot> first,
                         Role role = Role::kInForce)
      : role_(role) {
    Publish(std::move(first));
  }
  SnapshotStore(const SnapshotStore&) = delete;
  SnapshotStore& operator=(const SnapshotStore&) = delete;

  // Readers see `next` from their next Read on. A thread that never reads again
  // keeps the old one alive. REQUIRES: `next` is not null.
  void Publish(std::shared_ptr<const Snapshot> next);

  // Returns the snapshot in force. Valid until this thread reads again from a
  // store of this role: call once per request and do not keep the reference.
  const Snapshot& Read() const;

 private:
  const Role role_;
  // From one sequence for all stores, so that a thread's copy is never mistaken
  // for another store's. Never 0.
  std::atomic<std::uint64_t> version_ = 0;
  mutable std::mutex mutex_;
  std::shared_ptr<const Snapshot> current_;  // guarded by mutex_
};

}  // namespace mulligan

#endif  // MULLIGAN_SERVER_POLICIES_SNAPSHOT_H_
