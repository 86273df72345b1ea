#include "policy/operators/kueue/provisioning.h"

#include <algorithm>
#include <cstdint>
#include <limits>
#include <string>
#include <string_view>

#include "absl/strings/str_cat.h"
#include "absl/strings/str_format.h"
#include "absl/time/time.h"
#include "policy/operators/kueue/admission_checks.h"
#include "policy/operators/kueue/backoff.h"

namespace mulligan::kueue {
namespace {

constexpr std::int64_t kMaxInt32 = std::numeric_limits<std::int32_t>::max();

class RequestFollower {
 public:
  RequestFollower(const AdmissionCheckState& check,
                  const ProvisioningRequest& request,
                  const RetryStrategy& strategy)
      : check_(check), request_(request), strategy_(strategy) {}

  AdmissionCheckState Follow(const Workload& workload) && {
    if (Is("Failed")) {
      RetryOrReject("Retrying after failure: ", "Failed");
    } else if (Is("CapacityRevoked")) {
      if (IsActive(workload) && !IsFinished(workload.status())) {
        Become(kCheckRejected, MessageOf("CapacityRevoked"));
      }
    } else if (Is("BookingExpired")) {
      if (!IsAdmitted(workload.status())) {
        RetryOrReject("Retrying after booking expired: ", "BookingExpired");
      }
    } else if (Is("Provisioned")) {
      if (check_.state() != kCheckReady) {
        Become(kCheckReady, MessageOf("Provisioned"));
      }
    } else if (!Is("Accepted")) {
      Become(kCheckPending, "");
    } else if (FindCondition(request_.conditions, "Provisioned") != nullptr) {
      // The autoscaler's estimate of when.
      Become(kCheckPending, MessageOf("Provisioned"));
    }
    return check_;
  }

 private:
  bool Is(std::string_view type) const {
    return IsTrue(request_.conditions, type);
  }
  std::string MessageOf(std::string_view type) const {
    return FindCondition(request_.conditions, type)->message();
  }
  void Become(std::string_view state, const std::string& message) {
    check_.set_state(std::string(state));
    check_.set_message(message);
  }

  void RetryOrReject(std::string_view prefix, std::string_view type) {
    if (request_.attempt > strategy_.backoff_limit_count) {
      return Become(kCheckRejected, MessageOf(type));
    }
    check_.set_message(std::string(prefix) + MessageOf(type));
    // An old request, whose failure was counted already.
    if (request_.attempt <= check_.retry_count()) return;
    check_.set_state(std::string(kCheckRetry));
    const Backoff backoff{absl::Seconds(strategy_.backoff_base_seconds),
                          absl::Seconds(strategy_.backoff_max_seconds)};
    const absl::Duration wait =
        WaitBefore(check_.retry_count() + 1LL, backoff).shortest;
    check_.set_requeue_after_seconds(static_cast<std::int32_t>(
        std::min(kMaxInt32, absl::ToInt64Seconds(wait))));
  }

  AdmissionCheckState check_;
  const ProvisioningRequest& request_;
  const RetryStrategy& strategy_;
};

}  // namespace

CheckUpdate FollowRequest(const AdmissionCheckState& check,
                          const ProvisioningRequest& request,
                          const RetryStrategy& strategy,
                          const Workload& workload) {
  CheckUpdate update;
  update.check = RequestFollower(check, request, strategy).Follow(workload);
  if (update.check.state() == check.state()) return update;
  std::string message =
      absl::StrFormat("Admission check %s updated state from %s to %s",
                      check.name(), check.state(), update.check.state());
  if (!update.check.message().empty()) {
    absl::StrAppend(&message, " with message: ", update.check.message());
  }
  update.event = Event{std::string(kNormalEvent), "AdmissionCheckUpdated",
                       EventMessage(message)};
  return update;
}

CheckUpdate FollowFailedCreation(const AdmissionCheckState& check,
                                 const FailedCreation& creation) {
  CheckUpdate update;
  update.check = check;
  if (creation.exists_unseen) return update;
  const std::string message =
      absl::StrFormat("Error creating %s \"%s\": %s", creation.kind,
                      creation.name, creation.error);
  update.check.set_message(ConditionMessage(message));
  update.event =
      Event{std::string(kWarningEvent), "FailedCreate", EventMessage(message)};
  return update;
}

std::string RequestName(std::string_view workload, std::string_view check,
                        std::int64_t attempt) {
  return absl::StrFormat("%s-%s-%d", workload, check, attempt);
}

std::string PodTemplateName(std::string_view request,
                            std::string_view pod_set) {
  return absl::StrFormat("ppt-%s-%s", request, pod_set);
}

}  // namespace mulligan::kueue
