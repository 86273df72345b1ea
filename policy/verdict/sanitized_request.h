// A request, cleaned for the decision.
#ifndef MULLIGAN_POLICY_VERDICT_SANITIZED_REQUEST_H_
#define MULLIGAN_POLICY_VERDICT_SANITIZED_REQUEST_H_

#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "absl/strings/str_cat.h"
#include "absl/strings/str_join.h"
#include "google/protobuf/timestamp.pb.h"
#include "mulligan/v1/report.pb.h"
#include "policy/base/utf8.h"
#include "policy/demystify/ended_attempt.h"
#include "policy/request/clocks.h"
#include "policy/request/duplicates.h"
#include "policy/request/owners.h"
#include "policy/request/ownership.h"
#include "policy/request/reported_progress.h"
#include "policy/request/terminal.h"

namespace mulligan {

// The warning for a report without a time.
inline constexpr char kNoObservedAt[] =
    "report.observedAt is absent: the server's time was used, so repeated "
    "calls may differ";

// A valid request without objects of other workloads, duplicates and terminal
// escapes, and with all times on one clock. Has the progress that its objects
// state if the caller states none, and a pod in place of an attempt without
// objects. All arguments must outlive it.
template <typename Request>
class SanitizedRequest {
 public:
  // `owners` are those of `sent`. `now` is used if the report has no time.
  SanitizedRequest(const Request& sent, const Owners& owners,
                   const google::protobuf::Timestamp& now)
      : as_stamped_(&sent),
        owners_(&owners),
        observed_at_(sent.report().has_observed_at()
                         ? sent.report().observed_at()
                         : now) {
    if (!sent.report().has_observed_at()) warnings_.emplace_back(kNoObservedAt);
    if (sent.report().has_ended_attempt()) {
      as_stamped_ = &changed_.emplace(sent);
      v1::FailureReport& report = *changed_->mutable_report();
      for (std::string& warning :
           demystify::AddPodOfAttempt(observed_at_, report)) {
        warnings_.push_back(std::move(warning));
      }
      RemoveEscapes(report);
      request_ = as_stamped_;
      owners_ = &own_owners_.emplace(report);
      return;
    }
    const auto& named = sent.report().workload();
    if (!named.name().empty() || !named.uid().empty()) {
      unread_ = FindForeign(owners);
    }
    AddOwnEvents(sent.report(), unread_);
    const std::string again = AddDuplicates(sent.report(), unread_);
    if (!unread_.empty()) {
      as_stamped_ = &changed_.emplace(sent);
      LeaveOut(unread_, *changed_->mutable_report());
    }
    if (!unread_.owners.empty()) {
      warnings_.push_back(absl::StrCat(
          "left out what belongs to another workload: ",
          Visible(absl::StrJoin(unread_.owners, ", ").substr(0, 1024))));
    }
    if (!again.empty()) {
      warnings_.push_back(absl::StrCat(
          again, " is in the report more than once: the newest is taken"));
    }
    const auto progress = ReportedProgress(as_stamped_->report());
    if (progress && !as_stamped_->report().progress().has_value()) {
      if (!changed_) as_stamped_ = &changed_.emplace(sent);
      changed_->mutable_report()->mutable_progress()->set_value(*progress);
    }
    request_ = as_stamped_;
    const bool has_wrong_times =
        HasWrongTimes(as_stamped_->report(), observed_at_);
    const bool has_escapes = HasEscapes(as_stamped_->report());
    if (has_wrong_times || has_escapes) {
      request_ = &repaired_.emplace(*as_stamped_);
      v1::FailureReport& repaired = *repaired_->mutable_report();
      if (has_escapes) RemoveEscapes(repaired);
      if (has_wrong_times) {
        warnings_.push_back(RepairTimes(repaired, observed_at_));
      }
    }
    if (request_ != &sent) owners_ = &own_owners_.emplace(report());
  }
  SanitizedRequest(const SanitizedRequest&) = delete;
  SanitizedRequest& operator=(const SanitizedRequest&) = delete;

  const Request& request() const { return *request_; }
  const v1::FailureReport& report() const { return request_->report(); }
  // The owners of report().
  const Owners& owners() const { return *owners_; }
  // Has the original times and texts, as an operator sees them.
  const v1::FailureReport& as_stamped() const { return as_stamped_->report(); }
  // The report's time, else the server's.
  const google::protobuf::Timestamp& observed_at() const {
    return observed_at_;
  }
  const std::vector<std::string>& warnings() const { return warnings_; }

  // The parts of the original report that report() lacks.
  const Unread& unread() const { return unread_; }

 private:
  const Request* as_stamped_;
  const Owners* owners_;
  std::optional<Owners> own_owners_;
  const google::protobuf::Timestamp& observed_at_;
  const Request* request_;
  std::optional<Request> changed_;
  std::optional<Request> repaired_;
  Unread unread_;
  std::vector<std::string> warnings_;
};

}  // namespace mulligan

#endif  // MULLIGAN_POLICY_VERDICT_SANITIZED_REQUEST_H_
