#include <string>

#include "google/protobuf/text_format.h"
#include "gtest/gtest.h"
#include "mulligan/v1/retry_decision_service.pb.h"
#include "policy/words/sentences.h"
#include "tests/policy/failures.h"

namespace mulligan::words {
namespace {

struct DifferentRow {
  const char* name;
  const char* response;
  const char* remark;
  const char* step;
};

class DifferentCausesTest : public ::testing::TestWithParam<DifferentRow> {};

TEST_P(DifferentCausesTest, AreNamedIfTheOperatorGaveUp) {
  v1::DecideResponse response;
  ASSERT_TRUE(google::protobuf::TextFormat::ParseFromString(GetParam().response,
                                                            &response));
  const v1::FailureReport none;
  const DifferentCauses found = FindDifferentCauses(
      {.owners = Owners(none),
       .workload = none.workload(),
       .failure = mulligan::testing::FailureIn(response.diagnosis()),
       .diagnosis = response.diagnosis(),
       .ledger = response.ledger(),
       .native = response.has_native() ? &response.native() : nullptr});
  EXPECT_EQ(found.remark, GetParam().remark);
  EXPECT_EQ(found.step, GetParam().step);
}

const DifferentRow kDifferentRows[] = {
    {"OneOfThemNeedsAPerson",
     "native { action: FAIL scope: JOB } diagnosis { cause: DRAINED } ledger { "
     "history { cause: SPOT_RECLAIMED } history { cause: CONTAINER_OOM } "
     "history { cause: DRAINED } }",
     "3 attempts failed for different reasons (spot reclaimed, container OOM, "
     "drained)",
     "container OOM before it needs a person: see the attempts"},
    {"SeveralNeedAPerson",
     "native { action: FAIL scope: JOB } diagnosis { cause: NODE_LOST } ledger "
     "{ history { cause: GPU_OOM } history { cause: APP_ERROR } history { "
     "cause: NODE_LOST } }",
     "3 attempts failed for different reasons (GPU OOM, app error, node lost)",
     "GPU OOM and app error before it need a person: see the attempts"},
    // The first step is that of the last failure, which also needs one.
    {"TheLastNeedsAPerson",
     "native { action: FAIL scope: JOB } diagnosis { cause: APP_ERROR } ledger "
     "{ history { cause: DRAINED } history { cause: APP_ERROR } }",
     "2 attempts failed for different reasons (drained, app error)", ""},
    {"SuspensionIsNoFailure",
     "native { action: FAIL scope: JOB } diagnosis { cause: SUSPENDED } ledger "
     "{ history { cause: GPU_FAULT } history { cause: APP_ERROR } }",
     "2 attempts failed for different reasons (GPU fault, app error)", ""},
    {"OneCause",
     "native { action: FAIL scope: JOB } diagnosis { cause: APP_ERROR } ledger "
     "{ history { cause: APP_ERROR } history { cause: APP_ERROR } }",
     "", ""},
    {"TheOperatorContinues",
     "native { action: RETRY scope: JOB } diagnosis { cause: DRAINED } ledger "
     "{ history { cause: APP_ERROR } history { cause: DRAINED } }",
     "", ""},
};

INSTANTIATE_TEST_SUITE_P(Rows, DifferentCausesTest,
                         ::testing::ValuesIn(kDifferentRows),
                         [](const auto& row) { return row.param.name; });

}  // namespace
}  // namespace mulligan::words
