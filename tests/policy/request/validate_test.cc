#include "policy/request/validate.h"

#include <functional>
#include <limits>
#include <string>

#include "absl/strings/str_cat.h"
#include "gmock/gmock.h"
#include "gtest/gtest.h"
#include "policy/base/counts.h"
#include "policy/limits.h"
#include "policy/request/refusal.h"
#include "tests/policy/fixtures.h"

namespace mulligan {
namespace {

using ::testing::ElementsAre;
using ::testing::IsEmpty;
using testing::Parse;

std::vector<std::string> FieldsOf(const v1::DecideRequest& request) {
  std::vector<std::string> fields;
  for (const FieldViolation& violation :
       Validate(request, Owners(request.report()))) {
    EXPECT_FALSE(violation.description.empty());
    fields.push_back(violation.field);
  }
  return fields;
}

v1::DecideRequest Valid() {
  return Parse<v1::DecideRequest>("report { exit { exit_code: 1 } }");
}

// A bound: at(n) makes a request with n of it.
struct Bound {
  const char* name;
  std::int64_t most;
  void (*set)(v1::DecideRequest&, std::int64_t);
  const char* field;
};

template <typename Field>
void Resize(Field& field, std::int64_t count) {
  field.Reserve(static_cast<int>(count));
  while (field.size() < count) {
    auto* added = field.Add();
    // An empty object is refused for another reason.
    if constexpr (requires { added->mutable_metadata(); }) {
      added->mutable_metadata()->set_name("a");
    }
    if constexpr (requires { added->mutable_involved_object(); }) {
      added->set_reason("a");
    }
  }
}

std::string Letters(std::int64_t count) {
  return std::string(static_cast<std::size_t>(count), 'x');
}

v1::AttemptRecord& Record(v1::DecideRequest& request) {
  auto& ledger = *request.mutable_ledger();
  auto& record = ledger.history().empty() ? *ledger.add_history()
                                          : *ledger.mutable_history(0);
  record.set_failure_id("f");
  record.set_attempt(1);
  return record;
}

const Bound kBounds[] = {
    {"Pods", kMaxPods,
     [](auto& r, auto n) { Resize(*r.mutable_report()->mutable_pods(), n); },
     "report.pods"},
    {"OmittedPods", kMaxOmittedPods,
     [](auto& r, auto n) {
       r.mutable_report()->mutable_omitted_pods()->set_running(
           static_cast<std::int32_t>(n));
     },
     "report.omittedPods.running"},
    {"Jobs", kMaxJobs,
     [](auto& r, auto n) { Resize(*r.mutable_report()->mutable_jobs(), n); },
     "report.jobs"},
    {"Nodes", kMaxNodes,
     [](auto& r, auto n) { Resize(*r.mutable_report()->mutable_nodes(), n); },
     "report.nodes"},
    {"Events", kMaxEvents,
     [](auto& r, auto n) { Resize(*r.mutable_report()->mutable_events(), n); },
     "report.events"},
    {"Usage", kMaxUsage,
     [](auto& r, auto n) { Resize(*r.mutable_report()->mutable_usage(), n); },
     "report.usage"},
    {"Containers", kMaxContainersPerPod,
     [](auto& r, auto n) {
       Resize(*r.mutable_report()
                   ->add_pods()
                   ->mutable_status()
                   ->mutable_container_statuses(),
              n);
     },
     "report.pods[0].status.containerStatuses"},
    {"Conditions", kMaxConditionsPerObject,
     [](auto& r, auto n) {
       Resize(*r.mutable_report()
                   ->mutable_job_set()
                   ->mutable_status()
                   ->mutable_conditions(),
              n);
     },
     "report.jobSet.status.conditions"},
    {"Labels", kMaxLabels,
     [](auto& r, auto n) {
       auto& labels = *r.mutable_report()->mutable_workload()->mutable_labels();
       for (std::int64_t i = 0; i < n; ++i) labels[absl::StrCat(i)] = "";
     },
     "report.workload.labels"},
    {"FailureId", kMaxIdBytes,
     [](auto& r, auto n) { r.mutable_report()->set_failure_id(Letters(n)); },
     "report.failureId"},
    {"RequestId", kMaxIdBytes,
     [](auto& r, auto n) { r.set_request_id(Letters(n)); }, "requestId"},
    {"PolicyName", kMaxNameBytes,
     [](auto& r, auto n) { r.set_policy(Letters(n)); }, "policy"},
    {"Name", kMaxNameBytes,
     [](auto& r, auto n) {
       r.mutable_report()->add_pods()->mutable_metadata()->set_name(Letters(n));
     },
     "report.pods[0].metadata.name"},
    {"WorkloadUid", kMaxLedgerUidBytes,
     [](auto& r, auto n) {
       r.mutable_report()->mutable_workload()->set_uid(Letters(n));
     },
     "report.workload.uid"},
    {"TerminationMessage", kMaxTextBytes,
     [](auto& r, auto n) {
       r.mutable_report()
           ->add_pods()
           ->mutable_status()
           ->add_container_statuses()
           ->mutable_last_state()
           ->mutable_terminated()
           ->set_message(Letters(n));
     },
     "report.pods[0].status.containerStatuses[0].lastState.terminated."
     "message"},
    {"EventMessage", kMaxTextBytes,
     [](auto& r, auto n) {
       r.mutable_report()->add_events()->set_message(Letters(n));
     },
     "report.events[0].message"},
    {"JobSetPatterns", kMaxJobSetPatterns,
     [](auto& r, auto n) {
       Resize(*r.mutable_report()
                   ->mutable_job_set()
                   ->mutable_spec()
                   ->mutable_failure_policy()
                   ->add_rules()
                   ->mutable_on_job_failure_message_patterns(),
              n);
     },
     "report.jobSet.spec.failurePolicy"},
    {"HttpCode", 599,
     [](auto& r, auto n) {
       r.mutable_report()->mutable_creation_error()->set_http_code(
           static_cast<int>(n));
     },
     "report.creationError.httpCode"},
    {"LedgerHistory", kMaxHistory,
     [](auto& r, auto n) {
       for (std::int64_t i = 0; i < n; ++i) {
         auto& record = *r.mutable_ledger()->add_history();
         record.set_failure_id(absl::StrCat(i));
         record.set_attempt(1);
       }
     },
     "ledger.history"},
    {"LedgerBudgets", kMaxLedgerBudgets,
     [](auto& r, auto n) {
       for (std::int64_t i = 0; i < n; ++i) {
         (*r.mutable_ledger()->mutable_budgets())[absl::StrCat("b", i)];
       }
     },
     "ledger.budgets"},
    {"LedgerUse", kMaxLedgerCount,
     [](auto& r, auto n) {
       (*r.mutable_ledger()->mutable_budgets())["b"].set_used(CountOf(n));
     },
     "ledger.budgets.b.used"},
    {"LedgerNode", kMaxLedgerNodeBytes,
     [](auto& r, auto n) { Record(r).set_node(Letters(n)); },
     "ledger.history[0].node"},
    {"LedgerFingerprint", kMaxFingerprintBytes,
     [](auto& r, auto n) { Record(r).set_fingerprint(Letters(n)); },
     "ledger.history[0].fingerprint"},
    {"ProgressArtifact", kMaxArtifactBytes,
     [](auto& r, auto n) {
       r.mutable_report()->mutable_progress()->set_artifact(Letters(n));
     },
     "report.progress.artifact"},
    {"LedgerArtifact", kMaxArtifactBytes,
     [](auto& r, auto n) { Record(r).set_artifact(Letters(n)); },
     "ledger.history[0].artifact"},
    {"LedgerNativeCount", kMaxLedgerCount,
     [](auto& r, auto n) { r.mutable_ledger()->set_native_count(CountOf(n)); },
     "ledger.nativeCount"},
    {"RecentWindows", kMaxRecentWindows,
     [](auto& r, auto n) {
       while (r.recent_size() < n) {
         r.add_recent()->mutable_window()->set_seconds(1);
       }
     },
     "recent"},
    {"RecentWindow", kMaxRecentSeconds,
     [](auto& r, auto n) { r.add_recent()->mutable_window()->set_seconds(n); },
     "recent[0].window"},
    {"RecentGroups", kMaxFailureGroups,
     [](auto& r, auto n) {
       auto& recent = *r.add_recent();
       recent.mutable_window()->set_seconds(1);
       recent.set_failed(CountOf(n));
       while (recent.groups_size() < n) recent.add_groups()->set_workloads(1);
     },
     "recent[0].groups"},
    {"RecentRunning", kMaxRecentCount,
     [](auto& r, auto n) {
       auto& recent = *r.add_recent();
       recent.mutable_window()->set_seconds(1);
       recent.set_running(CountOf(n));
     },
     "recent[0].running"},
};

class BoundTest : public ::testing::TestWithParam<Bound> {};

TEST_P(BoundTest, HoldsAtTheBound) {
  v1::DecideRequest request = Valid();
  GetParam().set(request, GetParam().most);
  EXPECT_THAT(FieldsOf(request), IsEmpty());
}

TEST_P(BoundTest, IsExceededOnePastIt) {
  v1::DecideRequest request = Valid();
  GetParam().set(request, GetParam().most + 1);
  EXPECT_THAT(FieldsOf(request), ElementsAre(GetParam().field));
}

INSTANTIATE_TEST_SUITE_P(Validate, BoundTest, ::testing::ValuesIn(kBounds),
                         [](const auto& row) { return row.param.name; });

struct Bad {
  const char* name;
  const char* request;
  const char* field;
};

class ViolationTest : public ::testing::TestWithParam<Bad> {};

TEST_P(ViolationTest, IsNamed) {
  EXPECT_THAT(FieldsOf(Parse<v1::DecideRequest>(GetParam().request)),
              ElementsAre(GetParam().field));
}

const Bad kBad[] = {
    {"NoReport", "", "report"},
    {"EmptyReport", "report {}", "report"},
    {"AttemptZero", "report { exit {} attempt: 0 }", "report.attempt"},
    {"AttemptNegative", "report { exit {} attempt: -2147483648 }",
     "report.attempt"},
    {"TimeBeforeYearOne",
     "report { exit {} observed_at { seconds: -62135596801 } }",
     "report.observedAt"},
    {"TimeAfterYear9999",
     "report { exit {} observed_at { seconds: 253402300800 } }",
     "report.observedAt"},
    {"NegativeNanos", "report { exit {} observed_at { nanos: -1 } }",
     "report.observedAt"},
    {"PodTime",
     "report { pods { metadata { deletion_timestamp { seconds: "
     "9223372036854775807 } } } }",
     "report.pods[0].metadata.deletionTimestamp"},
    {"PodsOfTwoNamespaces",
     "report { pods { metadata { name: 'p' } } pods { metadata { name: 'p' "
     "namespace: 'a' } } pods { metadata { name: 'p' namespace: 'b' } } pods { "
     "metadata { name: 'p' namespace: 'c' } } }",
     "report.pods[2].metadata.namespace"},
    {"ProgressNaN", "report { exit {} progress { value: nan } }",
     "report.progress.value"},
    {"ProgressInfinite", "report { exit {} progress { value: -inf } }",
     "report.progress.value"},
    {"NegativeHealth",
     "report { exit {} progress { healthy_for { seconds: -1 } } }",
     "report.progress.healthyFor"},
    {"NegativeMemory", "report { exit {} usage { memory_peak_bytes: -1 } }",
     "report.usage[0].memoryPeakBytes"},
    {"HttpCodeTooSmall", "report { creation_error { http_code: 99 } }",
     "report.creationError.httpCode"},
    {"NegativeUse",
     "report { exit {} } ledger { budgets { key: 'a' value { used: -1 } } }",
     "ledger.budgets.a.used"},
    {"AbsurdUse",
     "report { exit {} } ledger { budgets { key: 'a' value { used: "
     "2147483647 } } }",
     "ledger.budgets.a.used"},
    {"NegativeAttempts", "report { exit {} } ledger { attempts_seen: -1 }",
     "ledger.attemptsSeen"},
    {"NegativeDropped", "report { exit {} } ledger { history_dropped: -1 }",
     "ledger.historyDropped"},
    {"BudgetName",
     "report { exit {} } ledger { budgets { key: 'No Name' value {} } }",
     "ledger.budgets"},
    {"RecordWithoutId", "report { exit {} } ledger { history { attempt: 1 } }",
     "ledger.history[0].failureId"},
    {"RecordWithoutAttempt",
     "report { exit {} } ledger { history { failure_id: 'f' } }",
     "ledger.history[0].attempt"},
    {"RecordProgress",
     "report { exit {} } ledger { history { failure_id: 'f' attempt: 1 "
     "progress: inf } }",
     "ledger.history[0].progress"},
    {"RecentWithoutWindow", "report { exit {} } recent {}", "recent[0].window"},
    {"RecentOfNoTime", "report { exit {} } recent { window {} }",
     "recent[0].window"},
    {"RecentNegative",
     "report { exit {} } recent { window { seconds: 1 } failed: -1 }",
     "recent[0].failed"},
    {"RecentNegativeCanaries",
     "report { exit {} } recent { window { seconds: 1 } canaries: -1 }",
     "recent[0].canaries"},
    {"RecentGroupOfNoWorkload",
     "report { exit {} } recent { window { seconds: 1 } groups {} }",
     "recent[0].groups[0].workloads"},
    {"RecentFewerThanItsGroups",
     "report { exit {} } recent { window { seconds: 1 } } recent { window { "
     "seconds: 1 } failed: 2 groups { workloads: 2 } groups { workloads: 1 } }",
     "recent[1].failed"},
    {"OmittedPodsNegative", "report { exit {} omitted_pods { failed: -1 } }",
     "report.omittedPods.failed"},
    {"RecentUsualNegative",
     "report { exit {} } recent { window { seconds: 1 } failed: 1 groups { "
     "workloads: 1 usual: -0.5 } }",
     "recent[0].groups[0].usual"},
};

INSTANTIATE_TEST_SUITE_P(Validate, ViolationTest, ::testing::ValuesIn(kBad),
                         [](const auto& row) { return row.param.name; });

TEST(ValidateTest, NamesAllViolationsAtOnceInOrder) {
  EXPECT_THAT(FieldsOf(Parse<v1::DecideRequest>(
                  "report { attempt: -1 progress { value: nan } } ledger { "
                  "attempts_seen: -1 budgets { key: 'd' value { used: -1 } } "
                  "budgets { key: 'b' value { used: -1 } } "
                  "budgets { key: 'a' value { used: -1 } } "
                  "budgets { key: 'c' value { used: -1 } } }")),
              ElementsAre("report", "report.attempt", "report.progress.value",
                          "ledger.attemptsSeen", "ledger.budgets.a.used",
                          "ledger.budgets.b.used", "ledger.budgets.c.used",
                          "ledger.budgets.d.used"));
}

TEST(ValidateTest, AcceptsEveryExitCodeAndUnknownEnums) {
  v1::DecideRequest request = Valid();
  request.mutable_report()->mutable_exit()->set_exit_code(
      std::numeric_limits<std::int32_t>::min());
  request.set_explain(static_cast<v1::DecideRequest::Explain>(99));
  request.mutable_report()->mutable_creation_error()->set_phase(
      static_cast<v1::CreationError::Phase>(99));
  EXPECT_THAT(FieldsOf(request), IsEmpty());
}

TEST(ValidateTest, OneMistakeInEveryPodIsReportedABoundedNumberOfTimes) {
  v1::DecideRequest request;
  for (int i = 0; i < kMaxPods; ++i) {
    request.mutable_report()->add_pods()->mutable_metadata()->set_name(
        std::string(kMaxNameBytes + 1, 'x'));
  }
  EXPECT_EQ(Validate(request, Owners(request.report())).size(), 100);
}

TEST(ValidateTest, RefusesTheRestOfAListAsAnObject) {
  // grpcurl drops the fields it does not know: kind and items.
  const auto hollow = Parse<v1::DecideRequest>(
      "report { pods { metadata { resource_version: '' } } jobs { } nodes { } "
      "events { metadata { } } }");
  EXPECT_THAT(FieldsOf(hollow),
              ElementsAre("report.pods[0]", "report.jobs[0]", "report.nodes[0]",
                          "report.events[0]"));
  EXPECT_THAT(
      FieldsOf(Parse<v1::DecideRequest>(
          "report { pods { status { } } pods { metadata { name: 'a' } } "
          "jobs { spec { } } events { message: 'a' } }")),
      IsEmpty());
}

}  // namespace
}  // namespace mulligan
