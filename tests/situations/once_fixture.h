// Reports failures repeatedly with the ledger carried along.
#ifndef MULLIGAN_TESTS_SITUATIONS_ONCE_FIXTURE_H_
#define MULLIGAN_TESTS_SITUATIONS_ONCE_FIXTURE_H_

#include <map>
#include <memory>
#include <string>

#include "absl/strings/str_cat.h"
#include "gmock/gmock.h"
#include "gtest/gtest.h"
#include "policy/decide.h"
#include "policy/loader/load.h"
#include "tests/policy/fixtures.h"
#include "tests/testing/status_matchers.h"

namespace mulligan::situations {

// Metadata of the pods of Job "train".
inline constexpr char kOwner[] =
    "owner_references { kind: 'Job' name: 'train' uid: 'J' controller: true } ";
inline constexpr char kRuns[] =
    "container_statuses { name: 'main' state { running { } } } ";
inline constexpr char kMarked[] =
    "conditions { type: 'DisruptionTarget' status: 'True' "
    "reason: 'EvictionByEvictionAPI' last_transition_time { seconds: ";

inline std::string Pod(const std::string& uid, const std::string& metadata,
                       const std::string& phase, const std::string& status) {
  return absl::StrCat("pods { metadata { name: '", uid, "' uid: '", uid, "' ",
                      metadata, "} spec { node_name: 'n' restart_policy: ",
                      "'Never' containers { name: 'main' } } status { phase: '",
                      phase, "' ", status, " } } ");
}

inline std::string Ended(int begin, int end, int code, const char* reason,
                         const char* message = "") {
  return absl::StrCat(
      "container_statuses { name: 'main' state { terminated { exit_code: ",
      code, " reason: '", reason, "' message: '", message,
      "' started_at { seconds: ", begin, " } finished_at { seconds: ", end,
      " } } } }");
}

inline std::string RunningFrom(int since) {
  return absl::StrCat(
      "container_statuses { name: 'main' state { running { started_at { "
      "seconds: ",
      since, " } } } }");
}

inline std::string Created(int at) {
  return absl::StrCat(kOwner, "creation_timestamp { seconds: ", at, " } ");
}

// The end of a container that a drain stopped.
inline std::string DrainedEnd(int begin, int end) {
  return absl::StrCat(kMarked, end, " } } ", Ended(begin, end, 143, "Error"));
}

inline std::string Drained(const std::string& uid, int begin, int end) {
  return Pod(uid, Created(begin), "Failed", DrainedEnd(begin, end));
}

// A condition that is True.
inline std::string Is(const char* type, int at,
                      const std::string& reason = "") {
  return absl::StrCat("conditions { type: '", type, "' status: 'True' ",
                      reason.empty() ? "" : "reason: '" + reason + "' ",
                      "last_transition_time { seconds: ", at, " } } ");
}

// Job "train".
inline std::string JobIn(const std::string& spec, const std::string& status) {
  return absl::StrCat("jobs { metadata { name: 'train' uid: 'J' } spec { ",
                      spec, " } status { ", status, " } } ");
}

inline std::string Job(int failed, const std::string& more = "") {
  return JobIn("parallelism: 1 completions: 1 " + more,
               absl::StrCat("failed: ", failed));
}

class DecideOnceTest : public ::testing::Test {
 protected:
  v1::DecideResponse DecideAt(const std::string& report, int now) {
    v1::DecideRequest request;
    *request.mutable_report() = testing::Parse<v1::FailureReport>(report);
    request.mutable_report()->mutable_observed_at()->set_seconds(now);
    if (ledger_.ByteSizeLong() > 0) *request.mutable_ledger() = ledger_;
    request.set_replaces_operator(replaces_operator_);
    request.mutable_limits()->insert(limits_.begin(), limits_.end());
    if (!spec_.empty()) {
      *request.mutable_inline_policy() = testing::Parse<v1::RetryPolicy>(
          absl::StrCat("api_version: 'mulligan.dev/v1' kind: 'RetryPolicy' "
                       "metadata { name: 'mine' } spec { ",
                       spec_, " }"));
    }
    v1::DecideResponse response;
    EXPECT_THAT(Decide(request, *policies_, {}, response), testing::IsOk())
        << report;
    ledger_ = response.ledger();
    return response;
  }

  std::map<std::string, int> Charged() const {
    std::map<std::string, int> charged;
    for (const auto& [name, use] : ledger_.budgets()) {
      if (use.used() > 0) charged[name] = use.used();
    }
    return charged;
  }

  bool replaces_operator_ = false;
  std::map<std::string, int> limits_;
  // The policy's spec in text format; empty: the default policy decides.
  std::string spec_;
  Issues issues_;
  const std::unique_ptr<const PolicySet> policies_ =
      LoadPolicies({EmbeddedPolicy()}, issues_);
  v1::BudgetLedger ledger_;
};

}  // namespace mulligan::situations

#endif  // MULLIGAN_TESTS_SITUATIONS_ONCE_FIXTURE_H_
