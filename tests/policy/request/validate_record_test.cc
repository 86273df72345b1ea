// Decisions in ledger records, at each bound and past it.
#include <cstdint>
#include <string>

#include "absl/strings/str_cat.h"
#include "gmock/gmock.h"
#include "gtest/gtest.h"
#include "policy/limits.h"
#include "policy/request/refusal.h"
#include "policy/request/validate.h"
#include "tests/policy/fixtures.h"

namespace mulligan {
namespace {

using testing::Parse;

struct RecordRow {
  const char* name;
  std::string decision;
  // The field that is refused; empty: the record is valid.
  const char* refused;
};

class RecordTest : public ::testing::TestWithParam<RecordRow> {};

TEST_P(RecordTest, IsRefusedByItsField) {
  const auto request = Parse<v1::DecideRequest>(
      absl::StrCat("report { exit {} } ledger { history { failure_id: 'f' "
                   "attempt: 1 decision { ",
                   GetParam().decision, " } } }"));
  std::string fields;
  for (const FieldViolation& violation :
       Validate(request, Owners(request.report()))) {
    EXPECT_FALSE(violation.description.empty());
    absl::StrAppend(&fields, violation.field);
  }
  const std::string refused = GetParam().refused;
  EXPECT_EQ(fields, refused.empty()
                        ? ""
                        : absl::StrCat("ledger.history[0].decision.", refused));
}

std::string Delay(std::int64_t seconds) {
  return absl::StrCat("retry_after { seconds: ", seconds, " }");
}
std::string Memory(const char* factor) {
  return absl::StrCat("resources { resource: 'memory' factor: ", factor, " } ");
}
std::string Changes(int count) {
  std::string text;
  while (count-- > 0) text += Memory("2");
  return text;
}
std::string Letters(std::size_t count) { return std::string(count, 'x'); }
std::string Sentence(std::size_t size) {
  return absl::StrCat("sentence: '", Letters(size), "'");
}
std::string Node(const std::string& node, std::size_t reason) {
  return absl::StrCat("placement { avoid_nodes { node: '", node, "' reason: '",
                      Letters(reason), "' } }");
}
std::string OnDemand(std::size_t reason) {
  return absl::StrCat("placement { on_demand_reason: '", Letters(reason),
                      "' }");
}

const RecordRow kRecords[] = {
    {"Delay", Delay(kMaxPolicySeconds), ""},
    {"LongDelay", Delay(kMaxPolicySeconds + 1), "retryAfter"},
    {"NegativeDelay", Delay(-5), "retryAfter"},
    {"Changes", Changes(kMaxRecordAdvice), ""},
    {"ManyChanges", Changes(kMaxRecordAdvice + 1), "resources"},
    {"Factor", Memory("1000"), ""},
    {"LargeFactor", Memory("1001"), "resources[0].factor"},
    {"NoFactor", Memory("0"), "resources[0].factor"},
    {"FactorThatShrinks", Memory("0.5"), "resources[0].factor"},
    {"FactorThatIsNotANumber", Memory("nan"), "resources[0].factor"},
    {"ChangeOfNothing", "resources { factor: 2 }", "resources[0].resource"},
    {"Sentence", Sentence(kMaxNameBytes), ""},
    {"LongSentence", Sentence(kMaxNameBytes + 1), "sentence"},
    {"Node", Node("n", kMaxNameBytes), ""},
    {"LongReason", Node("n", kMaxNameBytes + 1),
     "placement.avoidNodes[0].reason"},
    {"LongNode", Node(Letters(kMaxLedgerNodeBytes + 1), 0),
     "placement.avoidNodes[0].node"},
    {"NoNode", Node("", 0), "placement.avoidNodes[0].node"},
    {"OnDemand", OnDemand(kMaxNameBytes), ""},
    {"LongOnDemandReason", OnDemand(kMaxNameBytes + 1),
     "placement.onDemandReason"},
};

INSTANTIATE_TEST_SUITE_P(Validate, RecordTest, ::testing::ValuesIn(kRecords),
                         [](const auto& row) { return row.param.name; });

}  // namespace
}  // namespace mulligan
