#include "client/conformance/kueue_small.h"

#include <re2/re2.h>

#include <algorithm>
#include <array>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "absl/strings/str_format.h"
#include "absl/time/time.h"
#include "client/conformance/compare.h"
#include "client/conformance/kueue_facts.h"
#include "client/conformance/kueue_input.h"
#include "client/conformance/protos.h"
#include "policy/native/kubernetes_time.h"
#include "policy/native/kueue_backoff.h"
#include "policy/native/kueue_eviction.h"
#include "policy/native/kueue_pods_ready.h"
#include "policy/native/kueue_queue_order.h"
#include "policy/native/kueue_requeue.h"
#include "policy/times.h"

namespace mulligan::conformance {
namespace {

using kueue::Workload;

double Number(const Json& object, const char* name, double otherwise) {
  const Json value = KueueMember(object, name);
  return value.is_number() ? value.get<double>() : otherwise;
}

absl::StatusOr<kueue::Backoff> BackoffFrom(const Json& input) {
  const absl::Status known = CheckOnlyMembers(
      input, "input",
      {"base_ms", "cap_ms", "factor", "jitter", "iteration", "iterations"});
  if (!known.ok()) return known;
  return kueue::Backoff{absl::Milliseconds(Number(input, "base_ms", 0)),
                        absl::Milliseconds(Number(input, "cap_ms", 0)),
                        Number(input, "factor", 2), Number(input, "jitter", 0)};
}

Json Milliseconds(absl::Duration duration) {
  const std::int64_t nanos = absl::ToInt64Nanoseconds(duration);
  if (nanos % 1'000'000 == 0) return nanos / 1'000'000;
  return absl::ToDoubleMilliseconds(duration);
}

std::string Text(const Json& object, const char* name) {
  const Json value = KueueMember(object, name);
  return value.is_string() ? value.get<std::string>() : std::string();
}

// A list; of one value, also that value.
Json OneOrAll(const Json& list) {
  return list.size() == 1 ? Described({list, list[0]}) : list;
}

}  // namespace

absl::StatusOr<Json> KueueBackoffFacts(const CaseInput& input) {
  const auto backoff = BackoffFrom(input.input);
  if (!backoff.ok()) return backoff.status();
  const auto iteration =
      static_cast<std::int64_t>(Number(input.input, "iteration", 0));
  const kueue::Wait wait = kueue::WaitBefore(iteration, *backoff);
  const bool uncapped = backoff->cap <= absl::ZeroDuration() &&
                        wait.shortest == kueue::EffectiveCap(*backoff);
  return Json{{"wait_ms", Milliseconds(wait.shortest)},
              {"wait_ns", absl::ToInt64Nanoseconds(wait.shortest)},
              {"min_ms", Milliseconds(wait.shortest)},
              {"max_ms", Milliseconds(wait.longest)},
              {"formula", uncapped ? Json("MaxInt64 / ceil(factor)") : Json()}};
}

absl::StatusOr<Json> KueueBackoffSeriesFacts(const CaseInput& input) {
  const auto backoff = BackoffFrom(input.input);
  if (!backoff.ok()) return backoff.status();
  Json waits = Json::array();
  for (const Json& iteration : KueueMember(input.input, "iterations")) {
    waits.push_back(Milliseconds(
        kueue::WaitBefore(iteration.get<std::int64_t>(), *backoff).shortest));
  }
  return Json{{"wait_ms", std::move(waits)}};
}

absl::StatusOr<Json> KueueAttemptsFacts(const CaseInput& input) {
  const absl::Status known =
      CheckOnlyMembers(input.input, "input",
                       {"attempts", "attempt", "backoffBaseSeconds",
                        "backoffMaxSeconds", "jitter"});
  if (!known.ok()) return known;
  const kueue::Backoff backoff{
      absl::Seconds(Number(input.input, "backoffBaseSeconds", 60)),
      absl::Seconds(Number(input.input, "backoffMaxSeconds", 3600)), 2,
      Number(input.input, "jitter", 0)};
  Json attempts = KueueMember(input.input, "attempts");
  if (attempts.is_null()) {
    attempts = Json::array({KueueMember(input.input, "attempt")});
  }
  Json shortest = Json::array();
  Json longest = Json::array();
  absl::Duration total;
  for (const Json& attempt : attempts) {
    const kueue::Wait wait =
        kueue::WaitBefore(attempt.get<std::int64_t>(), backoff);
    shortest.push_back(KueueSecondsJson(wait.shortest));
    longest.push_back(KueueSecondsJson(wait.longest));
    total += wait.shortest;
  }
  Json facts = {{"waitSeconds", OneOrAll(shortest)},
                {"totalSeconds", KueueSecondsJson(total)}};
  // The bounds of the jitter.
  for (const char* const name :
       {"minSeconds", "waitSecondsMin", "minWaitSeconds"}) {
    facts[name] = OneOrAll(shortest);
  }
  for (const char* const name :
       {"maxSeconds", "waitSecondsMax", "maxWaitSeconds"}) {
    facts[name] = OneOrAll(longest);
  }
  return facts;
}

absl::StatusOr<Json> KueueSetRequeueFacts(const CaseInput& input) {
  auto workload = KueueWorkload(
      {{"requeueState", KueueMember(input.input, "requeueState")}});
  if (!workload.ok()) return workload.status();
  const auto until =
      TimestampFrom(KueueMember(input.input, "waitUntil"), "waitUntil");
  if (!until.ok()) return until.status();
  const bool increment =
      KueueMember(input.input, "incrementCount") == Json(true);
  const bool updated = kueue::SetRequeueState(ToTime(*until), increment,
                                              *workload->mutable_status());
  return Json{{"updated", updated},
              {"requeueState", KueueRequeueStateJson(workload->status())}};
}

absl::StatusOr<Json> KueueBackoffExpiredFacts(const CaseInput& input) {
  const auto now = KueueNow(input.input);
  if (!now.ok()) return now.status();
  const auto workload = KueueWorkload(
      {{"conditions", KueueMember(input.input, "conditions")},
       {"requeueState", KueueMember(input.input, "requeueState")}});
  if (!workload.ok()) return workload.status();
  return Json{{"result", kueue::BackoffExpired(workload->status(), *now)}};
}

absl::StatusOr<Json> KueueRetryTimeFacts(const CaseInput& input) {
  const auto workload = KueueWorkload(
      {{"admissionChecks", KueueMember(input.input, "admissionChecks")}});
  if (!workload.ok()) return workload.status();
  return Json{
      {"retryAt", KueueTimeJson(kueue::MaxRetryTime(workload->status()))}};
}

absl::StatusOr<Json> KueueReadinessFacts(const CaseInput& input) {
  const absl::Status known = CheckOnlyMembers(
      input.input, "input", {"now", "conditions", "waitForPodsReady"});
  if (!known.ok()) return known;
  const auto now = KueueNow(input.input);
  if (!now.ok()) return now.status();
  const auto workload =
      KueueWorkload({{"conditions", KueueMember(input.input, "conditions")}});
  if (!workload.ok()) return workload.status();
  const auto settings =
      KueueSettings(KueueMember(input.input, "waitForPodsReady"));
  if (!settings.ok()) return settings.status();
  const kueue::ReadinessClock clock =
      kueue::ClockOf(workload->status(), *settings, *now);
  return Json{{"underlyingCause", clock.cause},
              {"recheckAfterSeconds", KueueSecondsJson(clock.remaining)},
              {"evictNow", !clock.cause.empty() &&
                               clock.remaining == absl::ZeroDuration()}};
}

absl::StatusOr<Json> KueueQueueOrderFacts(const CaseInput& input) {
  const auto gates = KueueGates(input);
  if (!gates.ok()) return gates.status();
  const auto workload = KueueWorkload(input.input);
  if (!workload.ok()) return workload.status();
  const auto time = [&](bool eviction_timestamp) {
    return KueueTimeJson(
        kueue::QueueOrderTime(*workload, eviction_timestamp, *gates));
  };
  return Json{{"Eviction", time(true)}, {"Creation", time(false)}};
}

absl::StatusOr<Json> KueueSchedulerFacts(const CaseInput& input) {
  const absl::Status known =
      CheckOnlyMembers(input.input, "input",
                       {"queueingStrategy", "requeueReason", "lastAssignment"});
  if (!known.ok()) return known;
  const Json last = KueueMember(input.input, "lastAssignment");
  bool flavors_left = false;
  if (last.is_string()) {
    const std::string text = last.get<std::string>();
    const bool all_tried = RE2::PartialMatch(
        text,
        "(?i)all flavou?rs tried|(no|without) pending flavou?rs?|"
        "no flavou?rs? left");
    flavors_left = !all_tried || RE2::PartialMatch(text, "(?i)\\bnot all\\b");
  } else if (last.is_object()) {
    flavors_left = KueueMember(last, "pendingFlavors") == Json(true);
  }
  const std::string reason = Text(input.input, "requeueReason");
  const auto verdict = kueue::RequeueAfterScheduling(
      reason, Text(input.input, "queueingStrategy") == "StrictFIFO",
      flavors_left);
  if (!verdict.has_value()) {
    return absl::UnimplementedError(
        absl::StrFormat("requeueReason '%s' is not understood", reason));
  }
  return Json{{"inadmissible", verdict->inadmissible},
              {"sticky", verdict->sticky}};
}

absl::StatusOr<Json> KueueEvictedByFacts(const CaseInput& input) {
  const auto workload =
      KueueWorkload({{"conditions", KueueMember(input.input, "conditions")}});
  if (!workload.ok()) return workload.status();
  const auto& status = workload->status();
  const auto* const evicted =
      kueue::FindCondition(status.conditions(), kueue::kEvicted);
  const std::string reason =
      kueue::IsEvicted(status) ? evicted->reason() : std::string();
  struct Kind {
    std::string_view name;
    bool result;
  };
  const std::array<Kind, 5> kinds = {{
      {"evicted-by-deactivation", kueue::IsDeactivation(reason)},
      {"evicted-by-deactivation-by-kueue",
       kueue::IsDeactivationByKueue(reason)},
      {"evicted-by-pods-ready-timeout", reason == kueue::kPodsReadyTimeout},
      {"evicted-by-admission-check", reason == kueue::kAdmissionCheck},
      {"evicted", kueue::IsEvicted(status)},
  }};
  for (const Kind& kind : kinds) {
    if (kind.name != input.kind) continue;
    return Json{
        {"result", kind.result},
        {"condition",
         kind.result ? KueueConditionJson(status, kueue::kEvicted) : Json()}};
  }
  return absl::UnimplementedError(
      absl::StrFormat("kind '%s' is not understood", input.kind));
}

absl::StatusOr<Json> KueueLatencyFacts(const CaseInput& input) {
  Json before = KueueMember(input.input, "old");
  Json after = KueueMember(input.input, "new");
  const Json reason = KueueMember(input.input, "evictedReason");
  // A transition told in words.
  if (reason.is_string()) {
    const bool back = KueueMember(input.input, "backToPending") != Json(false);
    before = {{"admission", {{"clusterQueue", "cq"}}}, {"admitted", true}};
    after = {{"conditions",
              {{{"type", "Evicted"}, {"status", "True"}, {"reason", reason}}}},
             {"admitted", !back}};
  }
  const auto now = KueueNow(input.input);
  if (!now.ok()) return now.status();
  const auto old = KueueWorkload(before);
  if (!old.ok()) return old.status();
  const auto current = KueueWorkload(after);
  if (!current.ok()) return current.status();
  const auto latency = kueue::LatencyOf(
      before.is_null() ? nullptr : &old->status(), current->status(), *now);
  Json facts = {{"recorded", latency.has_value()}, {"metrics", Json::array()}};
  if (!latency.has_value()) return facts;
  facts["clusterQueue"] = latency->cluster_queue;
  facts["reason"] = latency->reason;
  facts["latencySeconds"] = KueueSecondsJson(latency->latency);
  facts["metrics"].push_back(
      {{"name", "kueue_workload_eviction_latency_seconds"},
       {"reason", latency->reason},
       {"count", 1}});
  return facts;
}

absl::StatusOr<Json> KueuePreemptionFacts(const CaseInput& input) {
  const absl::Status known = CheckOnlyMembers(
      input.input, "input",
      {"uid", "jobUID", "reason", "preemptorPath", "preempteePath"});
  if (!known.ok()) return known;
  return Json{
      {"message",
       kueue::PreemptionMessage(
           {Text(input.input, "uid"), Text(input.input, "jobUID"),
            Text(input.input, "reason"), Text(input.input, "preemptorPath"),
            Text(input.input, "preempteePath")})}};
}

absl::StatusOr<Json> KueueReasonsFacts(const CaseInput& input) {
  Json reasons = Json::array();
  for (const Json& pair : KueueMember(input.input, "evictions")) {
    reasons.push_back(kueue::ConditionReason(
        {pair.at(0).get<std::string>(), pair.at(1).get<std::string>(), ""}));
  }
  return Json{{"conditionReasons", std::move(reasons)}};
}

}  // namespace mulligan::conformance
