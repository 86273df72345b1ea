// Limits that a workload sets for itself bind like the policy's own.
#include <string>

#include "absl/strings/str_cat.h"
#include "gmock/gmock.h"
#include "gtest/gtest.h"
#include "tests/situations/once_fixture.h"

namespace mulligan::situations {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::IsEmpty;

constexpr int kAt = 100'000;

std::string Annotated(const char* limit) {
  return absl::StrCat("annotations { key: 'mulligan.dev/limit.a' value: '",
                      limit, "' } ");
}

std::string Failed(const std::string& uid, int end,
                   const std::string& more = "") {
  return Pod(uid, Created(end - 60) + more, "Failed",
             Ended(end - 60, end, 1, "Error"));
}

std::string JobWith(const std::string& metadata, const std::string& spec) {
  return absl::StrCat("jobs { metadata { name: 'train' uid: 'J' ", metadata,
                      "} spec { parallelism: 1 completions: 1 ", spec,
                      " } status { failed: 1 conditions { type: 'Failed' "
                      "status: 'True' reason: 'BackoffLimitExceeded' } } } ");
}

// A policy with budget `a` of limit 2; `budget` is more of its spec.
std::string Spec(const std::string& budget) {
  return absl::StrCat("budgets { key: 'a' value { limit: 2 ", budget,
                      " } } default { action: RETRY budget: 'a' } "
                      "derivation { same_fingerprint: 0 poison_nodes: 0 } ");
}

struct LimitCase {
  const char* name;
  std::string budget;
  std::string objects;  // in addition to the pod
  std::string of_pod;
  std::map<std::string, int> limits;
  int limit;
  v1::BudgetState::LimitSource source;
  const char* warning = nullptr;
};

class OwnLimitsTest : public DecideOnceTest,
                      public ::testing::WithParamInterface<LimitCase> {
 protected:
  // The answer about one more failure.
  v1::DecideResponse Ask(int attempt) {
    spec_ = Spec(GetParam().budget);
    limits_ = GetParam().limits;
    replaces_operator_ = true;
    const int end = kAt + 1000 * attempt;
    return DecideAt(GetParam().objects + Failed(absl::StrCat("p", attempt), end,
                                                GetParam().of_pod),
                    end + 1);
  }
};

TEST_P(OwnLimitsTest, AreShownWithTheirSource) {
  const v1::DecideResponse answer = Ask(0);
  const v1::BudgetState& budget = answer.accounting().budgets(0);
  EXPECT_EQ(budget.limit(), GetParam().limit);
  EXPECT_EQ(budget.limit_source(), GetParam().source);
  EXPECT_EQ(answer.accounting().max_attempts(), GetParam().limit + 1);
  if (GetParam().warning == nullptr) {
    EXPECT_THAT(answer.warnings(), IsEmpty());
  } else {
    EXPECT_THAT(answer.warnings(), ElementsAre(HasSubstr(GetParam().warning)));
  }
}

TEST_P(OwnLimitsTest, AreTheNumberOfToleratedFailures) {
  for (int attempt = 0; attempt <= GetParam().limit; ++attempt) {
    const v1::DecideResponse answer = Ask(attempt);
    const bool last = attempt == GetParam().limit;
    EXPECT_EQ(answer.decision().action(),
              last ? v1::Decision::FAIL : v1::Decision::RETRY)
        << attempt;
    EXPECT_EQ(answer.accounting().has_exhaustion(), last) << attempt;
    if (last) {
      EXPECT_EQ(answer.accounting().exhaustion().bound(), attempt);
    }
  }
}

constexpr char kRange[] = "override { min: 1 max: 5 } ";
constexpr char kNative[] = "limit_from: NATIVE ";

const LimitCase kLimits[] = {
    {"ThePolicys",
     "",
     "",
     "",
     {},
     2,
     v1::BudgetState::LIMIT_SOURCE_UNSPECIFIED},
    {"OfTheRequest", kRange, "", "", {{"a", 4}}, 4, v1::BudgetState::REQUEST},
    {"OfAPod", kRange, "", Annotated("3"), {}, 3, v1::BudgetState::ANNOTATION},
    {"OfAJobBeforeItsPods",
     kRange,
     JobWith(Annotated("4"), ""),
     Annotated("3"),
     {},
     4,
     v1::BudgetState::ANNOTATION},
    {"OfAJobSetBeforeItsJobs",
     kRange,
     absl::StrCat("job_set { metadata { name: 'train' uid: 'S' ",
                  Annotated("5"),
                  "} spec {} status { terminal_state: 'Failed' "
                  "} } ",
                  JobWith(Annotated("4"), "")),
     "",
     {},
     5,
     v1::BudgetState::ANNOTATION},
    {"OfTheRequestBeforeAnnotations",
     kRange,
     JobWith(Annotated("4"), ""),
     "",
     {{"a", 1}},
     1,
     v1::BudgetState::REQUEST},
    {"OfItsOperator",
     kNative,
     JobWith("", "backoff_limit: 4"),
     "",
     {},
     4,
     v1::BudgetState::NATIVE},
    {"OfItsOperatorWithinTheRange",
     absl::StrCat(kNative, kRange),
     JobWith("", "backoff_limit: 2147483647"),
     "",
     {},
     5,
     v1::BudgetState::NATIVE},
    {"OfAnOperatorThatStatesNone",
     kNative,
     JobWith("", ""),
     "",
     {},
     2,
     v1::BudgetState::LIMIT_SOURCE_UNSPECIFIED},
    {"PerIndexIsNotOfTheWhole",
     kNative,
     JobWith("", "backoff_limit: 9 backoff_limit_per_index: 1"),
     "",
     {},
     2,
     v1::BudgetState::LIMIT_SOURCE_UNSPECIFIED},
    {"OfAnAnnotationBeforeItsOperator",
     absl::StrCat(kNative, kRange),
     JobWith(Annotated("3"), "backoff_limit: 1"),
     "",
     {},
     3,
     v1::BudgetState::ANNOTATION},
    {"AboveTheRange",
     kRange,
     "",
     "",
     {{"a", 6}},
     2,
     v1::BudgetState::LIMIT_SOURCE_UNSPECIFIED,
     "limits[a] is \"6\", which is left out: expected a whole number from 1 to "
     "5"},
    {"BelowTheRange",
     kRange,
     "",
     Annotated("0"),
     {},
     2,
     v1::BudgetState::LIMIT_SOURCE_UNSPECIFIED,
     "from 1 to 5"},
    {"NoNumber",
     kRange,
     "",
     Annotated("many"),
     {},
     2,
     v1::BudgetState::LIMIT_SOURCE_UNSPECIFIED,
     "annotation mulligan.dev/limit.a of pod p0 is \"many\""},
    {"NotAllowed",
     "",
     "",
     "",
     {{"a", 3}},
     2,
     v1::BudgetState::LIMIT_SOURCE_UNSPECIFIED,
     "its limit stays 2"},
    {"OfNoBudget",
     kRange,
     "",
     "",
     {{"b", 3}},
     2,
     v1::BudgetState::LIMIT_SOURCE_UNSPECIFIED,
     "has no budget \"b\""},
};

INSTANTIATE_TEST_SUITE_P(Sources, OwnLimitsTest, ::testing::ValuesIn(kLimits),
                         [](const auto& row) {
                           return std::string(row.param.name);
                         });

}  // namespace
}  // namespace mulligan::situations
