// A failure is charged exactly once: random incidents and random views of them,
// against a plain count of the attempts shown.
//
// MULLIGAN_SEQUENCES is the number of sequences, if more than the default.
#include <algorithm>
#include <cstdlib>
#include <set>
#include <string>
#include <vector>

#include "absl/strings/numbers.h"
#include "absl/strings/str_cat.h"
#include "gtest/gtest.h"
#include "policy/decide.h"
#include "tests/policy/fixtures.h"
#include "tests/testing/random.h"
#include "tests/testing/status_matchers.h"

namespace mulligan {
namespace {

namespace core = kubernetes::core::v1;
using testing::Bytes;
using testing::SetOf;

constexpr int kSequences = 1000;

// Every retry is charged to one budget, so its use counts the charges.
constexpr char kOneBudget[] =
    "budgets { key: 'application' value { limit: 900 } } default { action: "
    "RETRY budget: 'application' } max_attempts: 900 derivation { "
    "same_fingerprint: 0 poison_nodes: 0 crash_loop_failures: 0 "
    "bad_node_failures: 0 }";

int Sequences() {
  int wanted = kSequences;
  const char* text = std::getenv("MULLIGAN_SEQUENCES");
  if (text != nullptr) {
    EXPECT_TRUE(absl::SimpleAtoi(text, &wanted)) << text;
  }
  return wanted;
}

// The actual incident: one attempt whose members failed together.
struct Attempt {
  std::vector<core::Pod> pods;
  int ended = 0;
};

struct PastRun {
  int members = 1;
  std::vector<Attempt> attempts;
};

core::Pod RandomPod(testing::Random& random, int attempt, int member, int begin,
                    int end, bool root) {
  core::Pod pod;
  pod.mutable_metadata()->set_name(absl::StrCat("w-", attempt, "-", member));
  pod.mutable_metadata()->set_uid(absl::StrCat("uid-", attempt, "-", member));
  pod.mutable_metadata()->mutable_creation_timestamp()->set_seconds(begin);
  auto& owner = *pod.mutable_metadata()->add_owner_references();
  owner.set_kind("Job");
  owner.set_name("w");
  owner.set_uid("job");
  owner.set_controller(true);
  pod.mutable_spec()->set_node_name(absl::StrCat("n", random.Below(4)));
  auto& status = *pod.mutable_status();
  status.set_phase("Failed");
  auto& container = *status.add_container_statuses();
  container.set_name("main");
  auto& run = *container.mutable_state()->mutable_terminated();
  run.mutable_started_at()->set_seconds(begin + random.Below(2));
  run.mutable_finished_at()->set_seconds(end);
  run.set_reason("Error");
  constexpr int kCodes[] = {1, 2, 137, 139, 143, 255};
  run.set_exit_code(kCodes[random.Below(6)]);
  if (random.OneIn(3)) {
    run.set_exit_code(137);
    run.set_reason("OOMKilled");
  } else if (!root && random.OneIn(2)) {
    run.set_exit_code(1);
    run.set_message("NCCL error: unhandled system error, remote peer died");
  }
  return pod;
}

PastRun RandomHistory(testing::Random& random) {
  PastRun history;
  history.members = 1 + random.Below(4);
  int now = 1'000'000;
  for (int attempt = 0; attempt < 1 + random.Below(5); ++attempt) {
    Attempt& one = history.attempts.emplace_back();
    const int first_end = now + 20 + random.Below(3000);
    for (int member = 0; member < history.members; ++member) {
      const int begin = now + random.Below(10);
      const int end = first_end + (member == 0 ? 0 : random.Below(90));
      one.pods.push_back(
          RandomPod(random, attempt, member, begin, end, member == 0));
      one.ended = std::max(one.ended, end);
    }
    now = one.ended + 1 + random.Below(300);
  }
  return history;
}

struct View {
  v1::FailureReport report;
  // Attempts of which a pod is shown, the current one included.
  std::set<int> shown;
};

// Some pods of attempt `at`, perhaps some of those before it.
View RandomView(testing::Random& random, const PastRun& history, int at,
                bool with_job) {
  View view;
  std::vector<core::Pod> pods;
  for (int attempt = 0; attempt <= at; ++attempt) {
    if (attempt < at && !random.OneIn(3)) continue;
    const auto& all = history.attempts[static_cast<std::size_t>(attempt)].pods;
    const int must = random.Below(history.members);
    for (int member = 0; member < history.members; ++member) {
      if (member != must && random.OneIn(2)) continue;
      pods.push_back(all[static_cast<std::size_t>(member)]);
    }
    view.shown.insert(attempt);
  }
  random.Shuffle(pods);
  for (const core::Pod& pod : pods) *view.report.add_pods() = pod;
  if (random.OneIn(3)) {
    view.report.set_failure_id(absl::StrCat("attempt-", at));
  }
  if (with_job) {
    auto& job = *view.report.add_jobs();
    job.mutable_metadata()->set_name("w");
    job.mutable_metadata()->set_uid("job");
    job.mutable_spec()->set_parallelism(history.members);
    job.mutable_status()->set_failed(history.members * (at + 1));
  } else if (random.OneIn(3)) {
    view.report.mutable_workload()->set_uid("job");
    view.report.mutable_workload()->set_kind("Job");
    view.report.mutable_workload()->set_name("w");
  }
  if (random.OneIn(3)) {
    auto& node = *view.report.add_nodes();
    node.mutable_metadata()->set_name("n0");
    auto& ready = *node.mutable_status()->add_conditions();
    ready.set_type("Ready");
    ready.set_status("True");
  }
  return view;
}

class OneChargeTest : public ::testing::Test {
 protected:
  v1::DecideResponse Decided(const v1::FailureReport& report, int now) {
    v1::DecideRequest request;
    *request.mutable_report() = report;
    request.mutable_report()->mutable_observed_at()->set_seconds(now);
    if (ledger_.attempts_seen() > 0) *request.mutable_ledger() = ledger_;
    // Only this caller starts the next attempt, whatever pods there are.
    request.set_replaces_operator(true);
    v1::DecideResponse response;
    EXPECT_THAT(Decide(request, *policies_, {}, response), testing::IsOk())
        << report.DebugString();
    ledger_ = response.ledger();
    return response;
  }

  std::int64_t Charged() const {
    std::int64_t charged = 0;
    for (const auto& [name, use] : ledger_.budgets()) charged += use.used();
    return charged;
  }

  const std::unique_ptr<const PolicySet> policies_ = SetOf(kOneBudget);
  v1::BudgetLedger ledger_;
};

// The plain count: an attempt is charged when shown together with a new one.
TEST_F(OneChargeTest, EveryAttemptShownIsChargedOnce) {
  const int sequences = Sequences();
  for (int seed = 0; seed < sequences && !HasFailure(); ++seed) {
    testing::Random random(static_cast<unsigned>(seed));
    const PastRun history = RandomHistory(random);
    ledger_.Clear();
    std::set<int> charged;
    int now = 0;
    for (int at = 0; at < static_cast<int>(history.attempts.size()); ++at) {
      const auto& attempt = history.attempts[static_cast<std::size_t>(at)];
      now = std::max(now, attempt.ended);
      for (int reports = 1 + random.Below(4); reports > 0; --reports) {
        // Sometimes an older attempt is reported again.
        const int which =
            random.OneIn(4) && !charged.empty()
                ? *std::next(charged.begin(),
                             random.Below(static_cast<int>(charged.size())))
                : at;
        const View view = RandomView(random, history, which, false);
        const bool is_new = charged.insert(which).second;
        if (is_new) charged.insert(view.shown.begin(), view.shown.end());
        const v1::DecideResponse answer = Decided(view.report, now);
        now += 1 + random.Below(5);
        ASSERT_EQ(ledger_.attempts_seen(), static_cast<int>(charged.size()))
            << "seed " << seed << "\n"
            << answer.DebugString() << view.report.DebugString();
        ASSERT_EQ(Charged(), static_cast<std::int64_t>(charged.size()))
            << "seed " << seed;
        EXPECT_EQ(answer.accounting().duplicate(), !is_new) << "seed " << seed;
      }
    }
  }
}

// The operator's counter includes attempts that were never shown.
TEST_F(OneChargeTest, CountersAndShownAttemptsGiveTheSameCount) {
  const int sequences = Sequences();
  for (int seed = 0; seed < sequences && !HasFailure(); ++seed) {
    testing::Random random(static_cast<unsigned>(seed) + 500'000);
    const PastRun history = RandomHistory(random);
    ledger_.Clear();
    int now = 0;
    for (int at = 0; at < static_cast<int>(history.attempts.size()); ++at) {
      const auto& attempt = history.attempts[static_cast<std::size_t>(at)];
      now = std::max(now, attempt.ended);
      // Some attempts are never reported.
      if (random.OneIn(3)) continue;
      for (int reports = 1 + random.Below(3); reports > 0; --reports) {
        const View view = RandomView(random, history, at, true);
        Decided(view.report, ++now);
        ASSERT_EQ(ledger_.attempts_seen(), at + 1)
            << "seed " << seed << "\n"
            << ledger_.DebugString() << view.report.DebugString();
        ASSERT_EQ(Charged(), at + 1) << "seed " << seed;
      }
    }
  }
}

// More true objects make the diagnosis more specific or change nothing.
TEST_F(OneChargeTest, MoreEvidenceNeverMakesAnAnswerWorse) {
  for (int seed = 0; seed < kSequences && !HasFailure(); ++seed) {
    testing::Random random(static_cast<unsigned>(seed) + 900'000);
    const PastRun history = RandomHistory(random);
    ledger_.Clear();
    const int now = history.attempts[0].ended + 5;
    v1::FailureReport report;
    *report.add_pods() = history.attempts[0].pods[0];
    const v1::DecideResponse less = Decided(report, now);
    auto& job = *report.add_jobs();
    job.mutable_metadata()->set_name("w");
    job.mutable_metadata()->set_uid("job");
    job.mutable_spec()->set_parallelism(history.members);
    job.mutable_status()->set_failed(history.members);
    if (random.OneIn(2)) {
      auto& failed = *job.mutable_status()->add_conditions();
      failed.set_type("Failed");
      failed.set_status("True");
      failed.set_reason("BackoffLimitExceeded");
      failed.mutable_last_transition_time()->set_seconds(now);
    }
    auto& event = *report.add_events();
    event.set_type("Normal");
    event.set_reason("Started");
    event.mutable_involved_object()->set_kind("Pod");
    event.mutable_involved_object()->set_name(report.pods(0).metadata().name());
    auto& node = *report.add_nodes();
    node.mutable_metadata()->set_name(report.pods(0).spec().node_name());
    auto& ready = *node.mutable_status()->add_conditions();
    ready.set_type("Ready");
    ready.set_status("True");
    const v1::DecideResponse more = Decided(report, now);
    EXPECT_GE(more.diagnosis().confidence(), less.diagnosis().confidence())
        << "seed " << seed << "\n"
        << less.diagnosis().DebugString() << more.diagnosis().DebugString();
    EXPECT_EQ(Charged(), 1) << "seed " << seed;
    for (const core::Pod& pod : history.attempts[0].pods) {
      *report.add_pods() = pod;
    }
    report.mutable_pods()->DeleteSubrange(0, 1);
    Decided(report, now);
    EXPECT_EQ(Charged(), 1) << "seed " << seed;
  }
}

}  // namespace
}  // namespace mulligan
