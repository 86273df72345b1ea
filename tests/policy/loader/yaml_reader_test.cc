#include "policy/loader/yaml_reader.h"

#include <google/protobuf/wrappers.pb.h>

#include <string>
#include <vector>

#include "absl/strings/str_cat.h"
#include "gmock/gmock.h"
#include "gtest/gtest.h"
#include "mulligan/v1/decision.pb.h"
#include "mulligan/v1/policy.pb.h"
#include "mulligan/v1/policy_test.pb.h"
#include "tests/testing/proto_matchers.h"

namespace mulligan {
namespace {

using ::mulligan::testing::EqualsProto;
using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::IsEmpty;

template <typename T>
struct Reading {
  T message;
  SourceMap positions{"f"};
  std::vector<std::string> issues;
  DoubtfulPaths doubtful;
};

std::string Show(Position position) {
  return absl::StrCat(position.line, ":", position.column);
}

// Reads `text` as a message of type T; issues without file name and severity.
template <typename T>
Reading<T> Read(const std::string& text) {
  Reading<T> reading;
  Issues issues;
  const std::vector<YamlNode> documents =
      ParseYaml("f", text, issues).documents;
  if (!documents.empty()) {
    reading.doubtful = ReadYamlMessage(documents[0], reading.message,
                                       reading.positions, issues);
  }
  for (const Issue& issue : issues) {
    reading.issues.push_back(
        absl::StrCat(Show(issue.position), " ", issue.message));
  }
  return reading;
}

TEST(ReadYamlMessageTest, ReadsForeignObjectsByTheCoreSchema) {
  const auto reading = Read<v1::PolicyTestFixture>(R"(
objects:
  - kind: Pod
    n: {whole: 137, minus: -1, part: 1.5, octal: 010, quoted: "1",
        hex: 0x10, half: .5}
    b: [True, yes, null, ~, 2026-11-03T09:00:00Z]
    empty: {}
    twice: {a: 1, a: 2}
)");
  EXPECT_THAT(reading.issues,
              ElementsAre("8:19 duplicate key \"a\", first given at line 8"));
  const auto& object = reading.message.objects(0).fields();
  EXPECT_EQ(object.at("kind").string_value(), "Pod");
  const auto& numbers = object.at("n").struct_value().fields();
  EXPECT_EQ(numbers.at("whole").number_value(), 137);
  EXPECT_EQ(numbers.at("minus").number_value(), -1);
  EXPECT_EQ(numbers.at("part").number_value(), 1.5);
  EXPECT_EQ(numbers.at("octal").string_value(), "010");
  EXPECT_EQ(numbers.at("hex").number_value(), 16);
  EXPECT_EQ(numbers.at("half").number_value(), 0.5);
  EXPECT_EQ(numbers.at("quoted").string_value(), "1");
  const auto& values = object.at("b").list_value().values();
  ASSERT_EQ(values.size(), 5);
  EXPECT_TRUE(values[0].bool_value());
  EXPECT_EQ(values[1].string_value(), "yes");
  EXPECT_TRUE(values[2].has_null_value());
  EXPECT_TRUE(values[3].has_null_value());
  EXPECT_EQ(values[4].string_value(), "2026-11-03T09:00:00Z");
  EXPECT_TRUE(object.at("empty").has_struct_value());
  EXPECT_THAT(Read<v1::PolicyTestFixture>("objects: [{a: 1e999}]").issues,
              ElementsAre(HasSubstr("1:11 ")));
  const auto wrong = Read<v1::PolicyTestFixture>("objects: [Pod]");
  EXPECT_THAT(wrong.issues,
              ElementsAre("1:11 expected a map, found a single value"));
}

TEST(ReadYamlMessageTest, ReadsEveryTypeOfTheSchema) {
  const auto reading = Read<v1::RetryPolicySpec>(R"(
selector: {kinds: [RayJob, "TrainJob"], matchLabels: {team: ml, "tier": "1", spot: ""}}
budgets:
  application: {limit: 3, window: 1m30s}
  empty: {}
maxAttempts: 60
rules:
  - name: a
    when: {causes: [APP_ERROR, UNKNOWN], interruptible: false}
    then:
      action: RETRY
      backoff: {initial: "250ms", factor: 1.5, kind: LINEAR}
compareNative: true
order: -2
)");
  EXPECT_THAT(reading.issues, IsEmpty());
  EXPECT_THAT(reading.doubtful.values, IsEmpty());
  EXPECT_THAT(reading.doubtful.maps, IsEmpty());
  EXPECT_THAT(
      reading.message, EqualsProto(R"pb(
        selector {
          kinds: "RayJob"
          kinds: "TrainJob"
          match_labels { key: "team" value: "ml" }
          match_labels { key: "tier" value: "1" }
          match_labels { key: "spot" value: "" }
        }
        budgets {
          key: "application"
          value {
            limit: 3
            window { seconds: 90 }
          }
        }
        budgets {
          key: "empty"
          value {}
        }
        max_attempts: 60
        rules {
          name: "a"
          when { causes: APP_ERROR causes: UNKNOWN interruptible: false }
          then {
            action: RETRY
            backoff {
              initial { nanos: 250000000 }
              factor: 1.5
              kind: LINEAR
            }
          }
        }
        compare_native: true
        order: -2
      )pb"));
}

TEST(ReadYamlMessageTest, KnowsUnsignedAndFloatFields) {
  using google::protobuf::DoubleValue;
  using google::protobuf::FloatValue;
  using google::protobuf::UInt32Value;
  using google::protobuf::UInt64Value;
  EXPECT_EQ(Read<UInt32Value>("value: 4294967295").message.value(),
            4294967295u);
  EXPECT_THAT(Read<UInt32Value>("value: 4294967296").issues,
              ElementsAre("1:8 \"4294967296\" is out of range, expected 0 to "
                          "4294967295"));
  EXPECT_EQ(Read<UInt64Value>("value: 18446744073709551615").message.value(),
            18446744073709551615u);
  EXPECT_EQ(Read<FloatValue>("value: 0.5").message.value(), 0.5f);
  EXPECT_EQ(Read<DoubleValue>("value: 0.1").message.value(), 0.1);
}

TEST(ReadYamlMessageTest, KeepsPositions) {
  const auto reading = Read<v1::RetryPolicySpec>(
      "budgets:\n"
      "  app:\n"
      "    limit: 3\n"
      "rules:\n"
      "  - name: a\n"
      "    when: {causes: [APP_ERROR, UNKNOWN]}\n");
  const SourceMap& map = reading.positions;
  EXPECT_EQ(Show(map.Find("")), "1:1");
  EXPECT_EQ(Show(map.Find("budgets")), "1:1");
  EXPECT_EQ(Show(map.Find("budgets[app]")), "2:3");
  EXPECT_EQ(Show(map.Find("budgets[app].limit")), "3:12");
  EXPECT_EQ(Show(map.Find("rules[0]")), "5:5");
  EXPECT_EQ(Show(map.Find("rules[0].name")), "5:11");
  EXPECT_EQ(Show(map.Find("rules[0].when")), "6:5");
  EXPECT_EQ(Show(map.Find("rules[0].when.causes[1]")), "6:32");
}

struct YamlReaderBadCase {
  const char* name;
  const char* text;
  const char* issue;
};

// Mistakes that no file of tests/policies/bad makes.
class BadSpecTest : public ::testing::TestWithParam<YamlReaderBadCase> {};

TEST_P(BadSpecTest, HasOnePreciseIssue) {
  EXPECT_THAT(Read<v1::RetryPolicySpec>(GetParam().text).issues,
              ElementsAre(GetParam().issue));
}

INSTANTIATE_TEST_SUITE_P(
    Table, BadSpecTest,
    ::testing::Values(
        YamlReaderBadCase{"SnakeCase", "max_attempts: 3",
                          "1:1 unknown key \"max_attempts\", did you mean "
                          "\"maxAttempts\"?"},
        YamlReaderBadCase{"DuplicateMapKey", "budgets: {a: {}, b: {}, a: {}}",
                          "1:25 duplicate key \"a\", first given at line 1"},
        YamlReaderBadCase{"KeyIsAList", "killSwitch: {[a]: b}",
                          "1:14 expected a key, found a list"},
        YamlReaderBadCase{"KeyIsNothing", "killSwitch: {~: b}",
                          "1:14 expected a key, found nothing"},
        YamlReaderBadCase{"EmptyText", "rules: [{when: {messagePattern: ''}}]",
                          "1:33 an empty string says nothing; leave it out"},
        YamlReaderBadCase{"EmptyTextInAList", "selector: {kinds: ['']}",
                          "1:20 an empty string says nothing; leave it out"},
        YamlReaderBadCase{"ListForEmptyMap", "budgets: []",
                          "1:10 expected a map, found a list"},
        YamlReaderBadCase{"ScalarForMap", "budgets: many",
                          "1:10 expected a map, found a single value"},
        YamlReaderBadCase{"ListForMap", "budgets: [{limit: 1}]",
                          "1:10 expected a map, found a list"},
        YamlReaderBadCase{"MapForList", "rules: {name: a}",
                          "1:8 expected a list, found a map"},
        YamlReaderBadCase{"ListForScalar", "maxAttempts: [1]",
                          "1:14 expected a whole number, found a list"},
        YamlReaderBadCase{
            "MapForDuration", "derivation: {crashLoopWindow: {seconds: 1}}",
            "1:31 expected a duration such as \"90s\", found a map"},
        YamlReaderBadCase{"NullInList", "selector: {kinds: [a, , b]}",
                          "1:23 expected a string, found nothing"}),
    [](const auto& test) { return test.param.name; });

TEST(ReadYamlMessageTest, RefusesDocumentsThatAreNotMaps) {
  EXPECT_THAT(Read<v1::KillSwitch>("- a\n").issues,
              ElementsAre("1:1 expected a map with keys among enabled, reason, "
                          "found a list"));
  EXPECT_THAT(Read<v1::KillSwitch>("hello\n").issues,
              ElementsAre("1:1 expected a map with keys among enabled, reason, "
                          "found a single value"));
}

TEST(ReadYamlMessageTest, ListsTheNamesOfSmallEnums) {
  EXPECT_THAT(Read<v1::Outcome>("action: GIVE_IN").issues,
              ElementsAre("1:9 \"GIVE_IN\" is not one of RETRY, FAIL, IGNORE, "
                          "WAIT, WAIT_FOR_SPEC_UPDATE"));
  EXPECT_THAT(Read<v1::Outcome>("action: 1").issues,
              ElementsAre("1:9 \"1\" is not one of RETRY, FAIL, IGNORE, WAIT, "
                          "WAIT_FOR_SPEC_UPDATE"));
}

TEST(ReadYamlMessageTest, NamesTheNearestOfLargeEnums) {
  const std::string names =
      absl::StrCat("is not one of the ", +v1::Cause_MAX, " names of Cause");
  EXPECT_THAT(Read<v1::When>("causes: [CONTAINER_OMM]").issues,
              ElementsAre("1:10 \"CONTAINER_OMM\" " + names +
                          ", did you mean CONTAINER_OOM?"));
  EXPECT_THAT(Read<v1::When>("causes: [Bug]").issues,
              ElementsAre("1:10 \"Bug\" " + names));
}

TEST(ReadYamlMessageTest, SuggestsTheCauseOfAReasonOfKubernetes) {
  EXPECT_THAT(Read<v1::When>("causes: [OOMKilled]").issues,
              ElementsAre(::testing::EndsWith("did you mean CONTAINER_OOM?")));
}

TEST(ReadYamlMessageTest, RefusesTheNameOfTheZeroValue) {
  EXPECT_THAT(Read<v1::Outcome>("action: ACTION_UNSPECIFIED").issues,
              ElementsAre("1:9 \"ACTION_UNSPECIFIED\" is not one of RETRY, "
                          "FAIL, IGNORE, WAIT, WAIT_FOR_SPEC_UPDATE"));
}

TEST(ReadYamlMessageTest, ReadsNearMissesAsTheIntendedKey) {
  const auto reading = Read<v1::Rule>(
      "nam: a\nwhen: {cause: [APP_EROR]}\nthen: {action: Retry}\n");
  EXPECT_THAT(reading.message, EqualsProto(R"pb(name: "a"
                                                when { causes: APP_ERROR }
                                                then { action: RETRY })pb"));
}

TEST(ReadYamlMessageTest, DoesNotReadAFieldTwice) {
  const auto reading = Read<v1::Rule>("nam: a\nname: b\nnmae: c\n");
  EXPECT_THAT(reading.issues,
              ElementsAre("1:1 unknown key \"nam\", did you mean \"name\"?",
                          "3:1 unknown key \"nmae\", did you mean \"name\"?"));
  EXPECT_EQ(reading.message.name(), "b");
}

TEST(ReadYamlMessageTest, ReportsRefusedValuesOnce) {
  const auto reading = Read<v1::RetryPolicySpec>(
      "selector: &a {kinds: [b]}\nkillSwitch: *a\norder: 1\n");
  EXPECT_THAT(reading.issues,
              ElementsAre("1:11 anchors (&name) are not allowed",
                          "2:13 aliases (*name) are not allowed, write the "
                          "value out"));
  EXPECT_EQ(reading.message.order(), 1);
}

TEST(ReadYamlMessageTest, NamesFieldsThatALaterCheckCannotCheck) {
  const auto duration =
      Read<v1::Rule>("name: a\nthen: {backoff: {initial: 5}}").doubtful;
  EXPECT_THAT(duration.values, ElementsAre("then.backoff.initial"));
  EXPECT_THAT(duration.maps, ElementsAre("then.backoff"));
  const auto element = Read<v1::Rule>("name: a\nwhen: {causes: [x]}").doubtful;
  EXPECT_THAT(element.values, ElementsAre("when.causes[0]"));
  EXPECT_THAT(element.maps, ElementsAre("when.causes", "when"));
  const auto key = Read<v1::Rule>("name: a\nwhen: {nothing: 1}").doubtful;
  EXPECT_THAT(key.values, IsEmpty());
  EXPECT_THAT(key.maps, ElementsAre("when"));
}

TEST(ReadYamlMessageTest, KeepsPositionsBehindAnUnreadableElement) {
  const auto reading =
      Read<v1::RetryPolicySpec>("rules: [5, &x {name: a}, *x, {name: c}]\n");
  EXPECT_THAT(reading.message, EqualsProto("rules {} rules { name: 'a' } rules "
                                           "{} rules { name: 'c' }"));
  EXPECT_THAT(reading.doubtful.values, ElementsAre("rules[0]", "rules[2]"));
}

// Each misspelt name is compared with all known names.
TEST(ReadYamlMessageTest, AListIsReadUpToAThousandProblems) {
  std::string causes = "rules: [{name: r, when: {causes: [";
  for (int i = 0; i < 5000; ++i) absl::StrAppend(&causes, "OMO", i, ",");
  const auto reading =
      Read<v1::RetryPolicySpec>(causes + "]}, then: {action: FAIL}}]");
  EXPECT_EQ(reading.issues.size(), 1001);
}

}  // namespace
}  // namespace mulligan
