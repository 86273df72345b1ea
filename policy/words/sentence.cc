#include "policy/words/sentence.h"

#include <cmath>
#include <cstdint>
#include <string>
#include <string_view>

#include "absl/strings/str_cat.h"
#include "absl/strings/str_format.h"
#include "policy/demystify/causes.h"
#include "policy/wording.h"

namespace mulligan {
namespace {

// Appends at most two units: "12s", "1m30s", "2h5m".
void AppendDelay(const google::protobuf::Duration& delay, std::string& text) {
  const auto unit = [&text](std::int64_t count, const char* name) {
    if (count != 0) absl::StrAppend(&text, count, name);
  };
  const std::int64_t milliseconds =
      delay.seconds() * 1000 + delay.nanos() / 1'000'000;
  if (milliseconds < 1000) {
    text += "less than a second";
    return;
  }
  const std::int64_t seconds = (milliseconds + 500) / 1000;
  unit(seconds / 3600, "h");
  unit(seconds / 60 % 60, "m");
  if (seconds < 3600) unit(seconds % 60, "s");
}

bool IsLater(const google::protobuf::Duration& delay) {
  return delay.seconds() > 0 || delay.nanos() > 0;
}

void AppendAdvice(const v1::Decision& decision, std::string& text) {
  const char* separator = " with ";
  for (const v1::ResourceChange& change : decision.resources()) {
    text += separator;
    text += change.resource();
    // At most two decimals, without trailing zeros.
    absl::StrAppend(&text, " x", std::round(change.factor() * 100) / 100);
    separator = ", ";
  }
  if (decision.placement().on_demand()) text += " on on-demand capacity";
  for (const v1::AvoidNode& avoid : decision.placement().avoid_nodes()) {
    text += " away from ";
    text += avoid.node();
  }
  if (decision.queue() == v1::Decision::REQUEUE) text += " through the queue";
  if (decision.canary()) text += " to see whether the incident is over";
}

void AppendVerdict(const v1::Decision& decision, std::string& text) {
  switch (static_cast<int>(decision.action())) {
    case v1::Decision::RETRY:
      text += "retry ";
      text += ScopeText(decision.scope());
      if (IsLater(decision.retry_after())) {
        text += " in ";
        AppendDelay(decision.retry_after(), text);
      } else {
        text += " at once";
      }
      AppendAdvice(decision, text);
      return;
    case v1::Decision::FAIL:
      text += "fail ";
      text += ScopeText(decision.scope());
      return;
    case v1::Decision::WAIT:
      text += "wait, and ask again in ";
      AppendDelay(decision.retry_after(), text);
      return;
    case v1::Decision::WAIT_FOR_SPEC_UPDATE:
      text += "wait for a changed spec of ";
      text += ScopeText(decision.scope());
      return;
    default:
      text += "nothing to do";
  }
}

void AppendUse(const v1::AttemptRecord& record, std::string_view end,
               std::string& text) {
  text += " (";
  absl::StrAppend(&text, record.used());
  text += " of ";
  absl::StrAppend(&text, record.bound());
  text += end;
}

void AppendHistory(v1::DerivedCause cause, std::string& text) {
  switch (static_cast<int>(cause)) {
    case v1::POISON_JOB:
      text += "; the failure follows the job from node to node";
      return;
    case v1::BAD_NODE:
      text += "; its node failed other work, too";
      return;
    case v1::CRASH_LOOP:
      text += "; it fails again and again within a short time";
      return;
    case v1::DETERMINISTIC:
      text += "; the same failure keeps coming back";
      return;
    default:
      return;
  }
}

void AppendPrice(const v1::AttemptRecord& record, std::string& text) {
  if (!record.charged_to().empty()) {
    text += "; charged to ";
    text += record.charged_to();
    AppendUse(record, " used)", text);
    return;
  }
  switch (static_cast<int>(record.refused_by())) {
    case v1::AttemptRecord::KILL_SWITCH:
      text += "; retries are switched off";
      return;
    case v1::AttemptRecord::DEADLINE:
      text += "; the Job's deadline comes first";
      return;
    case v1::AttemptRecord::MAX_ATTEMPTS:
      text += "; the attempts are used up";
      return AppendUse(record, ")", text);
    case v1::AttemptRecord::DERIVED_CAUSE:
      return AppendHistory(record.derived_cause(), text);
    case v1::AttemptRecord::EXPECTED_HOURS:
      text += "; another try is expected to lose more hours than it saves";
      return;
    case v1::AttemptRecord::BUDGET:
      text += "; budget ";
      text += record.refusing_budget();
      text += " is used up";
      return AppendUse(record, ")", text);
    default:
      // A rule about the history refused it.
      if (record.decision().action() == v1::Decision::FAIL) {
        AppendHistory(record.derived_cause(), text);
      }
      return;
  }
}

}  // namespace

v1::Diagnosis::FaultDomain FaultDomainOf(v1::Cause cause) {
  return RowOf(cause).domain;
}

std::string_view ScopeText(v1::Decision::Scope scope) {
  switch (static_cast<int>(scope)) {
    case v1::Decision::CONTAINER:
      return "the container";
    case v1::Decision::POD:
      return "the pod";
    case v1::Decision::INDEX:
      return "the index";
    case v1::Decision::JOB:
      return "the Job";
    case v1::Decision::JOB_SET:
      return "the JobSet";
    case v1::Decision::CLUSTER:
      return "the cluster";
    default:
      return "the workload";
  }
}

std::string VerdictText(const v1::Decision& decision) {
  std::string text;
  AppendVerdict(decision, text);
  return text;
}

std::string SentenceOf(const v1::Diagnosis& diagnosis,
                       const v1::Decision& decision,
                       const v1::AttemptRecord& record,
                       const v1::Stake& stake) {
  std::string_view what = diagnosis.summary();
  if (what.empty()) what = v1::Cause_Name(record.cause());
  while (!what.empty() && what.back() == '.') what.remove_suffix(1);
  std::string text;
  text.reserve(what.size() + 160);
  text += what;
  text += ": ";
  AppendVerdict(decision, text);
  if (decision.action() == v1::Decision::IGNORE &&
      diagnosis.situation() == v1::Diagnosis::ALIVE &&
      diagnosis.cause() != v1::NOT_FAILED) {
    text += ", the work goes on";
  }
  // Waits are not recorded, so the diagnosis is still that of the wait.
  if (decision.action() == v1::Decision::WAIT &&
      diagnosis.derived_cause() == v1::INCIDENT) {
    text += "; ";
    text += diagnosis.derived_reason();
  }
  AppendPrice(record, text);
  // Less than six minutes are not worth a word.
  if (stake.avoidable_hours() >= 0.1) {
    absl::StrAppendFormat(&text,
                          "; a stop when first advised would have saved %.1f "
                          "%s-hours so far",
                          stake.avoidable_hours(),
                          stake.accelerators() > 0 ? "accelerator" : "pod");
  }
  text += ".";
  return text;
}

}  // namespace mulligan
