// Cases of the Kubernetes Job controller.
//
// The members of a case's input tell which function of the peer it exercises;
// kCalls lists them. The arguments are Kubernetes objects and numbers under
// plain names; the facts carry the names of Job.status and of the peer's own
// results.
#include <algorithm>
#include <array>
#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "absl/strings/numbers.h"
#include "absl/strings/str_format.h"
#include "absl/time/time.h"
#include "client/conformance/evaluate.h"
#include "client/conformance/kubernetes_facts.h"
#include "client/conformance/protos.h"
#include "policy/native/kubernetes_finish_time.h"
#include "policy/native/kubernetes_gates.h"
#include "policy/native/kubernetes_job_backoff.h"
#include "policy/native/kubernetes_job_indexes.h"
#include "policy/native/kubernetes_job_sync.h"
#include "policy/native/kubernetes_job_validation.h"
#include "policy/native/kubernetes_pod_failure_policy.h"
#include "policy/native/kubernetes_time.h"

namespace mulligan::conformance {
namespace {

using kubernetes_job::BackoffRecord;
using kubernetes_job::BackoffSettings;
using kubernetes_job::Gates;
using kubernetes_job::Job;
using kubernetes_job::JobSpec;
using kubernetes_job::Pod;
using kubernetes_job::PodFailurePolicy;

using Facts = absl::StatusOr<Json>;

Facts EvaluateMatch(const Json& input, const Gates& gates) {
  const auto policy =
      MessageFrom<PodFailurePolicy>(input["podFailurePolicy"], "policy");
  if (!policy.ok()) return policy.status();
  const auto pod = MessageFrom<Pod>(input["pod"], "pod");
  if (!pod.ok()) return pod.status();
  const bool has_policy = !input["podFailurePolicy"].is_null();
  const auto match = kubernetes_job::MatchPodFailurePolicy(
      has_policy ? &*policy : nullptr, *pod, gates);
  return Json{{"action", OrNull(match.action)},
              {"count", match.counts},
              {"message", OrNull(match.message)},
              {"matchedRuleIndex", OrNull(match.rule)}};
}

Facts EvaluateRecord(const Json& input, const Gates&) {
  BackoffRecord previous;
  absl::Status status = ReadRecord(Member(input, "previousRecord"), previous);
  if (!status.ok()) return status;
  const auto succeeded = ReadTimes(Member(input, "newSucceededFinishTimes"),
                                   "newSucceededFinishTimes");
  if (!succeeded.ok()) return succeeded.status();
  const auto failed =
      ReadTimes(Member(input, "newFailedFinishTimes"), "newFailedFinishTimes");
  if (!failed.ok()) return failed.status();
  const BackoffRecord next =
      kubernetes_job::NextBackoffRecord(previous, *succeeded, *failed);
  return Json{{"failuresAfterLastSuccess", next.failures_after_last_success},
              {"lastFailureTime", TimeFact(next.last_failure)}};
}

Facts EvaluateFinishTime(const Json& input, const Gates& gates) {
  const auto pod = MessageFrom<Pod>(input["pod"], "pod");
  if (!pod.ok()) return pod.status();
  return Json{
      {"finishTime", TimeFact(kubernetes_job::FinishTime(*pod, gates))}};
}

Facts EvaluateRemaining(const Json& input, const Gates&) {
  BackoffRecord record;
  absl::Status status = ReadRecord(input, record);
  if (!status.ok()) return status;
  const auto clock = ReadClock(input);
  if (!clock.ok()) return clock.status();
  return Json{
      {"delaySeconds", DelayFact(kubernetes_job::RemainingBackoff(
                           record.failures_after_last_success,
                           record.last_failure, clock->now, clock->settings))}};
}

Facts EvaluateRemainingPerIndex(const Json& input, const Gates& gates) {
  const auto pod = MessageFrom<Pod>(input["lastFailedPod"], "lastFailedPod");
  if (!pod.ok()) return pod.status();
  const auto clock = ReadClock(input);
  if (!clock.ok()) return clock.status();
  const bool has_failed = !input["lastFailedPod"].is_null();
  return Json{{"delaySeconds", DelayFact(kubernetes_job::RemainingIndexBackoff(
                                   has_failed ? &*pod : nullptr, clock->now,
                                   gates, clock->settings))}};
}

Facts EvaluateIndexesToAdd(const Json& input, const Gates& gates) {
  std::vector<std::int64_t> wanted;
  for (const Json& index : input["indexesToAdd"]) {
    if (!index.is_number_integer()) {
      return absl::InvalidArgumentError("indexesToAdd: integers are expected");
    }
    wanted.push_back(index.get<std::int64_t>());
  }
  std::map<std::int64_t, Pod> pods;
  for (const auto& [name, object] :
       Member(input, "lastFailedPodPerIndex").items()) {
    std::int64_t index = 0;
    if (!absl::SimpleAtoi(name, &index)) {
      return absl::InvalidArgumentError(absl::StrFormat(
          "lastFailedPodPerIndex: '%s' is no completion index", name));
    }
    absl::Status status = FillFrom(object, name, pods[index]);
    if (!status.ok()) return status;
  }
  std::map<std::int64_t, const Pod*> last_failed;
  for (const auto& [index, pod] : pods) last_failed.emplace(index, &pod);
  const auto clock = ReadClock(input);
  if (!clock.ok()) return clock.status();
  const auto ready = kubernetes_job::ReadyIndexes(
      wanted, last_failed, clock->now, gates, clock->settings);
  return Json{{"indexesToAddNow", ready.now},
              {"delaySeconds", DelayFact(ready.delay)}};
}

Facts EvaluateIndexFailed(const Json& input, const Gates& gates) {
  const auto job = MessageFrom<Job>(input["job"], "job");
  if (!job.ok()) return job.status();
  const auto pod = MessageFrom<Pod>(input["pod"], "pod");
  if (!pod.ok()) return pod.status();
  return Json{
      {"indexFailed", kubernetes_job::FailsIndex(*pod, job->spec(), gates)}};
}

Facts EvaluateIndexCounts(const Json& input, const Gates& gates) {
  const auto job = MessageFrom<Job>(input["job"], "job");
  if (!job.ok()) return job.status();
  const auto pod =
      MessageFrom<Pod>(Member(input, "podBeingReplaced"), "podBeingReplaced");
  if (!pod.ok()) return pod.status();
  const bool replaces = !Member(input, "podBeingReplaced").is_null();
  const auto counts = kubernetes_job::NextIndexFailureCounts(
      replaces ? &*pod : nullptr, job->spec(), gates);
  return Json{{"indexFailureCount", counts.counted},
              {"indexIgnoredFailureCount", counts.ignored}};
}

Facts EvaluateFailedIndexes(const Json& input, const Gates& gates) {
  const auto job = MessageFrom<Job>(input["job"], "job");
  if (!job.ok()) return job.status();
  const auto owned = PodList::From(input["pods"]);
  if (!owned.ok()) return owned.status();
  return Json{
      {"failedIndexes",
       kubernetes_job::FailedIndexes(*job, owned->pointers(), gates)
           .ToString()},
      {"completedIndexes",
       kubernetes_job::SucceededIndexes(*job, owned->pointers()).ToString()}};
}

Facts EvaluateSync(const Json& input, const Gates& gates) {
  const auto job = MessageFrom<Job>(input["job"], "job");
  if (!job.ok()) return job.status();
  const auto owned = PodList::From(Member(input, "pods"));
  if (!owned.ok()) return owned.status();
  const auto now = TimestampFrom(input["now"], "now");
  if (!now.ok()) return now.status();
  BackoffRecord record;
  absl::Status status = ReadRecord(Member(input, "previousRecord"), record);
  if (!status.ok()) return status;
  return SyncFacts(kubernetes_job::SyncJob({*job, owned->pointers(),
                                            kubernetes_job::TimeOf(*now), gates,
                                            record, BackoffSettings()}));
}

Facts EvaluateValidation(const Json& input, const Gates&) {
  const auto spec = MessageFrom<JobSpec>(input["spec"], "spec");
  if (!spec.ok()) return spec.status();
  return ValidationFacts(kubernetes_job::ValidateJobSpec(*spec, "spec"));
}

// One function of the peer, told by the members its cases have.
struct Call {
  std::vector<std::string_view> members;
  std::vector<std::string_view> optional_members;
  Facts (*evaluate)(const Json& input, const Gates& gates);
};

const std::vector<Call>& Calls() {
  static const auto& calls = *new std::vector<Call>{
      {{"podFailurePolicy", "pod"}, {}, EvaluateMatch},
      {{"newFailedFinishTimes"},
       {"previousRecord", "newSucceededFinishTimes"},
       EvaluateRecord},
      {{"newSucceededFinishTimes"}, {"previousRecord"}, EvaluateRecord},
      {{"failuresAfterLastSuccess", "defaultBackoffSeconds",
        "maxBackoffSeconds"},
       {"lastFailureTime", "currentTime"},
       EvaluateRemaining},
      {{"lastFailedPod", "defaultBackoffSeconds", "maxBackoffSeconds"},
       {"currentTime"},
       EvaluateRemainingPerIndex},
      {{"indexesToAdd", "defaultBackoffSeconds", "maxBackoffSeconds"},
       {"lastFailedPodPerIndex", "currentTime"},
       EvaluateIndexesToAdd},
      {{"pod"}, {}, EvaluateFinishTime},
      {{"job", "pod"}, {}, EvaluateIndexFailed},
      {{"job"}, {"podBeingReplaced"}, EvaluateIndexCounts},
      {{"job", "pods"}, {}, EvaluateFailedIndexes},
      {{"job", "now"}, {"pods", "previousRecord"}, EvaluateSync},
      {{"spec"}, {}, EvaluateValidation},
  };
  return calls;
}

bool Contains(const std::vector<std::string_view>& names,
              std::string_view name) {
  return std::find(names.begin(), names.end(), name) != names.end();
}

bool Fits(const Call& call, const Json& input) {
  const bool has_all = std::all_of(
      call.members.begin(), call.members.end(),
      [&](std::string_view name) { return input.contains(std::string(name)); });
  return has_all &&
         std::all_of(input.items().begin(), input.items().end(),
                     [&](const auto& member) {
                       return Contains(call.members, member.key()) ||
                              Contains(call.optional_members, member.key());
                     });
}

std::string MemberNames(const Json& input) {
  std::string names;
  for (const auto& [name, value] : input.items()) {
    names += (names.empty() ? "" : ", ") + name;
  }
  return names;
}

}  // namespace

absl::StatusOr<Answer> EvaluateKubernetes(const CaseInput& input) {
  Gates gates;
  absl::Status status = ReadGates(input.feature_gates, gates);
  if (!status.ok()) return status;
  for (const Call& call : Calls()) {
    if (!Fits(call, input.input)) continue;
    Facts facts = call.evaluate(input.input, gates);
    if (!facts.ok()) return facts.status();
    return Answer::Facts(*std::move(facts));
  }
  return absl::UnimplementedError(absl::StrFormat(
      "input: no function of the Job controller takes exactly the members %s",
      MemberNames(input.input)));
}

}  // namespace mulligan::conformance
