// Cases about KEP-2170's state diagram, one step each.
#include <array>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "absl/status/statusor.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_join.h"
#include "client/conformance/protos.h"
#include "client/conformance/trainer_input.h"
#include "client/conformance/trainer_job.h"
#include "policy/native/jobset_conditions.h"
#include "policy/native/trainer_conditions.h"
#include "policy/native/trainer_objects.h"
#include "policy/native/trainer_reconcile.h"
#include "policy/native/trainer_version.h"

namespace mulligan::conformance {
namespace {

using trainer::Objects;

// The terminal condition a TrainJob gets from a JobSet that ends by `type`, as
// "Complete=True", when it takes over the JobSet's reason.
std::optional<std::string> PropagatedEnd(std::string_view type) {
  const std::string reason = "AnyReason";
  trainer::JobSet job_set;
  *job_set.mutable_status()->add_conditions() =
      trainer::MakeCondition(type, trainer::kTrue, reason, "");
  const trainer::TrainJob job;
  const trainer::Pass pass = trainer::Reconcile(
      {job, &job_set, Objects::kReady, "", trainer::Kep2170(), TrainerNow()});
  for (const auto& condition : pass.status.conditions()) {
    if (condition.reason() == reason) {
      return absl::StrCat(condition.type(), "=", condition.status());
    }
  }
  return std::nullopt;
}

// Which end the JobSet comes to is not said: both in words.
Answer TerminalAnswer() {
  std::vector<std::string> ends;
  for (const std::string_view type : {jobset::kCompleted, jobset::kFailed}) {
    if (auto end = PropagatedEnd(type)) ends.push_back(*std::move(end));
  }
  return Answer::Facts({{"conditions",
                         {absl::StrCat(absl::StrJoin(ends, " or "),
                                       ", reason propagated from the JobSet")}},
                        {"terminal", true}});
}

// How making the objects goes, by the words of a case; nothing: not told.
std::optional<Objects> ObjectsIn(const std::string& what) {
  if (Mentions(what, {"correct", "fixed", "updated"})) return Objects::kReady;
  const bool fails = Mentions(
      what, {"fail", "refus", "reject", "error", "cannot", "unable", "denie"});
  const bool creates = Mentions(
      what, {"deploy", "API server", "webhook", "apply", "creat", "quota"});
  const bool builds = Mentions(what, {"construct", "build", "built", "plugin"});
  if (fails && creates) return Objects::kCreationFailed;
  if (fails && builds) return Objects::kBuildFailed;
  if (!fails && (creates || builds)) return Objects::kReady;
  return std::nullopt;
}

}  // namespace

absl::StatusOr<Answer> TrainJobDesignAnswer(const CaseInput& input) {
  absl::Status known = CheckOnlyMembers(
      input.input, "input", {"kind", "level", "statusBefore", "event"});
  if (!known.ok()) return known;
  const std::string what = TextOf(MemberOrNull(input.input, "event"), "what");
  if (Mentions(what, {"JobSet reports a terminal state"})) {
    return TerminalAnswer();
  }
  trainer::TrainJobStatus status;
  Json before = MemberOrNull(input.input, "statusBefore");
  if (before.is_object()) {
    auto given = ConditionObjects(MemberOrNull(before, "conditions"));
    if (!given.ok()) return given.status();
    before["conditions"] = *std::move(given);
  }
  absl::Status read = FillFrom(before, "statusBefore", status);
  if (!read.ok()) return read;
  auto& conditions = *status.mutable_conditions();
  if (const auto objects = ObjectsIn(what)) {
    trainer::SetCondition(trainer::CreatedCondition(*objects), TrainerNow(),
                          conditions);
  } else if (Mentions(what, {"resume", "unsuspend", "not suspended"})) {
    trainer::SetSuspended(false, true, TrainerNow(), conditions);
  } else if (Mentions(what, {"suspend"})) {
    trainer::SetSuspended(true, true, TrainerNow(), conditions);
  } else {
    return NotUnderstood("event.what", what);
  }
  Json list = Json::array();
  for (const auto& condition : conditions) {
    list.push_back(ConditionFact(MessageJson(condition)));
  }
  return Answer::Facts(
      {{"conditions", list}, {"terminal", trainer::IsFinished(status)}});
}

}  // namespace mulligan::conformance
