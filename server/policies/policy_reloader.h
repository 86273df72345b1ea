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

// What others have to know of a reloader's work. Called by one thread at a
// time; none may be empty.
struct ReloadEvents {
  // `policies` are loaded and come into force: gives the series that decisions
  // under them count in.
  std::function<PolicySeries(const PolicySet& policies, absl::Time now)> loaded;
  // What the source holds was tried and cannot be loaded. Those in force are
  // stale since `since`.
  std::function<void(absl::Time since)> failed;
  // The source holds again what is in force.
  std::function<void()> restored;
};

// Looks at a source, loads what is new, all or nothing, and publishes it. What
// cannot be read or loaded leaves the last good set in force, marked as stale.
// It is told apart by a digest of names, contents and reading errors: neither
// the set in force nor a bad one is compiled again while nothing changes.
//
// Safe to share: looks wait for each other, readers of the snapshots do not
// wait for looks.
class PolicyReloader {
 public:
  // Loads for the first time. INVALID_ARGUMENT with every issue, one a line,
  // when that fails. `what` names the policies in the log ("policies"). Source
  // and log outlive the reloader.
  static absl::StatusOr<std::unique_ptr<PolicyReloader>> Create(
      std::string_view what, PolicySource& source, ReloadEvents events,
      const Log& log);
  // The same for policies that are only tried out. Never fails: until something
  // can be loaded the snapshot has no policies and says why.
  static std::unique_ptr<PolicyReloader> CreateCandidate(std::string_view what,
                                                         PolicySource& source,
                                                         ReloadEvents events,
                                                         const Log& log);
  PolicyReloader(const PolicyReloader&) = delete;
  PolicyReloader& operator=(const PolicyReloader&) = delete;

  // Loads what the source holds unless it was looked at before.
  void Poll();

  // Loads what the source holds whether it is new or not.
  void Reload();

  // Calls Poll every `interval`, greater than 0, from a thread of its own until
  // destroyed. Call once.
  void StartPolling(absl::Duration interval);

  const SnapshotStore& snapshots() const { return *snapshots_; }

 private:
  // What the source held at one time.
  struct Reading {
    std::vector<PolicyText> texts;
    Issues issues;
    std::string digest;
  };

  PolicyReloader(std::string_view what, PolicySource& source,
                 ReloadEvents events, const Log& log);

  Reading Read();
  absl::StatusOr<std::shared_ptr<const Snapshot>> Load(Reading reading);
  // Look at the source under the lock.
  void LoadNext(Reading reading);
  void MarkStale(const absl::Status& why);
  void MarkCurrent();

  const std::string what_;
  PolicySource& source_;
  const ReloadEvents events_;
  const Log& log_;
  std::mutex mutex_;
  // Digests of the reading looked at last and of that in force; guarded by
  // mutex_.
  std::string seen_;
  std::string in_force_;
  std::unique_ptr<SnapshotStore> snapshots_;
  // Last: its thread uses all above.
  std::unique_ptr<Monitor> polling_;
};

}  // namespace mulligan

#endif  // MULLIGAN_SERVER_POLICIES_POLICY_RELOADER_H_
