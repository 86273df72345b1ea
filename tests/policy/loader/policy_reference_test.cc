// docs/policy-reference.md against the schema it describes.
#include <set>
#include <string>
#include <vector>

#include "gmock/gmock.h"
#include "google/protobuf/descriptor.h"
#include "google/protobuf/descriptor.pb.h"
#include "gtest/gtest.h"
#include "mulligan/v1/cause.pb.h"
#include "mulligan/v1/policy.pb.h"
#include "mulligan/v1/policy_test.pb.h"
#include "policy/demystify/causes.h"
#include "policy/loader/load.h"
#include "policy/rules/predicates.h"
#include "tests/testing/files.h"
#include "tests/testing/status_matchers.h"

namespace mulligan {
namespace {

using ::google::protobuf::Descriptor;
using ::google::protobuf::EnumDescriptor;
using ::google::protobuf::FieldDescriptor;
using ::testing::HasSubstr;
using ::testing::IsEmpty;
using ::testing::IsNull;
using ::testing::Not;
using ::testing::NotNull;

constexpr char kReference[] = "docs/policy-reference.md";

// What a policy file may contain, found by walking the schema.
struct Schema {
  std::set<std::string> keys;
  std::set<std::string> names;
  std::set<const Descriptor*> seen;
};

void AddEnum(const EnumDescriptor& type, Schema& schema) {
  for (int i = 0; i < type.value_count(); ++i) {
    if (type.value(i)->number() != 0) {
      schema.names.insert(type.value(i)->name());
    }
  }
}

void AddMessage(const Descriptor& type, Schema& schema) {
  if (!schema.seen.insert(&type).second) return;
  if (type.full_name() == "google.protobuf.Duration") return;
  // Pasted objects have the keys of their operators.
  if (type.full_name().find(".kubernetes.") != std::string::npos) return;
  for (int i = 0; i < type.field_count(); ++i) {
    const FieldDescriptor& field = *type.field(i);
    if (!type.options().map_entry()) schema.keys.insert(field.json_name());
    if (field.enum_type() != nullptr) AddEnum(*field.enum_type(), schema);
    if (field.message_type() != nullptr) {
      AddMessage(*field.message_type(), schema);
    }
  }
}

class PolicyReferenceTest : public ::testing::Test {
 protected:
  void SetUp() override {
    ASSERT_OK_AND_ASSIGN(text_,
                         testing::ReadFile(testing::SourcePath(kReference)));
    AddMessage(*v1::RetryPolicy::descriptor(), schema_);
  }

  std::string text_;
  Schema schema_;
};

TEST_F(PolicyReferenceTest, DescribesEveryKey) {
  ASSERT_GT(schema_.keys.size(), 70u);
  for (const std::string& key : schema_.keys) {
    EXPECT_THAT(text_, HasSubstr("`" + key + "`"));
  }
}

TEST_F(PolicyReferenceTest, ListsEveryEnumName) {
  ASSERT_GT(schema_.names.size(), 80u);
  for (const std::string& name : schema_.names) {
    EXPECT_THAT(text_, HasSubstr("`" + name + "`"));
  }
}

TEST(PolicyTestingTest, DescribesEveryKeyOfSuites) {
  ASSERT_OK_AND_ASSIGN(
      const std::string text,
      testing::ReadFile(testing::SourcePath("docs/policy-testing.md")));
  for (const Descriptor* type :
       {v1::PolicyTestStep::descriptor(), v1::PolicyTestFixture::descriptor(),
        v1::ExpectedAnswer::descriptor()}) {
    for (int i = 0; i < type->field_count(); ++i) {
      EXPECT_THAT(text, HasSubstr("`" + type->field(i)->json_name() + "`"));
    }
  }
}

// The outcome of the first rule whose only condition is this cause.
const v1::Outcome* VerdictOf(v1::Cause cause, const v1::RetryPolicySpec& spec) {
  for (const v1::Rule& rule : spec.rules()) {
    v1::When causes_only;
    *causes_only.mutable_causes() = rule.when().causes();
    if (causes_only.ByteSizeLong() != rule.when().ByteSizeLong()) continue;
    for (const int matched : rule.when().causes()) {
      if (matched == cause) return &rule.then();
    }
  }
  return nullptr;
}

TEST_F(PolicyReferenceTest, GivesDomainAndVerdictOfEveryCause) {
  Issues issues;
  const auto policies = LoadPolicies({}, issues);
  ASSERT_THAT(policies, NotNull());
  const v1::RetryPolicySpec& spec = policies->policies()[0]->source().spec();
  for (int number = v1::STALE_REPORT; number <= v1::UNKNOWN; ++number) {
    const auto cause = static_cast<v1::Cause>(number);
    const v1::Outcome* const verdict = VerdictOf(cause, spec);
    std::string row = "\n| `" + v1::Cause_Name(cause) + "` | `" +
                      v1::Diagnosis::FaultDomain_Name(RowOf(cause).domain) +
                      "` | `";
    // Decided before any rule is evaluated (NotAFailureTest).
    if (kNoFailures.Contains(cause)) {
      EXPECT_THAT(verdict, IsNull()) << v1::Cause_Name(cause);
      EXPECT_THAT(text_,
                  HasSubstr(row + (cause == v1::SUSPENDED ? "WAIT" : "IGNORE") +
                            "` |"));
      continue;
    }
    ASSERT_THAT(verdict, NotNull()) << v1::Cause_Name(cause);
    row += v1::Decision::Action_Name(verdict->action()) + "`";
    if (!verdict->budget().empty()) {
      row += ", budget `" + verdict->budget() + "`";
    }
    EXPECT_THAT(text_, HasSubstr(row));
  }
}

// Fenced ```yaml blocks with a line "kind: RetryPolicy".
std::vector<std::string> CompleteExamples(const std::string& text) {
  std::vector<std::string> examples;
  const std::string open = "\n```yaml\n";
  size_t start = text.find(open);
  while (start != text.npos) {
    start += open.size();
    const size_t end = text.find("\n```", start);
    std::string block = text.substr(start, end + 1 - start);
    if (block.find("kind: RetryPolicy") != block.npos) {
      examples.push_back(std::move(block));
    }
    start = text.find(open, end);
  }
  return examples;
}

TEST_F(PolicyReferenceTest, ShowsExamplesThatLoadWithoutIssues) {
  const std::vector<std::string> examples = CompleteExamples(text_);
  ASSERT_THAT(examples, Not(IsEmpty()));
  for (const std::string& example : examples) {
    Issues issues;
    EXPECT_THAT(LoadPolicies({{"example.yaml", example}}, issues), NotNull());
    for (const Issue& issue : issues) ADD_FAILURE() << FormatIssue(issue);
  }
}

}  // namespace
}  // namespace mulligan
