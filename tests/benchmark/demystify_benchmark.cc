// The first stage of a decision: from parsed reports to diagnoses.
#include <benchmark/benchmark.h>
#include <google/protobuf/arena.h>
#include <google/protobuf/text_format.h>

#include <string>

#include "policy/answer/diagnosis_writer.h"
#include "policy/demystify/demystify.h"
#include "tests/benchmark/two_container_pod.h"

namespace mulligan {
namespace {

constexpr char kLog[] =
    "[rank3]: Traceback (most recent call last):\n"
    "[rank3]:   File \"/app/train.py\", line 418, in <module>\n"
    "[rank3]:     main(parse_arguments())\n"
    "[rank3]:   File \"/app/train.py\", line 377, in main\n"
    "[rank3]:     loss = model(batch.to(device)).loss\n"
    "[rank3]: torch.OutOfMemoryError: CUDA out of memory. Tried to allocate "
    "336.00 MiB. GPU 3 has a total capacity of 79.15 GiB of which 141.25 MiB "
    "is free. Process 2109115 has 78.99 GiB memory in use.";

kubernetes::core::v1::Pod PodOf(const char* text) {
  kubernetes::core::v1::Pod pod;
  if (!google::protobuf::TextFormat::ParseFromString(text, &pod)) std::abort();
  return pod;
}

kubernetes::core::v1::ContainerStateTerminated& MainEnd(
    kubernetes::core::v1::Pod& pod) {
  return *pod.mutable_status()
              ->mutable_container_statuses(0)
              ->mutable_state()
              ->mutable_terminated();
}

v1::FailureReport ReportOf(const kubernetes::core::v1::Pod& pod) {
  v1::FailureReport report;
  report.mutable_observed_at()->set_seconds(1700000700);
  *report.add_pods() = pod;
  return report;
}

void Run(benchmark::State& state, const v1::FailureReport& report, bool full) {
  google::protobuf::Arena arena;
  int rounds = 0;
  for (auto _ : state) {
    auto* diagnosis =
        google::protobuf::Arena::CreateMessage<v1::Diagnosis>(&arena);
    const Owners owners(report);
    const Findings found = Demystify(owners);
    WriteDiagnosis(found, found.failure,
                   full ? Detail::kFull : Detail::kSummary, *diagnosis);
    benchmark::DoNotOptimize(diagnosis);
    if (++rounds % 64 == 0) arena.Reset();
  }
  state.counters["bytes"] = static_cast<double>(report.ByteSizeLong());
}

void BM_OomKilled(benchmark::State& state) {
  Run(state, ReportOf(PodOf(kTwoContainerPod)), false);
}
BENCHMARK(BM_OomKilled);

void BM_ExitOne(benchmark::State& state) {
  auto pod = PodOf(kTwoContainerPod);
  MainEnd(pod).set_exit_code(1);
  MainEnd(pod).set_reason("Error");
  Run(state, ReportOf(pod), false);
}
BENCHMARK(BM_ExitOne);

void BM_Disrupted(benchmark::State& state) {
  auto pod = PodOf(kTwoContainerPod);
  MainEnd(pod).set_exit_code(143);
  MainEnd(pod).set_reason("Error");
  auto* condition = pod.mutable_status()->add_conditions();
  condition->set_type("DisruptionTarget");
  condition->set_status("True");
  condition->set_reason("PreemptionByScheduler");
  condition->mutable_last_transition_time()->set_seconds(1700000600);
  Run(state, ReportOf(pod), false);
}
BENCHMARK(BM_Disrupted);

// Low confidence: the answer includes alternatives and the missing evidence.
void BM_Sigkill(benchmark::State& state) {
  auto pod = PodOf(kTwoContainerPod);
  MainEnd(pod).set_reason("Error");
  Run(state, ReportOf(pod), false);
}
BENCHMARK(BM_Sigkill);

void BM_LogTail(benchmark::State& state) {
  auto pod = PodOf(kTwoContainerPod);
  MainEnd(pod).set_exit_code(1);
  MainEnd(pod).set_reason("Error");
  MainEnd(pod).set_message(kLog);
  Run(state, ReportOf(pod), false);
}
BENCHMARK(BM_LogTail);

// Four kilobytes, the limit of a termination message.
void BM_LongLogTail(benchmark::State& state) {
  auto pod = PodOf(kTwoContainerPod);
  MainEnd(pod).set_exit_code(1);
  MainEnd(pod).set_reason("Error");
  std::string log;
  while (log.size() < 3500)
    log += "step 1042: loss 2.31, 812 tokens a second\n";
  MainEnd(pod).set_message(log + kLog);
  Run(state, ReportOf(pod), false);
}
BENCHMARK(BM_LongLogTail);

void BM_Gang(benchmark::State& state) {
  v1::FailureReport report;
  const auto size = state.range(0);
  for (int i = 0; i < size; ++i) {
    auto pod = PodOf(kTwoContainerPod);
    pod.mutable_metadata()->set_name("train-7f6b9-" + std::to_string(i));
    if (i != size / 2) {
      MainEnd(pod).set_exit_code(i % 2 == 0 ? 143 : 1);
      MainEnd(pod).set_reason("Error");
    }
    *report.add_pods() = pod;
  }
  Run(state, report, false);
}
BENCHMARK(BM_Gang)->Arg(2)->Arg(8)->Arg(64)->Arg(1000);

}  // namespace
}  // namespace mulligan

BENCHMARK_MAIN();
