#include "tests/proto/descriptor_compatibility.h"

#include <string>
#include <vector>

#include "gmock/gmock.h"
#include "gtest/gtest.h"
#include "tests/proto/schema_text.h"

namespace mulligan::testing {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::IsEmpty;

constexpr char kBase[] = R"(
syntax = "proto3";
package p.v1;
message Report {
  string id = 1;
  repeated int32 codes = 2;
  map<string, string> labels = 3;
  optional int64 limit = 4;
  oneof source { string pod = 5; string job = 6; }
  Kind kind = 7;
  message Detail { bytes raw = 1; }
  Detail detail = 8;
}
enum Kind { KIND_UNSPECIFIED = 0; KIND_POD = 1; }
service Decider { rpc Decide(Report) returns (Report); }
)";

struct Change {
  const char* name;
  const char* from;
  const char* to;
  // Empty: the change is compatible.
  const char* problem;
};

class DescriptorCompatibilityTest : public ::testing::TestWithParam<Change> {};

std::string Replaced(std::string text, const std::string& from,
                     const std::string& to) {
  const auto position = text.find(from);
  EXPECT_NE(position, std::string::npos) << from;
  return text.replace(position, from.size(), to);
}

TEST_P(DescriptorCompatibilityTest, IsJudgedRightly) {
  const Change& change = GetParam();
  const std::vector<std::string> problems = IncompatibleChanges(
      ParseSchema(kBase), ParseSchema(Replaced(kBase, change.from, change.to)));
  if (*change.problem == '\0') {
    EXPECT_THAT(problems, IsEmpty());
  } else {
    EXPECT_THAT(problems, ElementsAre(HasSubstr(change.problem)));
  }
}

INSTANTIATE_TEST_SUITE_P(
    Breaking, DescriptorCompatibilityTest,
    ::testing::Values(
        Change{"FieldRemoved", "string id = 1;", "",
               "p.v1.Report.id: field number 1 is gone"},
        Change{"FieldRemovedAndReserved", "string id = 1;", "reserved 1;",
               "p.v1.Report.id: field number 1 is gone"},
        Change{"FieldRenumbered", "id = 1", "id = 9",
               "p.v1.Report.id: field number 1 is gone"},
        Change{"ScalarRetyped", "string id", "bytes id",
               "p.v1.Report.id: type changed from 'TYPE_STRING' to"},
        Change{"MessageTypeSwapped", "Detail detail", "Report detail",
               "p.v1.Report.detail: type changed"},
        Change{"MapValueRetyped", "map<string, string>", "map<string, int32>",
               "p.v1.Report.LabelsEntry.value: type changed"},
        Change{"LabelDropped", "repeated int32 codes", "int32 codes",
               "p.v1.Report.codes: label changed from 'LABEL_REPEATED'"},
        Change{"JsonNameChanged", "string id = 1",
               "string id = 1 [json_name = \"ID\"]",
               "p.v1.Report.id: JSON name changed from 'id' to 'ID'"},
        Change{"FieldRenamed", "string id", "string name",
               "p.v1.Report.id: JSON name changed from 'id' to 'name'"},
        Change{"PresenceDropped", "optional int64", "int64",
               "p.v1.Report.limit: oneof changed from 'optional' to 'none'"},
        Change{"MovedOutOfOneof",
               "oneof source { string pod = 5; string job = 6; }",
               "string job = 6; oneof source { string pod = 5; }",
               "p.v1.Report.job: oneof changed from 'source' to 'none'"},
        Change{"NestedFieldRemoved", "bytes raw = 1;", "",
               "p.v1.Report.Detail.raw: field number 1 is gone"},
        Change{"EnumValueRemoved", "KIND_POD = 1;", "",
               "p.v1.Kind.KIND_POD: enum value is gone"},
        Change{"EnumValueRenamed", "KIND_POD = 1;", "KIND_PODS = 1;",
               "p.v1.Kind.KIND_POD: enum value is gone"},
        Change{"EnumValueRenumbered", "KIND_POD = 1;", "KIND_POD = 2;",
               "p.v1.Kind.KIND_POD: number changed from '1' to '2'"},
        Change{"MethodRemoved", "rpc Decide(Report) returns (Report);", "",
               "p.v1.Decider.Decide: method is gone"},
        Change{"MethodMadeStreaming", "returns (Report)",
               "returns (stream Report)",
               "p.v1.Decider.Decide: signature changed"},
        Change{"ServiceRenamed", "service Decider", "service Decision",
               "p.v1.Decider: service is gone"}),
    [](const auto& param_info) { return param_info.param.name; });

INSTANTIATE_TEST_SUITE_P(
    Compatible, DescriptorCompatibilityTest,
    ::testing::Values(
        Change{"Nothing", "string id", "string id", ""},
        Change{"FieldAdded", "string id = 1;",
               "string id = 1; string extra = 9;", ""},
        Change{"MessageAdded", "enum Kind", "message New {} enum Kind", ""},
        Change{"EnumValueAdded", "KIND_POD = 1;", "KIND_POD = 1; KIND_JOB = 2;",
               ""},
        Change{"MethodAdded", "service Decider {",
               "service Decider { rpc Other(Report) returns (Report);", ""},
        Change{"FieldRenamedUnderItsJsonName", "string id = 1",
               "string name = 1 [json_name = \"id\"]", ""},
        Change{"FieldsReordered", "string id = 1;\n  repeated int32 codes = 2;",
               "repeated int32 codes = 2;\n  string id = 1;", ""}),
    [](const auto& param_info) { return param_info.param.name; });

// proto2 strings are not checked for UTF-8, proto3 strings are: the syntax is
// part of what a reader accepts.
TEST(DescriptorCompatibilitySyntaxTest, ChangeOfSyntaxIsBreaking) {
  EXPECT_THAT(
      IncompatibleChanges(
          ParseSchema(R"(syntax = "proto2"; message M { optional string a = 1;
          })"),
          ParseSchema(R"(syntax = "proto3"; message M { string a = 1; })")),
      ElementsAre("M: syntax changed from 'proto2' to 'proto3'"));
}

TEST(DescriptorCompatibilitySyntaxTest, EveryBreakOfAnEmptySchemaIsListed) {
  EXPECT_THAT(
      IncompatibleChanges(ParseSchema(kBase),
                          ParseSchema("syntax = \"proto3\"; package p.v1;")),
      ElementsAre("p.v1.Report: message is gone",
                  "p.v1.Report.Detail: message is gone",
                  "p.v1.Report.LabelsEntry: message is gone",
                  "p.v1.Kind: enum is gone", "p.v1.Decider: service is gone"));
}

}  // namespace
}  // namespace mulligan::testing
