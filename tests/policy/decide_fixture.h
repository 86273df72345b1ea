// A workload that fails repeatedly, for tests of Decide.
#ifndef MULLIGAN_TESTS_POLICY_DECIDE_FIXTURE_H_
#define MULLIGAN_TESTS_POLICY_DECIDE_FIXTURE_H_

#include <memory>
#include <string>

#include "absl/strings/str_cat.h"
#include "gmock/gmock.h"
#include "gtest/gtest.h"
#include "policy/decide.h"
#include "tests/policy/fixtures.h"
#include "tests/testing/status_matchers.h"

namespace mulligan {

inline constexpr char kSpec[] = R"pb(
  budgets {
    key: "application"
    value { limit: 2 }
  }
  budgets {
    key: "memory"
    value { limit: 1 }
  }
  budgets {
    key: "start"
    value { limit: 1 }
  }
  rules {
    name: "out-of-memory"
    when { causes: CONTAINER_OOM }
    then {
      action: RETRY
      budget: "memory"
      resources { memory_factor: 1.5 }
      placement {
        avoid_failed_node {}
        on_demand_after: 1
      }
      backoff { initial { seconds: 10 } }
    }
  }
  rules {
    name: "starting"
    when { causes: [ IMAGE_PULL_TRANSIENT ] }
    then { action: WAIT budget: "start" }
  }
  default {
    action: RETRY
    budget: "application"
    backoff { initial { seconds: 10 } }
  }
  derivation { same_fingerprint: 0 crash_loop_failures: 0 }
)pb";

// The end of the first container of the request's first pod.
inline kubernetes::core::v1::ContainerStateTerminated& EndOfMain(
    v1::DecideRequest& request) {
  return *request.mutable_report()
              ->mutable_pods(0)
              ->mutable_status()
              ->mutable_container_statuses(0)
              ->mutable_state()
              ->mutable_terminated();
}

// The pod of attempt `attempt`; its main container ended with these values.
inline v1::DecideRequest FailureOfAttempt(int attempt, int exit_code,
                                          const char* reason) {
  auto request = testing::Parse<v1::DecideRequest>(R"pb(
    report {
      observed_at { seconds: 100000 }
      workload { kind: "Pod" uid: "w" name: "p" }
      pods {
        metadata { name: "p" uid: "p" }
        spec {
          node_name: "n1"
          containers { name: "main" }
        }
        status {
          phase: "Failed"
          container_statuses {
            name: "main"
            state { terminated { started_at { seconds: 99000 } } }
          }
        }
      }
    }
  )pb");
  auto& pod = *request.mutable_report()->mutable_pods(0);
  pod.mutable_metadata()->set_uid(absl::StrCat("p", attempt));
  auto& ended = EndOfMain(request);
  ended.set_exit_code(exit_code);
  ended.set_reason(reason);
  // Attempts run one after another.
  if (attempt > 1) {
    ended.mutable_started_at()->set_seconds(99900 + attempt - 1);
  }
  ended.mutable_finished_at()->set_seconds(99900 + attempt);
  return request;
}

inline v1::DecideRequest AppError(int attempt = 1) {
  return FailureOfAttempt(attempt, 1, "Error");
}
inline v1::DecideRequest OutOfMemory(int attempt = 1) {
  return FailureOfAttempt(attempt, 137, "OOMKilled");
}

class DecideTest : public ::testing::Test {
 protected:
  void SetUp() override { Use(kSpec); }
  void Use(const std::string& spec) { policies_ = testing::SetOf(spec); }

  absl::Status Try(const v1::DecideRequest& request,
                   v1::DecideResponse& response) {
    google::protobuf::Timestamp now;
    now.set_seconds(200000);
    return Decide(request, *policies_, now, response);
  }
  v1::DecideResponse Ask(const v1::DecideRequest& request) {
    v1::DecideResponse response;
    EXPECT_THAT(Try(request, response), testing::IsOk());
    return response;
  }
  // Decides for a caller that stores the ledger between calls.
  v1::DecideResponse AskNext(v1::DecideRequest request) {
    if (has_ledger_) *request.mutable_ledger() = ledger_;
    v1::DecideResponse response = Ask(request);
    ledger_ = response.ledger();
    has_ledger_ = true;
    return response;
  }

  std::unique_ptr<const PolicySet> policies_;
  v1::BudgetLedger ledger_;
  bool has_ledger_ = false;
};

}  // namespace mulligan

#endif  // MULLIGAN_TESTS_POLICY_DECIDE_FIXTURE_H_
