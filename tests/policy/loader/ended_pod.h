// A pod of a Job that ended, and the answer of the built-in policy.
#ifndef MULLIGAN_TESTS_POLICY_LOADER_ENDED_POD_H_
#define MULLIGAN_TESTS_POLICY_LOADER_ENDED_POD_H_

#include <cstdint>
#include <memory>
#include <string>
#include <string_view>

#include "absl/strings/str_cat.h"
#include "gmock/gmock.h"
#include "gtest/gtest.h"
#include "policy/decide.h"
#include "policy/loader/load.h"
#include "tests/testing/status_matchers.h"

namespace mulligan {

inline constexpr std::int64_t kEndsAt = 1'800'000'000;
inline constexpr std::int64_t kOneHour = 3600;

inline const PolicySet& BuiltInPolicies() {
  static const std::unique_ptr<const PolicySet>* const policies = [] {
    Issues issues;
    return new std::unique_ptr<const PolicySet>(LoadPolicies({}, issues));
  }();
  return **policies;
}

// Pod `number` of a Job, whose container ended at kEndsAt. Times in seconds.
struct EndedPod {
  std::string words;
  int exit_code = 1;
  std::int64_t ran = kOneHour;
  int number = 0;
  std::int64_t asked = 5;  // after the end
  std::string_view container = "main";
};

inline v1::DecideRequest RequestOfEnd(const EndedPod& ended,
                                      const v1::BudgetLedger& ledger = {}) {
  v1::DecideRequest request;
  *request.mutable_ledger() = ledger;
  v1::FailureReport& report = *request.mutable_report();
  report.mutable_observed_at()->set_seconds(kEndsAt + ended.asked);
  auto& pod = *report.add_pods();
  auto& metadata = *pod.mutable_metadata();
  metadata.set_name(absl::StrCat("w-", ended.number));
  metadata.set_namespace_("ml");
  metadata.set_uid(absl::StrCat("p-", ended.number));
  auto& owner = *metadata.add_owner_references();
  owner.set_kind("Job");
  owner.set_name("w");
  owner.set_uid("j");
  owner.set_controller(true);
  pod.mutable_spec()->set_node_name("n");
  pod.mutable_spec()->add_containers()->set_name(std::string(ended.container));
  pod.mutable_status()->set_phase("Failed");
  pod.mutable_status()->mutable_start_time()->set_seconds(kEndsAt - ended.ran -
                                                          1);
  auto& status = *pod.mutable_status()->add_container_statuses();
  status.set_name(std::string(ended.container));
  auto& end = *status.mutable_state()->mutable_terminated();
  end.set_exit_code(ended.exit_code);
  end.set_reason("Error");
  end.set_message(ended.words);
  end.mutable_started_at()->set_seconds(kEndsAt - ended.ran);
  end.mutable_finished_at()->set_seconds(kEndsAt);
  return request;
}

inline v1::DecideResponse AnswerToEnd(const v1::DecideRequest& request) {
  v1::DecideResponse response;
  EXPECT_THAT(Decide(request, BuiltInPolicies(), {}, response),
              testing::IsOk());
  return response;
}

inline v1::DecideResponse AnswerToEnd(const EndedPod& ended,
                                      const v1::BudgetLedger& ledger = {}) {
  return AnswerToEnd(RequestOfEnd(ended, ledger));
}

inline std::string_view RuleOfEnd(const v1::DecideResponse& answer) {
  return answer.explanation().matched_rule().rule();
}

}  // namespace mulligan

#endif  // MULLIGAN_TESTS_POLICY_LOADER_ENDED_POD_H_
