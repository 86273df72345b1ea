// The loaded policies as handlers see them.
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

// One loaded set and what belongs to it. Immutable; safe to share.
struct Snapshot {
  // Null: a candidate that could not be loaded yet.
  std::shared_ptr<const PolicySet> policies;
  PolicySeries series;
  absl::Time loaded_at;
  // Why newer files were not taken; empty: these are the latest.
  std::string last_error;
  // When it was first seen that newer files cannot be taken; absent: these are
  // the latest.
  std::optional<absl::Time> stale_since;
};

// Holds the snapshot in force. One writer at a time publishes, any number of
// threads read. A read costs one atomic load while nothing was published: each
// thread keeps a copy of the pointer with the version it was made at
// (atomic<shared_ptr> costs 20 to 140 ns and is a false race under TSan).
class SnapshotStore {
 public:
  // Threads keep a copy for each role, so that reading one store does not end
  // what was read from the other.
  enum class Role { kInForce, kCandidate };

  explicit SnapshotStore(std::shared_ptr<const Snapshot> first,
                         Role role = Role::kInForce)
      : role_(role) {
    Publish(std::move(first));
  }
  SnapshotStore(const SnapshotStore&) = delete;
  SnapshotStore& operator=(const SnapshotStore&) = delete;

  // `next` must not be null. Readers see it from their next Read on; a thread
  // that never reads again keeps the old one alive.
  void Publish(std::shared_ptr<const Snapshot> next);

  // The snapshot in force. Valid until this thread reads again, from any store
  // of this role: call once per request, do not keep the reference.
  const Snapshot& Read() const;

 private:
  const Role role_;
  // Drawn from one sequence for all stores, so that a thread's copy of one
  // store's snapshot never passes for another's. Never 0.
  std::atomic<std::uint64_t> version_ = 0;
  mutable std::mutex mutex_;
  std::shared_ptr<const Snapshot> current_;  // guarded by mutex_
};

}  // namespace mulligan

#endif  // MULLIGAN_SERVER_POLICIES_SNAPSHOT_H_
