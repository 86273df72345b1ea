// Workloads with more pods than fit into a request.
#include "client/cli/input/reduction.h"

#include <cstddef>
#include <set>
#include <string>
#include <vector>

#include "absl/strings/str_cat.h"
#include "client/cli/input/report_builder.h"
#include "gmock/gmock.h"
#include "gtest/gtest.h"
#include "policy/limits.h"
#include "tests/testing/proto_matchers.h"
#include "tests/testing/status_matchers.h"

namespace mulligan::cli {
namespace {

using ::testing::Contains;
using ::testing::ElementsAre;
using ::testing::Gt;
using ::testing::IsNull;
using ::testing::Lt;
using ::testing::SizeIs;

using Health = PodSigns::Health;

// Returns broken pods in reverse order of their ends, with equal messages on
// one node.
std::vector<PodSigns> Alike(std::size_t number) {
  std::vector<PodSigns> pods;
  for (std::size_t i = 0; i < number; ++i) {
    const auto ended = static_cast<std::int64_t>(1000 + number - i);
    pods.push_back({Health::kBroken, 100, ended, 1, 1});
  }
  return pods;
}

kubernetes::core::v1::Pod Failed(int number, std::int64_t ended,
                                 const std::string& message) {
  kubernetes::core::v1::Pod pod;
  pod.mutable_metadata()->set_name(absl::StrCat("p-", number));
  pod.mutable_status()->set_phase("Failed");
  auto& run = *pod.mutable_status()
                   ->add_container_statuses()
                   ->mutable_state()
                   ->mutable_terminated();
  run.set_exit_code(1);
  run.set_message(message);
  run.mutable_finished_at()->set_seconds(ended);
  return pod;
}

TEST(ChoosePods, TakesAllIfTheyFit) {
  EXPECT_THAT(ChoosePods(Alike(3), 3), ElementsAre(0, 1, 2));
}

TEST(ChoosePods, TakesTheFirstAndLastToFail) {
  const std::vector<std::size_t> chosen = ChoosePods(Alike(1000), 100);
  EXPECT_THAT(chosen, SizeIs(100));
  // The last ten, and the earliest.
  EXPECT_EQ(chosen[9], 9);
  EXPECT_EQ(chosen[10], 910);
  EXPECT_EQ(chosen.back(), 999);
}

TEST(ChoosePods, TakesOtherMessagesAndNodes) {
  std::vector<PodSigns> pods = Alike(1000);
  pods[500].words = 2;
  pods[400].words = 2;
  pods[300].node = 2;
  const std::vector<std::size_t> chosen = ChoosePods(pods, 100);
  EXPECT_THAT(chosen, Contains(500));
  EXPECT_THAT(chosen, ::testing::Not(Contains(400)));
  EXPECT_THAT(chosen, Contains(300));
}

TEST(ChoosePods, TakesTheNewestAttemptAndTheFirstFailuresOfOthers) {
  std::vector<PodSigns> pods = Alike(500);
  for (const PodSigns& pod : Alike(500)) {
    pods.push_back(pod);
    pods.back().created = 5000;
    pods.back().ended += 5000;
  }
  const std::vector<std::size_t> chosen = ChoosePods(pods, 100);
  EXPECT_THAT(chosen, Contains(999));
  EXPECT_THAT(chosen, Contains(499));
  EXPECT_THAT(chosen, ::testing::Not(Contains(498)));
}

TEST(ChoosePods, TakesAFewHealthyPods) {
  std::vector<PodSigns> pods = Alike(1000);
  for (const Health health :
       {Health::kPending, Health::kRunning, Health::kSucceeded}) {
    for (int i = 0; i < 100; ++i) {
      pods.push_back({.health = health, .created = 2000 + i});
    }
  }
  std::multiset<Health> found;
  for (const std::size_t i : ChoosePods(pods, 100)) {
    if (pods[i].health != Health::kBroken) {
      EXPECT_GE(pods[i].created, 2090);
    }
    found.insert(pods[i].health);
  }
  EXPECT_EQ(found.count(Health::kBroken), 70);
  EXPECT_EQ(found.count(Health::kPending), 10);
  EXPECT_EQ(found.count(Health::kRunning), 10);
  EXPECT_EQ(found.count(Health::kSucceeded), 10);
}

TEST(SignsOf, IgnoresDigitsInMessages) {
  const PodSigns pod = SignsOf(Failed(1, 7, "rank 1 lost 10.0.0.1 at 0x7fab"));
  EXPECT_EQ(pod.ended, 7);
  EXPECT_EQ(pod.words,
            SignsOf(Failed(2, 8, "rank 23 lost 10.2.3.4 at 0x6f")).words);
  EXPECT_NE(pod.words, SignsOf(Failed(1, 7, "rank 1 is out of memory")).words);
}

TEST(SignsOf, UsesTheTimeOfTheDisruption) {
  kubernetes::core::v1::Pod pod = Failed(1, 700, "");
  auto& condition = *pod.mutable_status()->add_conditions();
  condition.set_type("DisruptionTarget");
  condition.mutable_last_transition_time()->set_seconds(650);
  EXPECT_EQ(SignsOf(pod).ended, 650);
  kubernetes::core::v1::Pod evicted;
  evicted.mutable_status()->set_phase("Failed");
  *evicted.mutable_status()->add_conditions() = condition;
  EXPECT_EQ(SignsOf(evicted).ended, 650);
}

TEST(ReducePods, CountsOmittedPods) {
  v1::FailureReport report;
  for (int i = 0; i < 90; ++i) *report.add_pods() = Failed(i, 500 - i, "x");
  for (int i = 0; i < 30; ++i) {
    report.add_pods()->mutable_status()->set_phase("Running");
  }
  ReducePods(report, 40);
  EXPECT_THAT(report.pods(), SizeIs(40));
  EXPECT_EQ(report.pods(0).metadata().name(), "p-0");
  EXPECT_EQ(report.pods(29).metadata().name(), "p-89");
  EXPECT_THAT(report.omitted_pods(),
              mulligan::testing::EqualsProto("failed: 60 running: 20"));
}

TEST(ReducePods, TakesFewerLargePods) {
  v1::FailureReport report;
  for (int i = 0; i < 100; ++i) {
    *report.add_pods() = Failed(i, 500 - i, std::string(1000, 'x'));
  }
  ReducePods(report, 90, 50'000);
  EXPECT_THAT(report.ByteSizeLong(), Lt(51'000));
  EXPECT_THAT(report.pods_size(), Gt(40));
  EXPECT_EQ(report.pods_size() + report.omitted_pods().failed(), 100);
}

TEST(ReduceEvents, KeepsWarningsAboutReportedObjects) {
  v1::FailureReport report;
  report.add_pods()->mutable_metadata()->set_name("here");
  const auto add = [&](const char* reason, const char* type, const char* pod) {
    auto& event = *report.add_events();
    event.set_reason(reason);
    event.set_type(type);
    event.mutable_involved_object()->set_kind("Pod");
    event.mutable_involved_object()->set_name(pod);
    event.mutable_last_timestamp()->set_seconds(report.events_size());
  };
  add("Gone", "Warning", "gone");
  add("Older", "Warning", "here");
  add("Newer", "Warning", "here");
  add("Normal", "Normal", "here");
  EXPECT_EQ(ReduceEvents(report, 4), 0);
  EXPECT_EQ(ReduceEvents(report, 3), 1);
  EXPECT_EQ(report.events(0).reason(), "Older");
  EXPECT_EQ(ReduceEvents(report, 1), 2);
  EXPECT_EQ(report.events(0).reason(), "Newer");
  EXPECT_EQ(ReduceEvents(report, 1, 1), 1);
}

std::string Item(int number, const std::string& owner) {
  return absl::StrCat(
      R"({"kind":"Pod","metadata":{"name":"p","uid":"u)", number,
      R"(","ownerReferences":[{"uid":")", owner,
      R"(","controller":true}]},"status":{"phase":"Running"}})");
}

TEST(ListReduction, ReducesByController) {
  std::vector<std::string> texts = {R"({"kind":"Job"})", Item(0, "small")};
  for (int i = 1; i < 60; ++i) texts.push_back(Item(i, "large"));
  texts.emplace_back(R"({"kind":"Pod","metadata":{"uid":"nobody's"}})");
  const std::vector<std::string_view> items(texts.begin(), texts.end());
  const ListReduction reduction(items, "List", 20);
  int dropped = 0;
  for (std::size_t i = 0; i < items.size(); ++i) {
    if (reduction.IsDropped(i)) ++dropped;
  }
  EXPECT_EQ(dropped, 39);
  EXPECT_FALSE(reduction.IsDropped(0));
  EXPECT_FALSE(reduction.IsDropped(1));
  EXPECT_FALSE(reduction.IsDropped(items.size() - 1));
  EXPECT_THAT(reduction.Find(1), IsNull());
  ASSERT_THAT(reduction.Find(2), ::testing::NotNull());
  EXPECT_EQ(reduction.Find(2)->running(), 39);
}

TEST(ListReduction, FitsALargeListIntoARequest) {
  std::string list = R"({"kind":"PodList","apiVersion":"v1","items":[)";
  constexpr int kPods = 4000;
  const std::string padding(2500, 'x');
  for (int i = 0; i < kPods; ++i) {
    list += R"({"metadata":{"annotations":{"p":")" + padding + R"("}}},)";
  }
  list += "{}]}";
  ASSERT_GT(list.size(), 10'000'000);
  ReportBuilder builder;
  ASSERT_OK(builder.Add("in", list));
  ASSERT_OK_AND_ASSIGN(const v1::DecideRequest request, builder.Build());
  EXPECT_LT(request.ByteSizeLong(), kMaxRequestBytes);
  EXPECT_EQ(
      request.report().pods_size() + request.report().omitted_pods().pending(),
      kPods + 1);
}

}  // namespace
}  // namespace mulligan::cli
