// A request about one workload.
#ifndef MULLIGAN_POLICY_VERDICT_ONE_WORKLOAD_H_
#define MULLIGAN_POLICY_VERDICT_ONE_WORKLOAD_H_

#include <optional>
#include <string>

#include "absl/strings/str_cat.h"
#include "absl/strings/str_join.h"
#include "google/protobuf/timestamp.pb.h"
#include "mulligan/v1/diagnosis.pb.h"
#include "mulligan/v1/report.pb.h"
#include "policy/base/utf8.h"
#include "policy/request/clocks.h"
#include "policy/request/doubles.h"
#include "policy/request/ownership.h"

namespace mulligan {

// A valid request, without what belongs to another workload than the named one,
// with each object once, and with all times by one clock.
template <typename Request>
class OfOneWorkload {
 public:
  template <typename Response>
  OfOneWorkload(const Request& request,
                const google::protobuf::Timestamp& observed_at,
                Response& response)
      : as_stamped_(&request) {
    const auto& named = request.report().workload();
    if (!named.name().empty() || !named.uid().empty()) {
      unread_ = FindForeign(request.report());
    }
    const std::string again = AddDoubles(request.report(), unread_);
    if (!unread_.empty()) {
      as_stamped_ = &changed_.emplace(request);
      LeaveOut(unread_, *changed_->mutable_report());
    }
    if (!unread_.owners.empty()) {
      response.add_warnings(absl::StrCat(
          "left out what belongs to another workload: ",
          Visible(absl::StrJoin(unread_.owners, ", ").substr(0, 1024))));
    }
    if (!again.empty()) {
      response.add_warnings(absl::StrCat(
          again, " is in the report more than once: the newest is taken"));
    }
    request_ = as_stamped_;
    if (!HasWrongTimes(as_stamped_->report(), observed_at)) return;
    request_ = &repaired_.emplace(*as_stamped_);
    response.add_warnings(
        RepairTimes(*repaired_->mutable_report(), observed_at));
  }

  const Request& operator*() const { return *request_; }

  // With its times as they were told: an operator does not repair them.
  const v1::FailureReport& as_stamped() const { return as_stamped_->report(); }

  // Evidence is found in the report as it was sent.
  void Restore(v1::Diagnosis& diagnosis) const {
    if (changed_) RestorePaths(unread_, diagnosis);
  }

 private:
  const Request* as_stamped_;
  const Request* request_;
  std::optional<Request> changed_;
  std::optional<Request> repaired_;
  Unread unread_;
};

}  // namespace mulligan

#endif  // MULLIGAN_POLICY_VERDICT_ONE_WORKLOAD_H_
