// An invented kind whose row is linked in the place of THE table of kinds.
// Deciding, charging and explaining work as for real kinds, so a new kind
// requires no other change.
#define Kinds RealKinds
#include "policy/request/kinds.cc"
#undef Kinds

#include <string>
#include <vector>

#include "gmock/gmock.h"
#include "gtest/gtest.h"
#include "policy/decide.h"
#include "policy/request/field_path.h"
#include "policy/request/kind_names.h"
#include "tests/policy/fixtures.h"

namespace mulligan {
namespace {

using testing::Parse;

// The object. A report has no field for it, so it is kept here.
struct ToyRun {
  kubernetes::meta::v1::ObjectMeta meta;
  google::protobuf::RepeatedPtrField<kubernetes::meta::v1::Condition>
      conditions;
  int tries = 0;
};
const ToyRun* toy = nullptr;

bool ViewToyRun(const v1::FailureReport&, WorkloadView& view) {
  if (toy == nullptr) return false;
  view.kind_name = "ToyRun";
  view.meta = &toy->meta;
  view.has_status = true;
  view.conditions = ConditionList(toy->conditions);
  view.phase = PhaseBy(toy->conditions, "Completed", WorkloadPhase::kOpen);
  view.has_run = view.was_tried = toy->tries > 0;
  view.deadline_seconds = 7200;
  return true;
}

void BoundToyRun(const v1::FailureReport&, const FieldPath& object) {
  object.Number("tries", toy->tries, 0, 1000);
}

NativeCount CountToyRun(const v1::FailureReport&, std::int32_t earlier) {
  return MakeNativeCount(toy->tries - 1 - earlier, toy->tries, "ToyRun.tries",
                         toy->tries);
}

bool IdentifyToyRun(const v1::FailureReport&, StableHash& hash) {
  hash.Add(static_cast<std::uint64_t>(toy->tries));
  return toy->tries > 0;
}

void DescribeToyRun(const v1::FailureReport&, ObjectDetails& words) {
  words.log_command = "toys logs r";
}

constexpr Kind kToyRun = {.name = "ToyRun",
                          .group = "toys.example.org",
                          .field = "toyRun",
                          .retried = Scope::JOB_SET,
                          .given_up = Scope::CLUSTER,
                          // Its conditions have the meaning of a JobSet's.
                          .source = "JobSet",
                          .makes_jobs = true,
                          .view = ViewToyRun,
                          .bound = BoundToyRun,
                          .count = CountToyRun,
                          .identify = IdentifyToyRun,
                          .tell = DescribeToyRun};

}  // namespace

std::span<const Kind> Kinds() {
  static const auto* const kinds = [] {
    auto* const all =
        new std::vector<Kind>(RealKinds().begin(), RealKinds().end());
    all->push_back(kToyRun);
    return all;
  }();
  return *kinds;
}

namespace {

constexpr char kPolicy[] = R"pb(
  budgets {
    key: "application"
    value { limit: 3 }
  }
  default {
    action: RETRY
    budget: "application"
    backoff { initial { seconds: 10 } }
  }
  derivation { same_fingerprint: 0 crash_loop_failures: 0 }
)pb";

class ToyKindTest : public ::testing::Test {
 protected:
  ToyKindTest() : policies_(testing::SetOf(kPolicy)) {
    run_.meta.set_name("r");
    run_.meta.set_uid("r-uid");
    toy = &run_;
    request_ = Parse<v1::DecideRequest>(R"pb(
      report {
        observed_at { seconds: 100000 }
        workload { kind: "ToyRun" name: "r" uid: "r-uid" }
        pods {
          metadata { name: "r-1" uid: "p-uid" }
          spec { containers { name: "main" } }
          status {
            phase: "Failed"
            container_statuses {
              name: "main"
              state {
                terminated {
                  exit_code: 3
                  reason: "Error"
                  started_at { seconds: 99000 }
                  finished_at { seconds: 99990 }
                }
              }
            }
          }
        }
      }
    )pb");
  }
  ~ToyKindTest() override { toy = nullptr; }

  // Only the object reports the condition; the pods are gone.
  void Say(const char* condition, const char* message = "") {
    request_.mutable_report()->clear_pods();
    auto& said = *run_.conditions.Add();
    said.set_type(condition);
    said.set_status("True");
    said.set_message(message);
    said.mutable_last_transition_time()->set_seconds(99995);
  }

  v1::DecideResponse Decided() {
    v1::DecideResponse response;
    status_ = Decide(request_, *policies_, {}, response);
    return response;
  }

  ToyRun run_;
  std::unique_ptr<const PolicySet> policies_;
  v1::DecideRequest request_;
  absl::Status status_;
};

TEST_F(ToyKindTest, IsRecognizedByItsName) {
  EXPECT_TRUE(IsKnownKind("ToyRun"));
  EXPECT_EQ(SuggestKind("toyruns"), "ToyRun");
}

TEST_F(ToyKindTest, IsRetriedWhereItsRowSays) {
  run_.tries = 1;
  const v1::DecideResponse response = Decided();
  ASSERT_TRUE(status_.ok()) << status_;
  EXPECT_EQ(response.decision().action(), v1::Decision::RETRY);
  EXPECT_EQ(response.decision().scope(), v1::Decision::JOB_SET);
  EXPECT_EQ(response.accounting().charged_to(), "application");
}

TEST_F(ToyKindTest, ChargesItsOperatorsCount) {
  run_.tries = 3;
  const v1::DecideResponse response = Decided();
  EXPECT_EQ(response.ledger().budgets().at("application").used(), 3)
      << response.DebugString();
}

TEST_F(ToyKindTest, IsGivenUpWhereItsRowSays) {
  run_.tries = 4;
  const v1::DecideResponse response = Decided();
  EXPECT_EQ(response.decision().action(), v1::Decision::FAIL);
  EXPECT_EQ(response.decision().scope(), v1::Decision::CLUSTER);
}

TEST_F(ToyKindTest, DistinguishesFailures) {
  Say("Failed");
  run_.tries = 1;
  const std::string first = Decided().failure_id();
  EXPECT_EQ(Decided().failure_id(), first);
  run_.tries = 2;
  EXPECT_NE(Decided().failure_id(), first);
}

TEST_F(ToyKindTest, NamesTheCommandForItsLog) {
  Say("Failed", "the program ended with 3");
  EXPECT_THAT(Decided().diagnosis().first_step().text(),
              ::testing::HasSubstr("toys logs r"))
      << Decided().DebugString();
}

TEST_F(ToyKindTest, IsRefusedOutsideItsBounds) {
  run_.tries = -1;
  Decided();
  EXPECT_EQ(status_.code(), absl::StatusCode::kInvalidArgument);
  EXPECT_THAT(std::string(status_.message()),
              ::testing::HasSubstr("report.toyRun.tries"));
}

TEST_F(ToyKindTest, HasTheSituationOfItsConditions) {
  Say("Completed");
  EXPECT_EQ(Decided().diagnosis().situation(), v1::Diagnosis::FINISHED);
  run_.conditions.Clear();
  Say("Suspended");
  EXPECT_EQ(Decided().diagnosis().situation(), v1::Diagnosis::HELD);
  run_.conditions.Clear();
  Say("Failed");
  EXPECT_EQ(Decided().diagnosis().situation(), v1::Diagnosis::BROKEN);
}

}  // namespace
}  // namespace mulligan
