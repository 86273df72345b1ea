#include "server/policies/policy_reloader.h"

#include <cstdint>
#include <utility>

#include "absl/strings/str_cat.h"
#include "absl/time/clock.h"
#include "policy/loader/load.h"

namespace mulligan {
namespace {

// Returns one line per issue, as `mulligan policy check` prints them.
std::string FirstIssues(const Issues& issues) {
  std::string text;
  for (const Issue& issue : issues) {
    if (!text.empty()) text += '\n';
    text += FormatIssue(issue);
  }
  return text;
}

// Returns empty while no policies are loaded.
std::string_view RevisionOf(const Snapshot& snapshot) {
  if (snapshot.policies == nullptr) return "";
  return snapshot.policies->revision();
}

}  // namespace

absl::StatusOr<std::unique_ptr<PolicyReloader>> PolicyReloader::Create(
    std::string_view what, PolicySource& source, ReloadEvents events,
    const Log& log) {
  std::unique_ptr<PolicyReloader> reloader(
      new PolicyReloader(what, source, std::move(events), log));
  Reading reading = reloader->Read();
  reloader->seen_ = reading.digest;
  reloader->in_force_ = reading.digest;
  auto first = reloader->Load(std::move(reading));
  if (!first.ok()) return first.status();
  reloader->snapshots_ = std::make_unique<SnapshotStore>(*std::move(first));
  return reloader;
}

std::unique_ptr<PolicyReloader> PolicyReloader::CreateCandidate(
    std::string_view what, PolicySource& source, ReloadEvents events,
    const Log& log) {
  std::unique_ptr<PolicyReloader> reloader(
      new PolicyReloader(what, source, std::move(events), log));
  reloader->snapshots_ = std::make_unique<SnapshotStore>(
      std::make_shared<const Snapshot>(), SnapshotStore::Role::kCandidate);
  reloader->Reload();
  return reloader;
}

PolicyReloader::PolicyReloader(std::string_view what, PolicySource& source,
                               ReloadEvents events, const Log& log)
    : what_(what), source_(source), events_(std::move(events)), log_(log) {}

PolicyReloader::Reading PolicyReloader::Read() {
  Reading reading;
  reading.texts = source_.Read(reading.issues);
  // A read error is part of the digest, so that it is logged once.
  reading.digest = absl::StrCat(PolicyRevision(reading.texts), "\n",
                                FirstIssues(reading.issues));
  return reading;
}

absl::StatusOr<std::shared_ptr<const Snapshot>> PolicyReloader::Load(
    Reading reading) {
  Issues& issues = reading.issues;
  // Even if reading failed, so that all problems are reported at once.
  std::unique_ptr<const PolicySet> policies =
      LoadPolicies(reading.texts, issues);
  if (policies == nullptr || HasErrors(issues)) {
    return absl::InvalidArgumentError(FirstIssues(issues));
  }
  for (const Issue& issue : issues) {
    const std::string text = FormatIssue(issue);
    log_.Write(LogLevel::kWarning, "policy warning",
               {{"issue", std::string_view(text)}});
  }
  const absl::Time now = absl::Now();
  PolicySeries series = events_.loaded(*policies, now);
  const std::string place = source_.Describe();
  log_.Write(
      LogLevel::kInfo, absl::StrCat(what_, " loaded"),
      {{"source", std::string_view(place)},
       {"revision", std::string_view(policies->revision())},
       {"policies", static_cast<std::int64_t>(policies->policies().size())}});
  return std::make_shared<const Snapshot>(
      Snapshot{std::move(policies), std::move(series), now, "", std::nullopt});
}

void PolicyReloader::Poll() {
  const std::lock_guard lock(mutex_);
  Reading reading = Read();
  if (reading.digest == seen_) return;
  seen_ = reading.digest;
  if (reading.digest == in_force_) return MarkCurrent();
  LoadNext(std::move(reading));
}

void PolicyReloader::Reload() {
  const std::lock_guard lock(mutex_);
  Reading reading = Read();
  seen_ = reading.digest;
  LoadNext(std::move(reading));
}

void PolicyReloader::LoadNext(Reading reading) {
  std::string digest = reading.digest;
  auto next = Load(std::move(reading));
  if (!next.ok()) return MarkStale(next.status());
  in_force_ = std::move(digest);
  snapshots_->Publish(*std::move(next));
}

void PolicyReloader::MarkStale(const absl::Status& why) {
  Snapshot stale = snapshots_->Read();
  stale.last_error = std::string(why.message());
  if (!stale.stale_since.has_value()) stale.stale_since = absl::Now();
  const absl::Time since = *stale.stale_since;
  events_.failed(since);
  const std::string since_text =
      absl::FormatTime(absl::RFC3339_sec, since, absl::UTCTimeZone());
  log_.Write(LogLevel::kError,
             absl::StrCat(what_, " not loaded, the old ones stay in force"),
             {{"revision", RevisionOf(stale)},
              {"stale_since", std::string_view(since_text)},
              {"error", std::string_view(stale.last_error)}});
  snapshots_->Publish(std::make_shared<const Snapshot>(std::move(stale)));
}

void PolicyReloader::MarkCurrent() {
  Snapshot current = snapshots_->Read();
  current.last_error.clear();
  current.stale_since.reset();
  events_.restored();
  log_.Write(LogLevel::kInfo, absl::StrCat(what_, " are in force again"),
             {{"revision", RevisionOf(current)}});
  snapshots_->Publish(std::make_shared<const Snapshot>(std::move(current)));
}

void PolicyReloader::StartPolling(absl::Duration interval) {
  polling_ = std::make_unique<Monitor>(interval, [this] { Poll(); });
}

}  // namespace mulligan
