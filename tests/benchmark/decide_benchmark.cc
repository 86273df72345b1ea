// The decision core: from a parsed request to a filled answer, with the default
// policy and a summary explanation.
#include <benchmark/benchmark.h>
#include <google/protobuf/arena.h>
#include <google/protobuf/text_format.h>

#include <cstdlib>
#include <iostream>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "policy/decide.h"
#include "policy/loader/load.h"
#include "tests/benchmark/two_container_pod.h"

namespace mulligan {
namespace {

// A policy of a platform team that has one per tenant.
std::string TenantPolicy(int number) {
  const std::string name = "tenant-" + std::to_string(number);
  return "apiVersion: mulligan.dev/v1\n"
         "kind: RetryPolicy\n"
         "metadata: {name: " +
         name +
         "}\n"
         "spec:\n"
         "  selector: {kinds: [Job], namespaces: [\"" +
         name +
         "-*\"]}\n"
         "  budgets: {application: {limit: 3}}\n"
         "  default: {action: RETRY, budget: application}\n";
}

// The embedded default policy and `more` others.
std::unique_ptr<const PolicySet> Policies(int more) {
  std::vector<PolicyText> texts = {EmbeddedPolicy()};
  for (int i = 0; i < more; ++i) {
    texts.push_back({"tenant.yaml", TenantPolicy(i)});
  }
  Issues issues;
  auto set = LoadPolicies(texts, issues);
  if (set == nullptr) {
    for (const Issue& issue : issues) std::cerr << FormatIssue(issue) << "\n";
    std::abort();
  }
  return set;
}

v1::DecideRequest OnePod() {
  v1::DecideRequest request;
  request.mutable_report()->mutable_observed_at()->set_seconds(1700000640);
  if (!google::protobuf::TextFormat::ParseFromString(
          kTwoContainerPod, request.mutable_report()->add_pods())) {
    std::abort();
  }
  return request;
}

v1::DecideRequest Gang(int pods) {
  v1::DecideRequest request = OnePod();
  const auto pod = request.report().pods(0);
  for (int i = 1; i < pods; ++i) {
    auto& member = *request.mutable_report()->add_pods();
    member = pod;
    member.mutable_metadata()->set_name("train-7f6b9-" + std::to_string(i));
    member.mutable_metadata()->set_uid("uid-" + std::to_string(i));
    // Each pod has its own index; otherwise they would be attempts at one.
    (*member.mutable_metadata()
          ->mutable_labels())["batch.kubernetes.io/job-completion-index"] =
        std::to_string(i);
    auto& ended = *member.mutable_status()
                       ->mutable_container_statuses(0)
                       ->mutable_state()
                       ->mutable_terminated();
    ended.set_exit_code(1);
    ended.set_reason("Error");
    ended.set_message("NCCL error: remote process exited or closed");
    ended.mutable_finished_at()->set_seconds(1700000640);
  }
  return request;
}

// The request of a caller whose workload failed `failures` times before.
v1::DecideRequest RequestWithHistory(const PolicySet& policies, int failures) {
  v1::DecideRequest request = OnePod();
  for (int i = 0; i < failures; ++i) {
    v1::DecideRequest earlier = request;
    earlier.mutable_report()->set_failure_id("earlier-" + std::to_string(i));
    v1::DecideResponse response;
    if (!Decide(earlier, policies, {}, response).ok()) std::abort();
    *request.mutable_ledger() = response.ledger();
  }
  return request;
}

void Run(benchmark::State& state, const v1::DecideRequest& request,
         const PolicySet& policies) {
  google::protobuf::Timestamp now;
  google::protobuf::ArenaOptions options;
  alignas(8) static char block[32 << 10];
  options.initial_block = block;
  options.initial_block_size = sizeof(block);
  for (auto _ : state) {
    google::protobuf::Arena arena(options);
    auto& response =
        *google::protobuf::Arena::CreateMessage<v1::DecideResponse>(&arena);
    const absl::Status status = Decide(request, policies, now, response);
    if (!status.ok()) state.SkipWithError("refused");
    benchmark::DoNotOptimize(response);
  }
  state.SetLabel(std::to_string(request.ByteSizeLong()) + " request bytes");
}

void BM_TwoContainerPod(benchmark::State& state) {
  const auto policies = Policies(static_cast<int>(state.range(0)) - 1);
  Run(state, OnePod(), *policies);
}
BENCHMARK(BM_TwoContainerPod)->ArgName("policies")->Arg(1)->Arg(1000);

// Like a server without arenas.
void BM_TwoContainerPodOnTheHeap(benchmark::State& state) {
  const auto policies = Policies(0);
  const v1::DecideRequest request = OnePod();
  for (auto _ : state) {
    v1::DecideResponse response;
    const absl::Status status = Decide(request, *policies, {}, response);
    if (!status.ok()) state.SkipWithError("refused");
    benchmark::DoNotOptimize(response);
  }
}
BENCHMARK(BM_TwoContainerPodOnTheHeap);

void BM_WithHistory(benchmark::State& state) {
  const auto policies = Policies(0);
  Run(state, RequestWithHistory(*policies, static_cast<int>(state.range(0))),
      *policies);
}
BENCHMARK(BM_WithHistory)->ArgName("failures")->Arg(2)->Arg(30);

void BM_FullExplanation(benchmark::State& state) {
  const auto policies = Policies(0);
  v1::DecideRequest request = OnePod();
  request.set_explain(v1::DecideRequest::FULL);
  Run(state, request, *policies);
}
BENCHMARK(BM_FullExplanation);

void BM_Gang(benchmark::State& state) {
  const auto policies = Policies(0);
  Run(state, Gang(static_cast<int>(state.range(0))), *policies);
}
BENCHMARK(BM_Gang)->ArgName("pods")->Arg(8)->Arg(1000)->Unit(
    benchmark::kMicrosecond);

void BM_SelectPolicy(benchmark::State& state) {
  const auto policies = Policies(static_cast<int>(state.range(0)) - 1);
  v1::WorkloadReference workload;
  workload.set_kind("Job");
  workload.set_namespace_("tenant-7-prod");
  workload.set_name("train");
  for (auto _ : state) {
    benchmark::DoNotOptimize(&policies->Select(workload));
  }
}
BENCHMARK(BM_SelectPolicy)->ArgName("policies")->Arg(1)->Arg(1000);

}  // namespace
}  // namespace mulligan

BENCHMARK_MAIN();
