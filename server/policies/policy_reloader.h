// Keeps the policies of one source up to date.
#ifndef MULLIGAN_SERVER_POLICIES_POLICY_RELOADER_H_
#define MULLIGAN_SERVER_POLICIES_POLICY_RELOADER_H_

#include <functional>
#include <memory>
#include <mutex>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "absl/time/time.h"
#include "policy/rules/policy_set.h"
#include "server/observe/log.h"
#include "server/observe/monitor.h"
#include "server/observe/policy_series.h"
#include "server/policies/policy_source.h"
#include "server/policies/snapshot.h"

namespace mulligan {

// Called by one thread at a time. REQUIRES: none is null.
struct ReloadEvents {
  // `policies` come into force. Returns the series of their decisions.
  std::function<PolicySeries(const PolicySet& policies, absl::Time now)> loaded;
  // The source cannot be loaded: policies in force are stale since `since`.
  std::function<void(absl::Time since)> failed;
  // The source's contents are those in force again.
  std::function<void()> restored;
};

// Reads a source, loads new contents as a whole, and publishes them. If they
// cannot be read or loaded, the last good set stays in force, marked as stale.
// A digest of names, contents and read errors prevents repeated compiling of
// unchanged contents.
//
// Thread-safe. Polls and reloads wait for one another; snapshot readers do not.
class PolicyReloader {
 public:
  // Loads for the first time. INVALID_ARGUMENT lists every issue, one per line.
  // `what` names the policies in the log ("policies"). Source and log must
  // outlive the reloader.
  static absl::StatusOr<std::unique_ptr<PolicyReloader>> Create(
      std::string_view what, PolicySource& source, ReloadEvents events,
      const Log& log);
  // The same for candidate policies. Never fails: until they can be loaded, the
  // snapshot has no policies and says why.
  static std::unique_ptr<PolicyReloader> CreateCandidate(std::string_view what,
                                                         PolicySource& source,
                                                         ReloadEvents events,
                                                         const Log& log);
  PolicyReloader(const PolicyReloader&) = delete;
  PolicyReloader& operator=(const PolicyReloader&) = delete;

  // Loads the source's contents unless they were already read.
  void Poll();

  // Loads the source's contents even if unchanged.
  void Reload();

  // Calls Poll every `interval`, greater than 0, on its own thread until
  // destroyed. Call once.
  void StartPolling(absl::Duration interval);

  const SnapshotStore& snapshots() const { return *snapshots_; }

 private:
  // The source's contents at one time.
  struct Reading {
    std::vector<PolicyText> texts;
    Issues issues;
    std::string digest;
  };

  PolicyReloader(std::string_view what, PolicySource& source,
                 ReloadEvents events, const Log& log);

  Reading Read();
  absl::StatusOr<std::shared_ptr<const Snapshot>> Load(Reading reading);
  // REQUIRE: mutex_ is held.
  void LoadNext(Reading reading);
  void MarkStale(const absl::Status& why);
  void MarkCurrent();

  const std::string what_;
  PolicySource& source_;
  const ReloadEvents events_;
  const Log& log_;
  std::mutex mutex_;
  // Digests of the last reading and of the one in force; guarded by mutex_.
  std::string seen_;
  std::string in_force_;
  std::unique_ptr<SnapshotStore> snapshots_;
  // Last, because its thread uses all of the above.
  std::unique_ptr<Monitor> polling_;
};

}  // namespace mulligan

#endif  // MULLIGAN_SERVER_POLICIES_POLICY_RELOADER_H_
