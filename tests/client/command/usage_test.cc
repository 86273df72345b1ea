// Errors of the command line, help and version.
#include <string>
#include <utility>
#include <vector>

#include "gmock/gmock.h"
#include "gtest/gtest.h"
#include "tests/client/command/run_command.h"
#include "tests/client/command/samples.h"

namespace mulligan::testing {
namespace {

using ::testing::AllOf;
using ::testing::HasSubstr;
using ::testing::IsEmpty;
using ::testing::StartsWith;

struct Usage {
  const char* name;
  std::vector<std::string> arguments;
  // Part of the one line on standard error.
  const char* message;
  std::string input = "";
  int code = 2;
};

class UsageErrorTest : public ::testing::TestWithParam<Usage> {};

TEST_P(UsageErrorTest, IsOneLineThatNamesTheMistake) {
  const CommandResult result =
      RunMulligan(GetParam().arguments, GetParam().input);
  EXPECT_EQ(result.code, GetParam().code);
  EXPECT_THAT(result.out, IsEmpty());
  EXPECT_THAT(result.err,
              AllOf(StartsWith("mulligan: "), HasSubstr(GetParam().message)));
  EXPECT_EQ(result.err.find('\n'), result.err.size() - 1) << result.err;
}

INSTANTIATE_TEST_SUITE_P(
    All, UsageErrorTest,
    ::testing::Values(
        Usage{"NoCommand",
              {},
              "a command is missing after mulligan, expected one of explain, "
              "decide, policy"},
        Usage{"UnknownSubcommand",
              {"policy", "chekc", "x.yaml"},
              "\"chekc\" is not a command of mulligan policy, expected one of "
              "check, show, schema, test, diff, import; did you mean check?"},
        Usage{"MisspeltOption",
              {"--verison"},
              "\"--verison\" is not an option of mulligan; did you mean "
              "--version?"},
        Usage{"MisspeltOptionOfACommand",
              {"explain", "--observd-at=now", "-"},
              "\"--observd-at\" is not an option of mulligan explain; did you "
              "mean "
              "--observed-at?"},
        Usage{"NoSubcommand",
              {"policy"},
              "a command is missing after mulligan policy, expected one of "
              "check, show"},
        Usage{
            "HelpForUnknownCommand",
            {"help", "nosuch"},
            "\"nosuch\" is not a command of mulligan, expected one of explain"},
        Usage{"DescribeText",
              {"explain", "-"},
              "<stdin>: is output of `kubectl describe` for people, expected "
              "objects: use `kubectl get ... -o yaml` or `-o json`",
              "Name:         a\nNamespace:    ml\nStatus: Failed\n"},
        Usage{"GetText",
              {"explain", "-"},
              "<stdin>: is output of `kubectl get` for people",
              "NAME   READY   STATUS\na  0/1  Error\n"},
        Usage{"GetTextWithoutHeaders",
              {"explain", "-"},
              "<stdin>: is output of `kubectl get` for people",
              "ml   train-0   0/1   Error   2 (5m ago)   7m\n"},
        Usage{"EventsOfADescription",
              {"explain", "-"},
              "<stdin>: is the section Events of `kubectl describe`, expected "
              "objects: use `kubectl get events",
              "Events:\n  Type     Reason   Age  From     Message\n  Warning  "
              "BackOff  4m   kubelet  Back-off pulling image \"x:2\"\n"},
        Usage{"TabInYaml",
              {"explain", "-"},
              "<stdin>: line 4, column 1: not valid YAML: found a tab in the "
              "indentation, expected spaces",
              "apiVersion: v1\nkind: Pod\nmetadata:\n\tname: x\n"},
        Usage{"TemplateOfAChart",
              {"explain", "-"},
              "; if {{ }} is from a template, pass its output: `helm "
              "template`",
              "apiVersion: batch/v1\nkind: Job\nmetadata:\n  name: {{ "
              ".Values.name }}\n"},
        Usage{"KindOfAnotherGroup",
              {"explain", "-"},
              "Job x: ignored, a report takes no Job of "
              "batch.volcano.sh/v1alpha1: pass its pods",
              "apiVersion: batch.volcano.sh/v1alpha1\nkind: Job\nmetadata: "
              "{name: x}\n"},
        Usage{"KindInLowerCase",
              {"explain", "-"},
              "(kubectl get pods -o json); is it meant to be Pod?",
              "apiVersion: v1\nkind: pod\nmetadata: {name: x}\n"},
        Usage{"AMarkdownFence",
              {"explain", "-"},
              "<stdin>: is fenced as Markdown, expected the objects alone",
              "```json\n{\"kind\":\"Pod\"}\n```\n"},
        Usage{"ACommandBeforeItsOutput",
              {"explain", "-"},
              "<stdin>: is a command with its output, expected the objects "
              "alone",
              "$ kubectl get pod p -o json\n{\"kind\":\"Pod\"}\n"},
        Usage{"NotFoundText",
              {"explain", "-"},
              "<stdin>: is kubectl's message that the object does not exist: "
              "pass the rest of its workload",
              "Error from server (NotFound): pods \"x\" not found\n"},
        Usage{"EventTable",
              {"explain", "-"},
              "<stdin>: is output of `kubectl get` for people",
              "LAST SEEN   TYPE      REASON    OBJECT    MESSAGE\n2m  Warning  "
              "BackOff  pod/x  Back-off restarting failed container\n"},
        Usage{"PastedErrorOfAShell",
              {"explain", "-"},
              "<stdin>: is an error of kubectl, expected objects",
              "bash: line 1: kubectl: command not found\n"},
        Usage{"OneLineOfAJsonLog",
              {"explain", "-"},
              "<stdin>: found an object without kind",
              "{\"msg\":\"up\",\"n\":1}\n"},
        Usage{"UnknownCause",
              {"explain", "--cause=CONTAINR_OOM", "-"},
              "\"CONTAINR_OOM\" is not a cause, expected a name of "
              "docs/causes.md; CONTAINER_OOM is near"},
        Usage{"UnknownKind",
              {"explain", "-"},
              "for other workloads pass the pods (kubectl get pods -o json)",
              "{\"apiVersion\":\"foo.io/v1\",\"kind\":\"Foo\",\"metadata\":"
              "{\"name\":\"x\"}}"},
        Usage{"BidirectionalFileName",
              {"explain", "-f",
               "/no/\xe2\x80\xae"
               "f\033[31m"},
              "/no/\\u202ef\\u001b[31m: No such file"},
        Usage{
            "UnknownCommand",
            {"nosuch"},
            "\"nosuch\" is not a command of mulligan, expected one of explain"},
        Usage{"UnknownFlag", {"explain", "--nosuch"}, "--nosuch"},
        Usage{"MissingFile",
              {"explain", "-f", "/no/file"},
              "/no/file: No such file"},
        Usage{"EmptyInput", {"explain", "-"}, "<stdin>: is empty"},
        Usage{"BrokenJson",
              {"explain", "-"},
              "<stdin>: line 1, column 9: expected ':'",
              "{\"kind\" \"Pod\"}"},
        Usage{"NothingUsable",
              {"explain", "-"},
              "nothing to explain",
              "{\"kind\":\"Secret\"}"},
        Usage{"EmptyReport", {"explain", "-"}, "report", "{\"report\":{}}"},
        Usage{"UnknownOutput",
              {"explain", "-o", "xml", "-"},
              "--output: xml not in {text,json,yaml,html}",
              kOomPod},
        Usage{"UnknownExplain",
              {"explain", "--explain=lots", "-"},
              "--explain: lots not in {none,summary,full}",
              kOomPod},
        Usage{"BadTime",
              {"explain", "--observed-at=noon", "-"},
              "--observed-at: \"noon\"",
              kOomPod},
        Usage{"BadAttempt",
              {"explain", "--attempt=0", "-"},
              "--attempt",
              kOomPod},
        Usage{"UnknownPolicy",
              {"explain", "--policy-name=zz", "-"},
              "\"zz\"",
              kOomPod},
        Usage{"MissingPolicyPath",
              {"explain", "--policy=/no/dir", "-"},
              "/no/dir: no such file",
              kOomPod},
        Usage{"RequestsAndFiles",
              {"explain", "--requests", "-", "-f", "x"},
              "excludes"},
        Usage{"MissingRequests",
              {"explain", "--requests", "/no/file"},
              "/no/file: No such file"},
        Usage{"BadServer",
              {"decide", "--server=nowhere", "-"},
              "--server: \"nowhere\" is not HOST:PORT",
              kOomPod},
        Usage{"BadDeadline",
              {"decide", "--deadline=soon", "-"},
              "--deadline: \"soon\"",
              kOomPod},
        Usage{"BadBatch", {"decide", "--batch=1001", "-"}, "--batch", kOomPod},
        // Port 1 (tcpmux) is never served.
        Usage{"NoServer",
              {"decide", "--server=127.0.0.1:1", "-"},
              "127.0.0.1:1 answered UNAVAILABLE: nothing listens there",
              kOomPod,
              4},
        Usage{"NoHealth",
              {"healthcheck", "--server=127.0.0.1:1"},
              "UNAVAILABLE",
              "",
              4},
        Usage{"NoPolicyPath", {"policy", "check"}, "PATH is required"}),
    [](const auto& test) { return test.param.name; });

TEST(HelpTest, ShowsTheKubectlExample) {
  const CommandResult result = RunMulligan({"--help"});
  EXPECT_EQ(result.code, 0);
  EXPECT_THAT(result.out,
              HasSubstr("kubectl get pod X -o json | mulligan explain -"));
}

TEST(HelpTest, EveryCommandHasAnExampleAndFits80Columns) {
  for (const std::vector<std::string>& command :
       std::vector<std::vector<std::string>>{{},
                                             {"explain"},
                                             {"decide"},
                                             {"policy"},
                                             {"policy", "check"},
                                             {"policy", "show"},
                                             {"playground"},
                                             {"healthcheck"},
                                             {"version"}}) {
    std::vector<std::string> arguments = command;
    arguments.emplace_back("--help");
    const CommandResult result = RunMulligan(arguments);
    EXPECT_EQ(result.code, 0);
    EXPECT_THAT(result.out, HasSubstr("Example"));
    for (size_t at = 0; at < result.out.size();) {
      const size_t end = result.out.find('\n', at);
      EXPECT_LE(end - at, 80) << result.out.substr(at, end - at);
      at = end + 1;
    }
  }
}

TEST(HelpTest, AcceptsAllFormsOfHelp) {
  for (const auto& [asked, flagged] : std::vector<
           std::pair<std::vector<std::string>, std::vector<std::string>>>{
           {{"help"}, {"--help"}},
           {{"help", "explain"}, {"explain", "--help"}},
           {{"explain", "help"}, {"explain", "--help"}},
           {{"explain", "-h"}, {"explain", "--help"}},
           {{"help", "policy", "check"}, {"policy", "check", "--help"}},
           {{"policy", "help"}, {"policy", "--help"}},
           {{"policy", "check", "help"}, {"policy", "check", "--help"}}}) {
    const CommandResult result = RunMulligan(asked);
    EXPECT_EQ(result.code, 0) << result.err;
    EXPECT_EQ(result.out, RunMulligan(flagged).out);
  }
}

TEST(VersionTest, PrintsTextJsonAndYaml) {
  EXPECT_EQ(RunMulligan({"--version"}).out, RunMulligan({"version"}).out);
  EXPECT_EQ(RunMulligan({"-V"}).out, RunMulligan({"version"}).out);
  EXPECT_THAT(RunMulligan({"version", "-o", "yaml"}).out,
              AllOf(StartsWith("version: "), HasSubstr("\ncommit: ")));
  EXPECT_THAT(RunMulligan({"version"}).out, StartsWith("mulligan "));
  EXPECT_THAT(RunMulligan({"version", "-o", "json"}).out,
              AllOf(StartsWith("{\"version\":\""), HasSubstr("\"commit\":")));
}

}  // namespace
}  // namespace mulligan::testing
