#include "server/options.h"

#include <map>
#include <string>
#include <vector>

#include "gmock/gmock.h"
#include "gtest/gtest.h"
#include "tests/testing/files.h"
#include "tests/testing/status_matchers.h"

namespace mulligan {
namespace {

using ::testing::AllOf;
using ::testing::HasSubstr;
using testing::IsOk;
using testing::StatusIs;

using Variables = std::map<std::string, std::string>;

absl::StatusOr<CommandLine> Parse(const std::vector<std::string>& arguments,
                                  const Variables& variables = {}) {
  return ParseCommandLine(arguments, [&variables](const char* name) {
    const auto found = variables.find(name);
    return found == variables.end() ? nullptr : found->second.c_str();
  });
}

TEST(OptionsTest, DefaultsMatchTheTable) {
  std::vector<std::string> arguments;
  for (const OptionInfo& option : OptionTable()) {
    if (!option.default_value.empty()) {
      arguments.push_back(option.flag + "=" + option.default_value);
    }
  }
  ASSERT_OK_AND_ASSIGN(const CommandLine given, Parse(arguments));
  const ServerOptions defaults;
  EXPECT_EQ(given.options.listen_address, defaults.listen_address);
  EXPECT_EQ(given.options.admin_address, defaults.admin_address);
  EXPECT_EQ(given.options.log_level, defaults.log_level);
  EXPECT_EQ(given.options.log_format, defaults.log_format);
  EXPECT_EQ(given.options.policy_poll, defaults.policy_poll);
  EXPECT_EQ(given.options.drain_delay, defaults.drain_delay);
  EXPECT_EQ(given.options.shutdown_grace, defaults.shutdown_grace);
  EXPECT_EQ(given.options.allow_plaintext, defaults.allow_plaintext);
  EXPECT_EQ(given.options.reflection, defaults.reflection);
  EXPECT_EQ(given.options.max_message_bytes, defaults.max_message_bytes);
  EXPECT_EQ(given.options.decision_log.path, defaults.decision_log.path);
  EXPECT_EQ(given.options.decision_log.max_file_bytes,
            defaults.decision_log.max_file_bytes);
  EXPECT_EQ(given.options.decision_log.files, defaults.decision_log.files);
  EXPECT_EQ(given.options.decision_log.queue_bytes,
            defaults.decision_log.queue_bytes);
  EXPECT_EQ(given.options.decision_log.sample, defaults.decision_log.sample);
}

TEST(OptionsTest, ParsesEveryFlag) {
  ASSERT_OK_AND_ASSIGN(
      const CommandLine parsed,
      Parse({"--listen-address=0.0.0.0:1", "--admin-address", "off",
             "--policy-dir=/p", "--policy-poll=0", "--log-level=debug",
             "--log-format=text", "--drain-delay=250ms", "--shutdown-grace=1m",
             "--allow-plaintext", "--reflection=false",
             "--max-message-bytes=65536", "--port-file=/f"}));
  const ServerOptions& options = parsed.options;
  EXPECT_EQ(options.listen_address, "0.0.0.0:1");
  EXPECT_EQ(options.admin_address, "off");
  EXPECT_EQ(options.policy_dir, "/p");
  EXPECT_EQ(options.policy_poll, absl::ZeroDuration());
  EXPECT_EQ(options.log_level, LogLevel::kDebug);
  EXPECT_EQ(options.log_format, LogFormat::kText);
  EXPECT_EQ(options.drain_delay, absl::Milliseconds(250));
  EXPECT_EQ(options.shutdown_grace, absl::Minutes(1));
  EXPECT_TRUE(options.allow_plaintext);
  EXPECT_FALSE(options.reflection);
  EXPECT_EQ(options.max_message_bytes, 65536);
  EXPECT_EQ(options.port_file, "/f");
}

TEST(OptionsTest, ValueMayFollowItsFlag) {
  ASSERT_OK_AND_ASSIGN(
      const CommandLine parsed,
      Parse({"--decision-log", "-", "--reflection", "false",
             "--allow-plaintext", "--drain-delay", "1s", "--drain-delay=2s"}));
  EXPECT_EQ(parsed.options.decision_log.path, "-");
  EXPECT_FALSE(parsed.options.reflection);
  EXPECT_TRUE(parsed.options.allow_plaintext);
  EXPECT_EQ(parsed.options.drain_delay, absl::Seconds(2));
}

TEST(OptionsTest, ReadsTheEnvironment) {
  ASSERT_OK_AND_ASSIGN(const CommandLine parsed,
                       Parse({}, {{"MULLIGAN_DRAIN_DELAY", "3s"},
                                  {"MULLIGAN_REFLECTION", "false"},
                                  {"MULLIGAN_LOG_LEVEL", ""}}));
  EXPECT_EQ(parsed.options.drain_delay, absl::Seconds(3));
  EXPECT_FALSE(parsed.options.reflection);
  EXPECT_EQ(parsed.options.log_level, LogLevel::kInfo);
}

TEST(OptionsTest, EmptyVariablesAreAbsent) {
  Variables variables;
  for (const OptionInfo& option : OptionTable()) {
    variables[option.environment] = "";
  }
  ASSERT_OK_AND_ASSIGN(const CommandLine parsed, Parse({}, variables));
  EXPECT_FALSE(parsed.options.allow_plaintext);
  EXPECT_TRUE(parsed.options.reflection);
}

TEST(OptionsTest, FlagOverridesEnvironment) {
  ASSERT_OK_AND_ASSIGN(
      const CommandLine parsed,
      Parse({"--drain-delay=1s"}, {{"MULLIGAN_DRAIN_DELAY", "nonsense"}}));
  EXPECT_EQ(parsed.options.drain_delay, absl::Seconds(1));
}

TEST(OptionsTest, HelpNamesEveryFlagAndVariable) {
  ASSERT_OK_AND_ASSIGN(const CommandLine parsed, Parse({"--help"}));
  for (const OptionInfo& option : OptionTable()) {
    EXPECT_THAT(parsed.output,
                AllOf(HasSubstr(option.flag), HasSubstr(option.environment)));
  }
}

TEST(OptionsTest, PrintsVersion) {
  ASSERT_OK_AND_ASSIGN(const CommandLine parsed, Parse({"--version"}));
  EXPECT_THAT(parsed.output, HasSubstr("mulligan-server 0."));
}

TEST(OptionsTest, ReportsEveryProblemAtOnce) {
  EXPECT_THAT(Parse({"--drain-delay=never", "--log-format=xml", "--nonsense"},
                    {{"MULLIGAN_LOG_LEVEL", "loud"}}),
              StatusIs(absl::StatusCode::kInvalidArgument,
                       AllOf(HasSubstr("--drain-delay"),
                             HasSubstr("--log-format"), HasSubstr("--nonsense"),
                             HasSubstr("MULLIGAN_LOG_LEVEL: \"loud\""))));
}

// Otherwise the first folder's policies would be missing silently.
TEST(OptionsTest, RejectsASecondPolicyFolder) {
  EXPECT_THAT(
      Parse({"--policy-dir=/a", "--policy-dir", "/b"}),
      StatusIs(absl::StatusCode::kInvalidArgument,
               "--policy-dir: given twice, with \"/a\" first; expected once"));
}

struct BadFlag {
  const char* name;
  std::string argument;
  std::string expected;
};

class BadFlagTest : public ::testing::TestWithParam<BadFlag> {};

TEST_P(BadFlagTest, IsRejectedWithTheExpectedForm) {
  EXPECT_THAT(Parse({GetParam().argument}),
              StatusIs(absl::StatusCode::kInvalidArgument,
                       HasSubstr(GetParam().expected)));
}

INSTANTIATE_TEST_SUITE_P(
    All, BadFlagTest,
    ::testing::Values(
        BadFlag{"Unknown", "--listen=1", "--listen=1"},
        BadFlag{"Positional", "serve", "serve"},
        BadFlag{"ListenWithoutPort", "--listen-address=localhost",
                "--listen-address: \"localhost\" is not valid; expected "
                "host:port"},
        BadFlag{"PlaintextForOtherHosts", "--listen-address=0.0.0.0:8980",
                "--allow-plaintext"},
        BadFlag{"AdminUnixSocket", "--admin-address=unix:/a", "or off"},
        BadFlag{"NegativeDuration", "--drain-delay=-1s", "from 0 to 10m"},
        BadFlag{"InfiniteDuration", "--shutdown-grace=inf", "from 0 to 10m"},
        BadFlag{"DurationAboveBound", "--drain-delay=601s", "from 0 to 10m"},
        BadFlag{"PollingTooOften", "--policy-poll=99ms", "from 100ms to 10m"},
        BadFlag{"Bool", "--reflection=maybe", "true or false"},
        BadFlag{"SizeBelowBound", "--max-message-bytes=65535", "65536"},
        BadFlag{"SizeAboveBound", "--max-message-bytes=67108865", "67108864"},
        BadFlag{"LogSize", "--decision-log-max-bytes=1", "from 65536 to"},
        BadFlag{"LogFiles", "--decision-log-files=0", "from 1 to 10000"},
        BadFlag{"LogSample", "--decision-log-sample=1.5", "from 0 to 1"},
        BadFlag{"LogSampleNan", "--decision-log-sample=nan", "from 0 to 1"},
        BadFlag{"LogWithoutRequests", "--decision-log-redact=request",
                "a line without its request cannot be replayed"},
        BadFlag{"LogRedaction", "--decision-log-redact=replica,report.pods",
                "\"report.pods\": mulligan.v1.DecisionRecord has no field "
                "\"report\""},
        BadFlag{"EmptySwitch", "--allow-plaintext=",
                "--allow-plaintext: \"\" is not valid; expected true or false"},
        BadFlag{"EmptyReflection", "--reflection=",
                "--reflection: \"\" is not valid; expected true or false"},
        BadFlag{"EmptyAddress", "--listen-address=",
                "--listen-address: \"\" is not valid; expected host:port"},
        BadFlag{"NoValue", "--listen-address",
                "--listen-address: \"\" is not valid; expected host:port"},
        BadFlag{"EmptyPath", "--policy-dir=",
                "--policy-dir: \"\" is not valid; expected a path"},
        BadFlag{"EmptyFile", "--tls-cert=",
                "--tls-cert: \"\" is not valid; expected a file"},
        BadFlag{"EmptyNames", "--allow-callers=",
                "--allow-callers: \"\" is not valid; expected names"},
        BadFlag{"EmptyLog", "--decision-log=",
                "--decision-log: \"\" is not valid; expected a file"},
        BadFlag{"LogCalledOff", "--decision-log=OFF",
                "--decision-log: \"OFF\" is not valid; expected a file"},
        BadFlag{"VersionWithValue", "--version=x",
                "--version: \"x\" is not valid; expected no value"},
        BadFlag{"HelpWithValue",
                "--help=", "--help: \"\" is not valid; expected no value"},
        BadFlag{"Dashes", "--", "\"--\" is not a flag"},
        BadFlag{"NegativeZero", "--drain-delay=-0s", "from 0 to 10m"},
        BadFlag{"Escapes", "--log-level=\x1b[2J\n\xff",
                "--log-level: \"\\u001b[2J\\u000a\xef\xbf\xbd\" is not"},
        BadFlag{"EscapesInUnknownFlag", "--\x1b[2J",
                "\"--\\u001b[2J\" is not a flag"},
        BadFlag{"SizeWithUnit", "--max-message-bytes=1M", "bytes"}),
    [](const auto& param) { return param.param.name; });

TEST(OptionsTest, AcceptsLimits) {
  EXPECT_OK(Parse({"--drain-delay=10m", "--shutdown-grace=0",
                   "--policy-poll=100ms", "--max-message-bytes=67108864",
                   "--max-memory=1073741824", "--max-connections=1000000"}));
}

TEST(OptionsTest, LargestRequestMustFitIntoMemory) {
  EXPECT_THAT(Parse({"--max-message-bytes=67108864"}).status(),
              testing::StatusIs(absl::StatusCode::kInvalidArgument,
                                HasSubstr("expected at least 806354944")));
}

TEST(OptionsTest, TlsFlagsDependOnEachOther) {
  EXPECT_OK(Parse({"--tls-cert=c", "--tls-key=k", "--tls-client-ca=a",
                   "--allow-callers=*.ml.svc,spiffe://c/ns/a/sa/b",
                   "--listen-address=0.0.0.0:1"}));
  for (const std::vector<std::string>& flags :
       std::vector<std::vector<std::string>>{
           {"--tls-cert=c"},
           {"--tls-client-ca=a"},
           {"--tls-cert=c", "--tls-key=k", "--allow-callers=a"},
           {"--allow-policy-callers=a, b"}}) {
    EXPECT_THAT(Parse(flags).status(),
                testing::StatusIs(absl::StatusCode::kInvalidArgument));
  }
}

TEST(OptionsTest, DocumentationHasEveryOption) {
  ASSERT_OK_AND_ASSIGN(
      const std::string text,
      testing::ReadFile(testing::SourcePath("docs/operations.md")));
  for (const OptionInfo& option : OptionTable()) {
    const std::string row =
        "| `" + option.flag + "` | `" + option.environment + "` | " +
        (option.default_value.empty() ? std::string()
                                      : "`" + option.default_value + "` ") +
        "|";
    EXPECT_THAT(text, HasSubstr(row));
  }
}

}  // namespace
}  // namespace mulligan
