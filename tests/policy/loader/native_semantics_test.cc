// native.semantics of a policy: unknown names are refused and ignored values
// are reported, each with its position.
#include <ostream>
#include <string>
#include <vector>

#include "absl/strings/str_cat.h"
#include "gmock/gmock.h"
#include "gtest/gtest.h"
#include "policy/loader/load.h"

namespace mulligan {
namespace {

using ::testing::AllOf;
using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::IsEmpty;
using ::testing::StartsWith;

// Messages about a policy whose semantics, on line 6, are `semantics`.
std::vector<std::string> MessagesFor(const std::string& semantics) {
  const std::string text = absl::StrCat(
      "apiVersion: mulligan.dev/v1\nkind: RetryPolicy\n"
      "metadata: {name: native-2}\nspec:\n  native:\n    semantics: ",
      semantics, "\n    useOwnSpec: true\n");
  Issues issues;
  LoadPolicies({{"p.yaml", text}}, issues);
  std::vector<std::string> messages;
  for (const Issue& issue : issues) messages.push_back(FormatIssue(issue));
  return messages;
}

struct SemanticsCase {
  const char* name;
  const char* semantics;
  const char* severity;
  const char* part;
};

void PrintTo(const SemanticsCase& test, std::ostream* out) {
  *out << test.name;
}

class SemanticsTest : public ::testing::TestWithParam<SemanticsCase> {};

TEST_P(SemanticsTest, IsReportedAtItsPlace) {
  EXPECT_THAT(
      MessagesFor(GetParam().semantics),
      ElementsAre(AllOf(StartsWith("p.yaml:6:"),
                        HasSubstr(absl::StrCat(GetParam().severity, ":")),
                        HasSubstr(GetParam().part))));
}

const SemanticsCase kNativeSemanticsCases[] = {
    {"Operator", "{operator: slurm}", "error",
     "\"slurm\" is no operator whose semantics are known, expected one of "
     "kueue"},
    {"VersionOfAnUnknownOperator", "{versions: {rayjob: '1.4'}}", "error",
     "\"rayjob\" is no operator whose versions are known, expected one of "
     "flyte, jobset, kubeflow, kuberay, kubernetes, kueue, spark, "
     "trainer"},
    {"SettingOfAnUnknownOperator", "{settings: {kueu.timeout: 5m}}", "error",
     "expected OPERATOR.NAME with one of flyte, kubeflow, kuberay, kueue, "
     "spark"},
    {"SettingWithoutAName", "{settings: {kueue: 5m}}", "error",
     "\"kueue\" is no setting"},
    {"SettingOfAnOperatorWithoutSettings", "{settings: {jobset.x: 5m}}",
     "error", "\"jobset.x\" is no setting"},
    {"UnknownGate", "{featureGates: {RestartJobs: true}}", "warning",
     "\"RestartJobs\" is no feature gate known"},
    {"GateOfFlyte", "{featureGates: {flyte.pull-1: true}}", "warning",
     "\"flyte.pull-1\" is no feature gate known"},
    {"NewerJobSet", "{versions: {jobset: '0.99'}}", "warning",
     "newer than what is known"},
    {"NoReleaseOfKubernetes", "{versions: {kubernetes: latest}}", "warning",
     "'latest' is no release"},
    {"NewerKubeRay", "{versions: {kuberay: '1.99'}}", "warning",
     "newer than what is known"},
    {"NewerTrainer", "{versions: {trainer: '2.99'}}", "warning",
     "neither kep-2170 nor a release"},
    {"NewerTrainingOperator", "{versions: {kubeflow: '1.99'}}", "warning",
     "no release from 1.8 to 1.9"},
    {"NewerFlyte", "{versions: {flyte: '2.99'}}", "warning",
     "newer than what is known"},
    {"NewerKueue", "{versions: {kueue: '0.99'}}", "warning",
     "newer than what is known"},
    {"ValueOfKueue", "{settings: {kueue.waitForPodsReady.timeout: soon}}",
     "warning", "'soon' is not a duration"},
    {"ValueOfFlyte", "{settings: {flyte.retries: many}}", "warning",
     "'many' is not a whole number"},
    {"ValueOfTrainingOperator", "{settings: {kubeflow.requeues: '-1'}}",
     "warning", "'-1' is no number"},
    {"VariableOfKubeRay", "{settings: {kuberay.HOME: x}}", "warning",
     "no variable of the operator"},
};

INSTANTIATE_TEST_SUITE_P(All, SemanticsTest,
                         ::testing::ValuesIn(kNativeSemanticsCases),
                         [](const auto& test_info) {
                           return test_info.param.name;
                         });

TEST(SemanticsCheckTest, AcceptsNamesThatEveryOperatorReads) {
  EXPECT_THAT(
      MessagesFor(
          "{versions: {flyte: v2, jobset: '0.11', kubeflow: '1.8', "
          "kuberay: '1.4', kubernetes: '1.30', kueue: '0.18', trainer: "
          "kep-2170}, featureGates: {RestartJob: true, flyte.gpu-faults: "
          "true, JobManagedBy: false, SidecarSubmitterRestart: true, "
          "TASReplaceNodeOnNodeTaints: false}, settings: "
          "{kueue.waitForPodsReady.timeout: 5m, flyte.retries: '3', "
          "kubeflow.requeues: '2', "
          "kuberay.ENABLE_RANDOM_POD_DELETE: 'true'}}"),
      IsEmpty());
}

TEST(SemanticsCheckTest, AllProblemsAreReportedAtOnce) {
  EXPECT_EQ(MessagesFor("{operator: x, versions: {y: '1', jobset: z}, "
                        "featureGates: {g: true}, settings: {s: t}}")
                .size(),
            5);
}

}  // namespace
}  // namespace mulligan
