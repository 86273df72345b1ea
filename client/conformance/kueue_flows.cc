#include "client/conformance/kueue_flows.h"

#include <algorithm>
#include <map>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "absl/strings/str_cat.h"
#include "absl/time/time.h"
#include "client/conformance/kueue_facts.h"
#include "client/conformance/kueue_input.h"
#include "client/conformance/kueue_life.h"
#include "client/conformance/protos.h"
#include "policy/native/kueue_jobs.h"
#include "policy/native/kueue_queue_order.h"
#include "policy/native/kueue_requeue.h"
#include "policy/times.h"

namespace mulligan::conformance {
namespace {

using kueue::Workload;
using Life = KueueLife;

constexpr absl::Duration kMoment = absl::Milliseconds(1);

bool Flag(const Json& object, const char* name) {
  return KueueMember(object, name) == Json(true);
}

// Kueue's names where a story does not give any. The workload of a pod group is
// called like the group.
bool IsPodGroup(const CaseInput& input) {
  return input.source.find("/jobs/pod/") != std::string::npos &&
         input.source.find("pod group") != std::string::npos;
}

void NameIfUnnamed(bool pod_group, Workload& workload) {
  auto& metadata = *workload.mutable_metadata();
  if (metadata.namespace_().empty()) metadata.set_namespace_("<namespace>");
  if (metadata.name().empty()) {
    metadata.set_name(pod_group ? "pod-group" : "<workload>");
  }
}

absl::StatusOr<Life> LifeFrom(const CaseInput& input, const Json& members) {
  const auto gates = KueueGates(input);
  if (!gates.ok()) return gates.status();
  auto workload = KueueWorkload(members);
  if (!workload.ok()) return workload.status();
  auto settings = KueueSettings(KueueMember(input.input, "waitForPodsReady"));
  if (!settings.ok()) return settings.status();
  const bool pod_group = IsPodGroup(input);
  NameIfUnnamed(pod_group, *workload);
  return Life(*std::move(workload), *settings, *gates, pod_group,
              *KueueNow(Json::object()));
}

// The counters of evictions that have no sample.
Json AbsentMetrics(const Json& samples) {
  Json absent = Json::array();
  for (const char* const name :
       {"kueue_evicted_workloads_total", "kueue_evicted_workloads_once_total",
        "kueue_pods_ready_to_evicted_time_seconds"}) {
    if (std::none_of(samples.begin(), samples.end(), [&](const Json& sample) {
          return sample["name"] == Json(name);
        })) {
      absent.push_back(name);
    }
  }
  return absent;
}

Json LifeFacts(const Life& life) {
  Json facts = KueueStatusFacts(life.workload());
  const auto& status = life.workload().status();
  const bool evicted = kueue::IsEvicted(status);
  if (facts["requeueState"].is_object()) {
    facts["requeueState"]["requeueAtSet"] = life.requeue_at_set();
  }
  facts["requeueAtSet"] = life.requeue_at_set();
  facts["event"] = KueueEventJson(life.first_event());
  facts["evicted"] = evicted;
  facts["condition"] = KueueConditionJson(status, kueue::kPodsReady);
  facts["metrics"] = KueueMetricsJson(life.reports());
  facts["metricsAbsent"] = AbsentMetrics(facts["metrics"]);
  facts["jobSuspended"] = !kueue::IsAdmitted(status);
  // Only who is admitted and not ready blocks others.
  facts["otherWorkloadAdmitted"] =
      !life.blocks_admission() || !kueue::IsAdmitted(status) || evicted ||
      kueue::IsTrue(status.conditions(), kueue::kPodsReady);
  facts["state"] = kueue::IsFinished(status)            ? "Finished"
                   : kueue::IsAdmitted(status)          ? "Admitted"
                   : kueue::HasQuotaReservation(status) ? "QuotaReserved"
                                                        : "Pending";
  return facts;
}

bool Reactivates(const Json& input) {
  return Flag(input, "userReactivates") || Flag(input, "userActivates") ||
         Flag(input, "reactivated");
}

int Count(const Json& input, const char* name) {
  const Json value = KueueMember(input, name);
  return value.is_number() ? value.get<int>() : 0;
}

// Timeouts one after the other, each after an admission; how many there were
// until the workload was deactivated.
int TimeOut(int count, bool last_waits, Life& life) {
  int done = 0;
  for (; done < count && kueue::IsActive(life.workload()); ++done) {
    life.Admit();
    if (last_waits && done + 1 == count) {
      life.TimeOutOnly();
    } else {
      life.TimeOut();
    }
  }
  return done;
}

// The Job behind a workload; one that does not say how many pods it wants has
// those its status counts.
absl::StatusOr<kueue::Job> JobFrom(const Json& input, const Json& status) {
  int wanted = Count(input, "parallelism");
  if (wanted == 0) {
    wanted = std::max(1, Count(status, "active") + Count(status, "succeeded"));
  }
  return MessageFrom<kueue::Job>(
      {{"spec", {{"parallelism", wanted}}}, {"status", status}}, "job");
}

// Workloads of one queue, one admitted at a time, each times out; until one is
// admitted for the second time.
absl::StatusOr<Json> QueueFacts(const CaseInput& input) {
  const auto settings =
      KueueSettings(KueueMember(input.input, "waitForPodsReady"));
  if (!settings.ok()) return settings.status();
  std::vector<Life> lives;
  absl::Time now = *KueueNow(Json::object());
  for (const Json& name : KueueMember(input.input, "workloads")) {
    auto life = LifeFrom(
        input, {{"name", name}, {"creationTimestamp", KueueTimeJson(now)}});
    if (!life.ok()) return life.status();
    lives.push_back(*std::move(life));
    now += absl::Seconds(1);
  }
  Json order = Json::array();
  std::map<std::string, int> admissions;
  for (bool again = false; !again;) {
    Life* next = nullptr;
    for (Life& life : lives) {
      life.MoveTo(now);
      if (!kueue::IsActive(life.workload()) ||
          kueue::RequeueAt(life.workload().status())
                  .value_or(absl::InfinitePast()) > now) {
        continue;
      }
      const auto place = [&](const Life& of) {
        return kueue::QueueOrderTime(
            of.workload(), (*settings)->eviction_timestamp, kueue::Gates());
      };
      if (next == nullptr || place(life) < place(*next)) next = &life;
    }
    if (next == nullptr) break;
    const std::string name = next->workload().metadata().name();
    order.push_back(name);
    again = ++admissions[name] > 1;
    next->Settle();
    next->Admit();
    next->TimeOutOnly();
    now = next->now() + kMoment;
  }
  Json counts = Json::object();
  for (const Life& life : lives) {
    counts[life.workload().metadata().name()] =
        life.workload().status().requeue_state().count();
  }
  return Json{{"admissionOrder", std::move(order)},
              {"requeueCounts", std::move(counts)}};
}

// Whether all there is to the story is timeouts, and not told is whether the
// last backoff is over: then a test looks at what holds before its end, or at
// what holds after it.
bool LeavesBackoffOpen(const Json& input) {
  return !input.contains("backoffOver") && !input.contains("podsReady") &&
         !Flag(input, "userDeactivates") && !Reactivates(input);
}

}  // namespace

absl::StatusOr<Json> KueueRequeueFlowFacts(const CaseInput& input) {
  const Json& json = input.input;
  const absl::Status known = CheckOnlyMembers(
      json, "input",
      {"waitForPodsReady", "timeoutsSoFar", "backoffOver", "workload",
       "workloads", "allTimeOut", "podsReady", "userDeactivates",
       "userReactivates", "userActivates", "reactivated",
       "timeoutsAfterReactivation", "timeoutsSinceReactivation"});
  if (!known.ok()) return known;
  if (json.contains("workloads")) return QueueFacts(input);
  Json members = KueueMember(json, "workload");
  auto life = LifeFrom(input, members);
  if (!life.ok()) return life.status();
  const bool waits = KueueMember(json, "backoffOver") == Json(false);
  const int count = Count(json, "timeoutsSoFar");
  Life waiting = *life;
  const int done = TimeOut(count, waits, *life);
  if (done == count && kueue::IsActive(life->workload()) &&
      LeavesBackoffOpen(json)) {
    TimeOut(count, /*last_waits=*/true, waiting);
    Json facts = LifeFacts(*life);
    for (const Json& condition :
         KueueConditionsJson(waiting.workload().status().conditions())) {
      facts["conditions"].push_back(condition);
    }
    return facts;
  }
  if (json.contains("podsReady")) life->Admit();
  if (Flag(json, "podsReady")) life->BecomeReady();
  if (Flag(json, "userDeactivates")) life->SetActive(false);
  if (!Reactivates(json)) return LifeFacts(*life);
  life->SetActive(true);
  // Further timeouts, or those that came only after the deactivation.
  const int after = json.contains("timeoutsAfterReactivation")
                        ? Count(json, "timeoutsAfterReactivation")
                        : Count(json, "timeoutsSinceReactivation");
  TimeOut(after + count - done, waits, *life);
  return LifeFacts(*life);
}

absl::StatusOr<Json> KueueReadinessFlowFacts(const CaseInput& input) {
  const Json& json = input.input;
  const absl::Status known = CheckOnlyMembers(
      json, "input",
      {"waitForPodsReady", "podsWereReady", "podsReady", "jobStatus",
       "beforeJobStatus", "parallelism", "podFailsThenRecovers", "podKilled"});
  if (!known.ok()) return known;
  auto life = LifeFrom(input, Json());
  if (!life.ok()) return life.status();
  life->Admit();
  if (Flag(json, "podsWereReady")) life->BecomeReady();
  const auto before = JobFrom(json, KueueMember(json, "beforeJobStatus"));
  if (!before.ok()) return before.status();
  if (kueue::ArePodsReady(*before)) life->BecomeReady();
  const auto job = JobFrom(json, KueueMember(json, "jobStatus"));
  if (!job.ok()) return job.status();
  const bool ready = json.contains("jobStatus") ? kueue::ArePodsReady(*job)
                                                : Flag(json, "podsReady");
  const bool fails = Flag(json, "podKilled") || json.contains("jobStatus");
  if (Flag(json, "podFailsThenRecovers")) {
    life->LoseReadiness();
    life->BecomeReady();
  } else if (ready) {
    life->BecomeReady();
  } else {
    if (fails) life->LoseReadiness();
    if (life->RunsOutSoon()) life->TimeOut();
  }
  Json facts = LifeFacts(*life);
  // The queue has room, so it starts again.
  if (kueue::IsEvicted(life->workload().status()) &&
      kueue::IsActive(life->workload())) {
    life->Admit();
    life->BecomeReady();
  }
  facts["finalConditions"] =
      KueueConditionsJson(life->workload().status().conditions());
  return facts;
}

absl::StatusOr<Json> KueueCheckFlowFacts(const CaseInput& input) {
  const Json& json = input.input;
  const absl::Status known =
      CheckOnlyMembers(json, "input", {"check", "checks", "admitted"});
  if (!known.ok()) return known;
  Json checks = KueueMember(json, "checks");
  if (checks.is_null()) checks = Json::array({KueueMember(json, "check")});
  const absl::Time now = *KueueNow(Json::object());
  for (Json& check : checks) {
    if (!check.contains("lastTransitionTime")) {
      check["lastTransitionTime"] = KueueTimeJson(now);
    }
  }
  const bool admitted = Flag(json, "admitted");
  auto life =
      LifeFrom(input, {{"admissionChecks", checks},
                       {"admission", {{"clusterQueue", "cq"}}},
                       {admitted ? "admitted" : "quotaReserved", true}});
  if (!life.ok()) return life.status();
  const auto before = life->workload().status().admission_checks(0);
  life->Settle();
  Json facts = LifeFacts(*life);
  const auto& after = life->workload().status().admission_checks(0);
  facts["checkState"] = after.state();
  facts["message"] = after.message();
  facts["retryCount"] =
      after.has_retry_count() ? Json(after.retry_count()) : Json();
  facts["requeueAfterSecondsKept"] =
      before.has_requeue_after_seconds() &&
      before.requeue_after_seconds() == after.requeue_after_seconds();
  return facts;
}

}  // namespace mulligan::conformance
