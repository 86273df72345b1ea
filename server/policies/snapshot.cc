#include "server/policies/snapshot.h"

#include <array>
#include <cstddef>

namespace mulligan {
namespace {

std::uint64_t NextVersion() {
  static std::atomic<std::uint64_t> versions = 0;
  return versions.fetch_add(1, std::memory_order_relaxed) + 1;
}

struct ThreadCopy {
  std::uint64_t version = 0;
  std::shared_ptr<const Snapshot> snapshot;
};

}  // namespace

void SnapshotStore::Publish(std::shared_ptr<const Snapshot> next) {
  const std::lock_guard lock(mutex_);
  current_ = std::move(next);
  version_.store(NextVersion(), std::memory_order_release);
}

const Snapshot& SnapshotStore::Read() const {
  thread_local std::array<ThreadCopy, 2> copies;
  ThreadCopy& copy = copies[static_cast<std::size_t>(role_)];
  if (copy.version != version_.load(std::memory_order_acquire)) {
    const std::lock_guard lock(mutex_);
    // Under the lock, the version matches the pointer.
    copy.version = version_.load(std::memory_order_relaxed);
    copy.snapshot = current_;
  }
  return *copy.snapshot;
}

}  // namespace mulligan
