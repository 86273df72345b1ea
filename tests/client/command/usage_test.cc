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
  std::string input;
  int code;
  // Part of the one line on standard error.
  const char* message;
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
              "",
              2,
              "a command is missing after mulligan, expected one of explain, "
              "decide, policy"},
        Usage{"UnknownSubcommand",
              {"policy", "chekc", "x.yaml"},
              "",
              2,
              "\"chekc\" is no command of mulligan policy, expected one of "
              "check, show, schema, test, diff, import; did you mean check?"},
        Usage{
            "MisspeltOption",
            {"--verison"},
            "",
            2,
            "\"--verison\" is no option of mulligan; did you mean --version?"},
        Usage{"MisspeltOptionOfACommand",
              {"explain", "--observd-at=now", "-"},
              "",
              2,
              "\"--observd-at\" is no option of mulligan explain; did you mean "
              "--observed-at?"},
        Usage{"NoSubcommand",
              {"policy"},
              "",
              2,
              "a command is missing after mulligan policy, expected one of "
              "check, show"},
        Usage{"HelpForUnknownCommand",
              {"help", "nosuch"},
              "",
              2,
              "\"nosuch\" is no command of mulligan, expected one of explain"},
        Usage{"DescribeText",
              {"explain", "-"},
              "Name:         a\nNamespace:    ml\nStatus: Failed\n",
              2,
              "<stdin>: is what `kubectl describe` prints for people, expected "
              "objects: use `kubectl get ... -o yaml` or `-o json`"},
        Usage{"GetText",
              {"explain", "-"},
              "NAME   READY   STATUS\na  0/1  Error\n",
              2,
              "<stdin>: is what `kubectl get` prints for people"},
        Usage{"GetTextWithoutHeaders",
              {"explain", "-"},
              "ml   train-0   0/1   Error   2 (5m ago)   7m\n",
              2,
              "<stdin>: is what `kubectl get` prints for people"},
        Usage{"EventsOfADescription",
              {"explain", "-"},
              "Events:\n  Type     Reason   Age  From     Message\n  Warning  "
              "BackOff  4m   kubelet  Back-off pulling image \"x:2\"\n",
              2,
              "<stdin>: is the section Events of what `kubectl describe` "
              "prints for people, expected objects: use `kubectl get events"},
        Usage{"TabInYaml",
              {"explain", "-"},
              "apiVersion: v1\nkind: Pod\nmetadata:\n\tname: x\n",
              2,
              "<stdin>: line 4, column 1: not valid YAML: found a tab in the "
              "indentation, expected spaces"},
        Usage{"TemplateOfAChart",
              {"explain", "-"},
              "apiVersion: batch/v1\nkind: Job\nmetadata:\n  name: {{ "
              ".Values.name }}\n",
              2,
              "; where {{ }} is of a template, give what comes of it: `helm "
              "template`"},
        Usage{"KindOfAnotherGroup",
              {"explain", "-"},
              "apiVersion: batch.volcano.sh/v1alpha1\nkind: Job\nmetadata: "
              "{name: x}\n",
              2,
              "Job x: ignored, a report takes no Job of "
              "batch.volcano.sh/v1alpha1: give its pods"},
        Usage{"KindInLowerCase",
              {"explain", "-"},
              "apiVersion: v1\nkind: pod\nmetadata: {name: x}\n",
              2,
              "(kubectl get pods -o json); is it meant to be Pod?"},
        Usage{"AMarkdownFence",
              {"explain", "-"},
              "```json\n{\"kind\":\"Pod\"}\n```\n",
              2,
              "<stdin>: is fenced as Markdown, expected the objects alone"},
        Usage{
            "ACommandBeforeItsOutput",
            {"explain", "-"},
            "$ kubectl get pod p -o json\n{\"kind\":\"Pod\"}\n",
            2,
            "<stdin>: is a command with what it printed, expected the objects "
            "alone"},
        Usage{"NotFoundText",
              {"explain", "-"},
              "Error from server (NotFound): pods \"x\" not found\n",
              2,
              "<stdin>: is kubectl's answer that there is no such object: give "
              "what is left of its workload"},
        Usage{"EventTable",
              {"explain", "-"},
              "LAST SEEN   TYPE      REASON    OBJECT    MESSAGE\n2m  Warning  "
              "BackOff  pod/x  Back-off restarting failed container\n",
              2,
              "<stdin>: is what `kubectl get` prints for people"},
        Usage{"PastedErrorOfAShell",
              {"explain", "-"},
              "bash: line 1: kubectl: command not found\n",
              2,
              "<stdin>: is an error of kubectl, expected objects"},
        Usage{"OneLineOfAJsonLog",
              {"explain", "-"},
              "{\"msg\":\"up\",\"n\":1}\n",
              2,
              "<stdin>: found an object without kind"},
        Usage{"UnknownCause",
              {"explain", "--cause=CONTAINR_OOM", "-"},
              "",
              2,
              "\"CONTAINR_OOM\" is no cause, expected a name of "
              "docs/causes.md; CONTAINER_OOM is near"},
        Usage{"UnknownKind",
              {"explain", "-"},
              "{\"apiVersion\":\"foo.io/v1\",\"kind\":\"Foo\",\"metadata\":"
              "{\"name\":\"x\"}}",
              2,
              "of other workloads give the pods (kubectl get pods -o json)"},
        Usage{"BidirectionalFileName",
              {"explain", "-f",
               "/no/\xe2\x80\xae"
               "f\033[31m"},
              "",
              2,
              "/no/\\u202ef\\u001b[31m: No such file"},
        Usage{"UnknownCommand",
              {"nosuch"},
              "",
              2,
              "\"nosuch\" is no command of mulligan, expected one of explain"},
        Usage{"UnknownFlag", {"explain", "--nosuch"}, "", 2, "--nosuch"},
        Usage{"MissingFile",
              {"explain", "-f", "/no/file"},
              "",
              2,
              "/no/file: No such file"},
        Usage{"EmptyInput", {"explain", "-"}, "", 2, "<stdin>: is empty"},
        Usage{"BrokenJson",
              {"explain", "-"},
              "{\"kind\" \"Pod\"}",
              2,
              "<stdin>: line 1, column 9: expected ':'"},
        Usage{"NothingUsable",
              {"explain", "-"},
              "{\"kind\":\"Secret\"}",
              2,
              "nothing to explain"},
        Usage{"EmptyReport", {"explain", "-"}, "{\"report\":{}}", 2, "report"},
        Usage{"UnknownOutput",
              {"explain", "-o", "xml", "-"},
              kOomPod,
              2,
              "--output: xml not in {text,json,yaml,html}"},
        Usage{"UnknownExplain",
              {"explain", "--explain=lots", "-"},
              kOomPod,
              2,
              "--explain: lots not in {none,summary,full}"},
        Usage{"BadTime",
              {"explain", "--observed-at=noon", "-"},
              kOomPod,
              2,
              "--observed-at: \"noon\""},
        Usage{"BadAttempt",
              {"explain", "--attempt=0", "-"},
              kOomPod,
              2,
              "--attempt"},
        Usage{"UnknownPolicy",
              {"explain", "--policy-name=zz", "-"},
              kOomPod,
              2,
              "\"zz\""},
        Usage{"MissingPolicyPath",
              {"explain", "--policy=/no/dir", "-"},
              kOomPod,
              2,
              "/no/dir: no such file"},
        Usage{"RequestsAndFiles",
              {"explain", "--requests", "-", "-f", "x"},
              "",
              2,
              "excludes"},
        Usage{"MissingRequests",
              {"explain", "--requests", "/no/file"},
              "",
              2,
              "/no/file: No such file"},
        Usage{"BadServer",
              {"decide", "--server=nowhere", "-"},
              kOomPod,
              2,
              "--server: \"nowhere\" is not HOST:PORT"},
        Usage{"BadDeadline",
              {"decide", "--deadline=soon", "-"},
              kOomPod,
              2,
              "--deadline: \"soon\""},
        Usage{
            "BadBatch", {"decide", "--batch=1001", "-"}, kOomPod, 2, "--batch"},
        // Port 1 (tcpmux) is never served.
        Usage{"NoServer",
              {"decide", "--server=127.0.0.1:1", "-"},
              kOomPod,
              4,
              "127.0.0.1:1 answered UNAVAILABLE: nobody listens there"},
        Usage{"NoHealth",
              {"healthcheck", "--server=127.0.0.1:1"},
              "",
              4,
              "UNAVAILABLE"},
        Usage{"NoPolicyPath", {"policy", "check"}, "", 2, "PATH is required"}),
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
