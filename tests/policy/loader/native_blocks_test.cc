// Native blocks pasted into policies: their translation, refusals, and settings
// that cannot be carried over, each with its position.
#include <memory>
#include <string>
#include <vector>

#include "absl/strings/str_cat.h"
#include "absl/strings/str_split.h"
#include "gmock/gmock.h"
#include "google/protobuf/text_format.h"
#include "gtest/gtest.h"
#include "policy/decide.h"
#include "policy/loader/load.h"

namespace mulligan {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::IsEmpty;
using ::testing::IsNull;
using ::testing::NotNull;

// A policy whose `pasted` block, from line 5 column 3 on, is `block`.
std::string PolicyWith(const std::string& block, const std::string& rest = "") {
  std::string text =
      "apiVersion: mulligan.dev/v1\nkind: RetryPolicy\n"
      "metadata: {name: pasted}\nspec:\n  pasted:\n";
  const std::vector<std::string> lines = absl::StrSplit(block, '\n');
  for (const std::string& line : lines) {
    absl::StrAppend(&text, line.empty() ? "" : "    ", line, "\n");
  }
  return text + rest;
}

struct Loaded {
  std::unique_ptr<const PolicySet> set;
  std::vector<std::string> issues;

  const CompiledPolicy& policy() const {
    return set->Find("pasted")->compiled();
  }
};

Loaded Load(const std::string& text) {
  Loaded loaded;
  Issues issues;
  loaded.set = LoadPolicies({{"p.yaml", text}}, issues);
  for (const Issue& issue : issues) {
    loaded.issues.push_back(FormatIssue(issue));
  }
  return loaded;
}

struct Paste {
  const char* name;
  const char* block;
  // One per issue, in order: position, severity and a part of the text.
  std::vector<const char*> issues;
};

void PrintTo(const Paste& paste, std::ostream* out) { *out << paste.name; }

class AcceptedTest : public ::testing::TestWithParam<Paste> {};
class RefusedTest : public ::testing::TestWithParam<Paste> {};

void ExpectIssues(const std::vector<std::string>& issues,
                  const std::vector<const char*>& expected) {
  ASSERT_EQ(issues.size(), expected.size()) << ::testing::PrintToString(issues);
  for (std::size_t i = 0; i < issues.size(); ++i) {
    // "7:5: warning: ... part ..." as "7:5: warning|part".
    const std::vector<std::string> parts = absl::StrSplit(expected[i], '|');
    EXPECT_THAT(issues[i], ::testing::StartsWith("p.yaml:" + parts[0] + ": "));
    EXPECT_THAT(issues[i], HasSubstr(parts[1]));
  }
}

TEST_P(AcceptedTest, AndReportsWhatIsNotCarriedOver) {
  const Loaded loaded = Load(PolicyWith(GetParam().block));
  ExpectIssues(loaded.issues, GetParam().issues);
  EXPECT_THAT(loaded.set, NotNull());
}

TEST_P(RefusedTest, AtTheFieldsThatBreakTheOperatorsLimits) {
  const Loaded loaded = Load(PolicyWith(GetParam().block));
  ExpectIssues(loaded.issues, GetParam().issues);
  EXPECT_THAT(loaded.set, IsNull());
}

const Paste kAccepted[] = {
    {"JobLimit", "job: {backoffLimit: 4}", {}},
    {"JobWithTemplate",
     "job:\n  backoffLimit: 4\n  parallelism: 2\n  template:\n    spec:\n"
     "      restartPolicy: Never\n      containers:\n"
     "      - {name: main, image: x, resources: {limits: {cpu: 1}}, tty: true}",
     {}},
    {"JobIgnore",
     "job:\n  podFailurePolicy:\n    rules:\n    - action: Ignore\n"
     "      onPodConditions: [{type: DisruptionTarget}]",
     {"9:19: warning|ends it after 10000"}},
    {"JobIndexes",
     "job:\n  backoffLimitPerIndex: 1\n  maxFailedIndexes: 5\n"
     "  completionMode: Indexed\n  completions: 10\n"
     "  activeDeadlineSeconds: 60",
     {"6:5: warning|tolerates failures without bound",
      "7:29: warning|not carried over: a ledger has no budget per index",
      "8:25: warning|not carried over: a ledger has no budget per index",
      "11:30: warning|not carried over: a policy has no deadline"}},
    {"JobOfANewerVersion",
     "job:\n  backoffLimit: 1\n  retryBudget: 5\n  backofLimit: 2\n"
     "  successPolicy: null",
     {"8:7: warning|\"retryBudget\" is not understood",
      "9:7: warning|did you mean \"backoffLimit\""}},
    {"JobSetRules",
     "jobSet:\n  failurePolicy:\n    maxRestarts: 3\n    rules:\n"
     "    - {action: FailJobSet, onJobFailureReasons: [PodFailurePolicy]}\n"
     "    - {action: RestartJobSet, targetReplicatedJobs: [w]}\n"
     "    - action: RestartJobSetAndIgnoreMaxRestarts",
     {"11:35: warning|not carried over: rules do not distinguish",
      "12:19: warning|ends it after 10000"}},
    {"RayJob",
     "rayJob:\n  backoffLimit: 2\n  activeDeadlineSeconds: 60\n"
     "  rayClusterSpec:\n    headGroupSpec:\n      anything: 1\n"
     "      template: {spec: {containers: [{name: ray-head}]}}",
     {"8:30: warning|not carried over: a policy has no deadline"}},
    {"PyTorchJob",
     "kubeflowJob:\n  runPolicy: {backoffLimit: 3}\n"
     "  pytorchReplicaSpecs:\n    Master: {restartPolicy: ExitCode}\n"
     "    Worker: {restartPolicy: OnFailure}",
     {"10:33: warning|the strictest policy, ExitCode"}},
    {"UnknownRestartPolicy",
     "kubeflowJob:\n  tfReplicaSpecs:\n    PS: {restartPolicy: Sometimes}",
     {"8:29: warning|acts like Never"}},
    {"Flyte",
     "flyte: {retries: 3, interruptible: true}",
     {"6:5: warning|not carried over: whom Flyte blames"}},
    {"Kueue",
     "kueue:\n  timeout: 5m\n  requeuingStrategy: {timestamp: Creation, "
     "backoffLimitCount: 5}\njob: {backoffLimit: 4}",
     {"7:16: warning|up to Kueue", "8:38: warning|up to Kueue"}},
};

INSTANTIATE_TEST_SUITE_P(All, AcceptedTest, ::testing::ValuesIn(kAccepted),
                         [](const auto& test) {
                           return std::string(test.param.name);
                         });

const Paste kRefused[] = {
    {"NegativeLimit",
     "job: {backoffLimit: -1}",
     {"6:25: error|must be greater than or equal to 0"}},
    {"UnknownAction",
     "job:\n  podFailurePolicy:\n    rules:\n    - action: Ignore\n"
     "      onExitCodes: {operator: In, values: [1]}\n"
     "    - action: Count\n      onExitCodes: {operator: In, values: [0]}",
     {"9:19: warning|ends it after 10000",
      "12:48: error|must not be 0 for the In operator"}},
    {"BothKindsOfCondition",
     "job:\n  podFailurePolicy:\n    rules:\n    - action: Count\n"
     "      onExitCodes: {operator: In, values: [1]}\n"
     "      onPodConditions: [{type: X}]",
     {"9:11: error|both OnExitCodes and OnPodConditions is not supported"}},
    {"RuleOfAJobSet",
     "jobSet:\n  failurePolicy:\n    rules:\n"
     "    - {action: FailJobSet, onJobFailureReasons: [Nonsense]}",
     {"9:54: error|Nonsense"}},
    {"RestartPolicyOfReplicas",
     "kubeflowJob:\n  pytorchReplicaSpecs:\n    Boss: {restartPolicy: Never}",
     {"8:9: error|Boss"}},
    {"NegativeLimitOfARayJob",
     "rayJob: {backoffLimit: -2}",
     {"6:28: error|backoffLimit"}},
    {"NoReplicas", "kubeflowJob: {}", {"6:5: error|no replicas are given"}},
    {"NegativeRetries",
     "flyte: {retries: -1}",
     {"6:5: warning|whom Flyte blames", "6:22: error|greater than or equal"}},
    {"TimestampOfKueue",
     "kueue:\n  requeuingStrategy: {timestamp: Now, backoffLimitCount: 1}\n"
     "job: {backoffLimit: 1}",
     {"7:38: error|Unsupported value: \"Now\""}},
    {"TwoBlocks",
     "job: {backoffLimit: 1}\nrayJob: {backoffLimit: 1}",
     {"6:5: error|another pasted block"}},
    {"WrongType", "job: {backoffLimit: many}", {"6:25: error|whole number"}},
};

TEST(PastedTest, IsNotUsedWhenTheOperatorDecides) {
  const Loaded loaded = Load(
      PolicyWith("job: {backoffLimit: 1}", "  native: {useOwnSpec: true}\n"));
  ExpectIssues(loaded.issues, {"5:3: error|no say with native.useOwnSpec"});
  EXPECT_THAT(loaded.set, IsNull());
}

INSTANTIATE_TEST_SUITE_P(All, RefusedTest, ::testing::ValuesIn(kRefused),
                         [](const auto& test) {
                           return std::string(test.param.name);
                         });

TEST(PastedBlockTest, DefaultsAndBudgetsOfItsNameCollide) {
  const Loaded loaded =
      Load(PolicyWith("job: {backoffLimit: 1}",
                      "  budgets: {backoff-limit: {limit: 2}}\n"
                      "  default: {action: RETRY, budget: backoff-limit}\n"));
  EXPECT_THAT(loaded.issues,
              ElementsAre(HasSubstr("budget \"backoff-limit\" comes from"),
                          HasSubstr("remove the default")));
}

TEST(PastedBlockTest, OwnRulesComeFirst) {
  const Loaded loaded = Load(PolicyWith(
      "job:\n  podFailurePolicy:\n    rules:\n    - action: FailJob\n"
      "      onExitCodes: {operator: In, values: [2]}",
      "  rules:\n  - name: mine\n    when: {causes: [CONTAINER_OOM]}\n"
      "    then: {action: FAIL}\n"));
  ASSERT_THAT(loaded.issues, IsEmpty());
  const auto& rules = loaded.policy().rules;
  ASSERT_EQ(rules.size(), 2u);
  EXPECT_EQ(rules[0].reference.rule(), "mine");
  EXPECT_EQ(rules[1].reference.rule(), "pod-failure-policy-0");
  EXPECT_EQ(rules[1].reference.line(), 9);
}

// The pod of a Job that ended with `exit_code` as attempt `attempt`.
v1::DecideRequest FailedPod(int exit_code, int attempt) {
  v1::DecideRequest request;
  v1::FailureReport& report = *request.mutable_report();
  report.mutable_observed_at()->set_seconds(1000000 + attempt);
  report.set_attempt(attempt);
  report.mutable_workload()->set_kind("Job");
  report.mutable_workload()->set_uid("u");
  auto& pod = *report.add_pods();
  pod.mutable_metadata()->set_uid(absl::StrCat("p", attempt));
  pod.mutable_status()->set_phase("Failed");
  auto& container = *pod.mutable_status()->add_container_statuses();
  container.set_name("main");
  container.mutable_state()->mutable_terminated()->set_exit_code(exit_code);
  return request;
}

TEST(PastedBlockTest, AJobIsRetriedAsOftenAsItsBackoffLimitSays) {
  const Loaded loaded = Load(
      PolicyWith("job:\n  backoffLimit: 2\n  podFailurePolicy:\n    rules:\n"
                 "    - action: FailJob\n"
                 "      onExitCodes: {operator: In, values: [42]}"));
  ASSERT_THAT(loaded.issues, IsEmpty());
  v1::BudgetLedger ledger;
  const std::vector<int> kDelays = {10, 20};
  for (int attempt = 1; attempt <= 3; ++attempt) {
    v1::DecideRequest request = FailedPod(1, attempt);
    *request.mutable_ledger() = ledger;
    v1::DecideResponse response;
    ASSERT_TRUE(Decide(request, *loaded.set, {}, response).ok());
    ledger = response.ledger();
    if (attempt == 3) {
      EXPECT_EQ(response.decision().action(), v1::Decision::FAIL);
      EXPECT_EQ(response.decision().scope(), v1::Decision::JOB);
      EXPECT_EQ(response.accounting().exhaustion().budget(), "backoff-limit");
      break;
    }
    EXPECT_EQ(response.decision().action(), v1::Decision::RETRY);
    EXPECT_EQ(response.decision().retry_after().seconds(),
              kDelays[static_cast<std::size_t>(attempt - 1)]);
  }
  v1::DecideResponse response;
  ASSERT_TRUE(Decide(FailedPod(42, 1), *loaded.set, {}, response).ok());
  EXPECT_EQ(response.decision().action(), v1::Decision::FAIL);
  EXPECT_EQ(response.explanation().matched_rule().line(), 10);
}

// The same rules as a pasted block and in the spec of the reported Job.
constexpr char kRulesBlock[] =
    "job:\n  backoffLimit: 6\n  podFailurePolicy:\n    rules:\n"
    "    - action: FailJob\n"
    "      onExitCodes: {operator: In, values: [42]}\n"
    "    - action: Ignore\n"
    "      onPodConditions: [{type: DisruptionTarget}]\n"
    "    - action: FailJob\n"
    "      onExitCodes: {operator: NotIn, values: [1, 137, 143]}";
constexpr char kRulesSpec[] = R"pb(
  backoff_limit: 6
  completions: 1
  parallelism: 1
  pod_failure_policy {
    rules {
      action: "FailJob"
      on_exit_codes { operator: "In" values: 42 }
    }
    rules {
      action: "Ignore"
      on_pod_conditions { type: "DisruptionTarget" status: "True" }
    }
    rules {
      action: "FailJob"
      on_exit_codes {
        operator: "NotIn"
        values: [ 1, 137, 143 ]
      }
    }
  }
)pb";

TEST(PastedBlockTest, DecidesTheFirstFailureAsTheOperatorDoes) {
  const Loaded loaded = Load(PolicyWith(kRulesBlock));
  ASSERT_THAT(loaded.set, NotNull());
  kubernetes::batch::v1::JobSpec spec;
  ASSERT_TRUE(google::protobuf::TextFormat::ParseFromString(kRulesSpec, &spec));
  for (const int exit_code : {1, 2, 42, 137, 143, 255}) {
    for (const bool disrupted : {false, true}) {
      SCOPED_TRACE(absl::StrCat(exit_code, disrupted ? " disrupted" : ""));
      v1::DecideRequest request = FailedPod(exit_code, 1);
      request.set_compare_native(true);
      request.set_replaces_operator(true);
      request.set_policy("pasted");
      v1::FailureReport& report = *request.mutable_report();
      *report.add_jobs()->mutable_spec() = spec;
      auto& pod = *report.mutable_pods(0);
      pod.mutable_metadata()->add_finalizers(
          "batch.kubernetes.io/job-tracking");
      auto& end = *pod.mutable_status()
                       ->mutable_container_statuses(0)
                       ->mutable_state()
                       ->mutable_terminated();
      end.mutable_finished_at()->set_seconds(1000000);
      if (disrupted) {
        auto& condition = *pod.mutable_status()->add_conditions();
        condition.set_type("DisruptionTarget");
        condition.set_status("True");
      }
      v1::DecideResponse response;
      ASSERT_TRUE(Decide(request, *loaded.set, {}, response).ok());
      EXPECT_EQ(response.decision().action(), response.native().action())
          << response.native().difference();
      EXPECT_EQ(response.decision().scope(), response.native().scope())
          << response.native().difference();
    }
  }
}

}  // namespace
}  // namespace mulligan
