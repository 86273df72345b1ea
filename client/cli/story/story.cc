#include "client/cli/story/story.h"

#include <algorithm>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "absl/strings/ascii.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_format.h"
#include "absl/strings/str_join.h"
#include "client/cli/base/errors.h"
#include "client/cli/base/json_text.h"
#include "client/cli/base/proto_json.h"
#include "client/cli/input/workload_groups.h"
#include "client/cli/story/wording.h"
#include "policy/base/shell.h"
#include "policy/compare.h"
#include "policy/request/kinds.h"
#include "policy/request/owners.h"
#include "policy/request/workload.h"
#include "policy/request/workload_view.h"
#include "policy/wording.h"

namespace mulligan::cli {
namespace {

namespace core = kubernetes::core::v1;

// Restarts that only the kubelet counts.
struct Restarted {
  std::string container;
  int times = 0;

  std::string Text() const {
    return absl::StrCat("container ", container, " ",
                        times == 1 ? "once" : absl::StrCat(times, " times"));
  }
};

std::vector<Restarted> RestartedIn(const core::Pod& pod) {
  std::vector<Restarted> containers;
  for (const auto* statuses : {&pod.status().init_container_statuses(),
                               &pod.status().container_statuses()}) {
    for (const core::ContainerStatus& status : *statuses) {
      if (status.restart_count() <= 0) continue;
      containers.push_back({status.name(), status.restart_count()});
    }
  }
  std::ranges::stable_sort(containers, std::ranges::greater(),
                           &Restarted::times);
  return containers;
}

// Returns "container main 7 times, in place", or a summary for several pods;
// empty if no container was restarted.
std::string RestartsIn(const v1::FailureReport& report) {
  int pods = 0;
  std::string most;
  int times = 0;
  std::vector<std::string> all;
  for (const core::Pod& pod : report.pods()) {
    const std::vector<Restarted> containers = RestartedIn(pod);
    if (containers.empty()) continue;
    ++pods;
    for (const Restarted& one : containers) all.push_back(one.Text());
    const Restarted& first = containers.front();
    if (first.times <= times) continue;
    times = first.times;
    most = absl::StrCat("pod ", pod.metadata().name(), ", ", first.Text());
  }
  if (pods == 0) return "";
  if (report.pods_size() == 1) {
    return absl::StrCat(absl::StrJoin(all, ", "), ", in place");
  }
  return absl::StrCat("in place, in ", pods, " of ", report.pods_size(),
                      " pods; most often ", most);
}

// Fills side.limit from the operator's counter if the operator gave up because
// of it and the verdict names no limit.
void FindOwnCount(const v1::FailureReport& report,
                  const v1::NativeVerdict& native, Side& side) {
  if (!side.limit.name.empty() || native.action() != v1::Decision::FAIL) return;
  for (const WorkloadView& view : Owners(report).views) {
    if (view.kind->tell == nullptr) continue;
    ObjectDetails words;
    view.kind->tell(report, words);
    const OwnTries& tries = words.tries;
    const bool said =
        native.reason().find(tries.exhausted) != std::string::npos ||
        native.message().find(tries.exhausted) != std::string::npos;
    if (!said || tries.limit_name.empty()) continue;
    side.limit = {std::string(tries.limit_name), tries.used, tries.limit};
    return;
  }
}

std::string PaidBy(const v1::AttemptRecord& record) {
  if (record.charged_to().empty()) return "nothing";
  return absl::StrFormat("%s %d/%d", record.charged_to(), record.used(),
                         record.bound());
}

// Returns why a retry was refused: "memory is used up (3 of 3)".
std::string RefusalText(const v1::AttemptRecord& record) {
  switch (static_cast<int>(record.refused_by())) {
    case v1::AttemptRecord::BUDGET:
      return absl::StrFormat("%s is used up (%d of %d)",
                             record.refusing_budget(), record.used(),
                             record.bound());
    case v1::AttemptRecord::MAX_ATTEMPTS:
      return absl::StrFormat("the attempts are used up (%d of %d)",
                             record.used(), record.bound());
    case v1::AttemptRecord::KILL_SWITCH:
      return "retries are switched off";
    case v1::AttemptRecord::DEADLINE:
      return "the deadline comes first";
    case v1::AttemptRecord::DERIVED_CAUSE:
      return Words(v1::DerivedCause_Name(record.derived_cause()));
    default:
      return "";
  }
}

// Returns "retry the pod in 9s with memory x1.5", or "with more memory" if the
// report has nothing to multiply.
std::string DoneText(v1::Decision decision, const v1::FailureReport& report,
                     const v1::Culprit& culprit) {
  std::string more;
  auto& changes = *decision.mutable_resources();
  for (int i = changes.size(); i-- > 0;) {
    if (HasBase(changes[i], report, culprit)) continue;
    more.insert(0, absl::StrCat(" with more ", changes[i].resource()));
    changes.DeleteSubrange(i, 1);
  }
  return VerdictText(decision) + more;
}

// Returns why the current failure has no end: nothing ended, or the time is
// unknown.
std::string NoEnd(const v1::FailureReport& report,
                  const v1::Diagnosis& diagnosis) {
  for (const auto& pod : report.pods()) {
    if (pod.metadata().name() != diagnosis.culprit().pod()) continue;
    if (pod.status().phase() == "Pending") return "still waiting";
    if (pod.status().phase() == "Running") return "still running";
  }
  return "-";
}

// `asked`: a verdict was given, now or earlier, and may have been followed.
Attempt AttemptOf(const v1::AttemptRecord& record, bool asked,
                  const v1::FailureReport& report, const v1::Culprit& culprit) {
  Attempt attempt;
  attempt.number = record.attempt();
  attempt.observed = !record.has_finished_at();
  attempt.ended =
      attempt.observed ? record.observed_at() : record.finished_at();
  if (record.has_ran_for()) attempt.ran_for = record.ran_for();
  attempt.cause = record.cause();
  attempt.node = record.node();
  attempt.paid_by = PaidBy(record);
  if (!asked) {
    attempt.done = "no decision requested";
    return attempt;
  }
  attempt.done = DoneText(record.decision(), report, culprit);
  const std::string refusal = RefusalText(record);
  if (!refusal.empty()) absl::StrAppend(&attempt.done, ": ", refusal);
  return attempt;
}

// Returns the index of the current failure's record, or -1. One that was
// already reported may have another id, so its end identifies it.
int CurrentRecord(const v1::DecideResponse& response) {
  const auto& history = response.ledger().history();
  for (int i = history.size() - 1; i >= 0; --i) {
    if (history[i].failure_id() == response.failure_id()) return i;
  }
  if (!response.accounting().duplicate()) return -1;
  for (int i = history.size() - 1; i >= 0; --i) {
    if (response.diagnosis().has_finished_at() &&
        history[i].finished_at().seconds() ==
            response.diagnosis().finished_at().seconds()) {
      return i;
    }
  }
  return history.size() - 1;
}

bool Has(const v1::BudgetLedger& ledger, const std::string& failure_id) {
  const auto& history = ledger.history();
  return std::ranges::any_of(history, [&](const v1::AttemptRecord& record) {
    return record.failure_id() == failure_id;
  });
}

// Returns who starts the next attempt, or empty.
std::string RetriedBy(const v1::AttemptRecord& record) {
  switch (static_cast<int>(record.retried_by())) {
    case v1::AttemptRecord::KUBELET:
      return "tried again by the kubelet";
    case v1::AttemptRecord::OPERATOR:
      return "tried again by its operator";
    case v1::AttemptRecord::QUEUE:
      return "put back by the queue";
    case v1::AttemptRecord::SCHEDULER:
      return "tried again by its scheduler";
    default:
      return "";
  }
}

// Records that the request's ledger lacks, except the current failure's, come
// from the objects.
void AddAttempts(const v1::DecideRequest& request,
                 const v1::DecideResponse& response, int is_current,
                 Story& story) {
  const v1::BudgetLedger& ledger = response.ledger();
  for (int i = 0; i < ledger.history_size(); ++i) {
    const v1::AttemptRecord& record = ledger.history(i);
    const bool now = i == is_current;
    const bool asked = now || Has(request.ledger(), record.failure_id());
    story.attempts.push_back(AttemptOf(record, asked, request.report(),
                                       response.diagnosis().culprit()));
    story.attempts.back().is_current = now;
    const std::string by = RetriedBy(record);
    const bool ended =
        now && response.decision().action() != v1::Decision::IGNORE;
    if (!by.empty() && !ended) story.attempts.back().done = by;
  }
  story.dropped = ledger.history_dropped();
  story.seeded_from = ledger.seeded_from();
}

// Returns VerdictLine, or `nothing` for actions that people do not regard as a
// verdict.
std::string VerdictOr(const v1::Decision& decision, const char* nothing) {
  return decision.action() == v1::Decision::IGNORE ? nothing
                                                   : VerdictLine(decision);
}

Side OurSide(const v1::DecideResponse& response, int is_current,
             const google::protobuf::Timestamp& observed_at) {
  const v1::Accounting& accounting = response.accounting();
  Side side;
  side.who = "Mulligan";
  side.verdict = VerdictOr(response.decision(), "nothing to do") +
                 EndOfDelay(response.decision(), observed_at);
  side.action = response.decision().action();
  std::string payer = accounting.charged_to();
  if (accounting.duplicate() && is_current >= 0) {
    payer = response.ledger().history(is_current).charged_to();
    // The delay is over, but the report does not show what followed.
    const auto& delay = response.decision().retry_after();
    if (side.action == v1::Decision::RETRY && delay.seconds() == 0 &&
        delay.nanos() == 0) {
      side.verdict = ActionLine(response.decision());
    }
    absl::StrAppend(&side.verdict, ", as decided before");
  }
  for (const v1::BudgetState& budget : accounting.budgets()) {
    if (payer.empty() || budget.name() != payer) continue;
    side.limit = {budget.name(), budget.used(), budget.limit()};
  }
  if (accounting.has_exhaustion()) {
    const v1::Exhaustion& end = accounting.exhaustion();
    side.limit = {LimitName(end), end.used(), end.bound()};
  }
  return side;
}

Side OperatorSide(const v1::NativeVerdict& native,
                  const v1::FailureReport& report) {
  Side side;
  // The verdict's object is a Workload, but the operator is Kueue.
  side.who = native.operator_() == "Workload" ? "Kueue" : native.operator_();
  const v1::Decision decision = DecisionOf(native);
  side.verdict = VerdictOr(decision, "does nothing") +
                 EndOfDelay(decision, report.observed_at());
  side.action = decision.action();
  side.limit = {native.charged_to(), native.used(), native.limit()};
  FindOwnCount(report, native, side);
  // Without reason or message, the verdict repeats the action.
  if (native.reason().empty() && native.message().empty()) return side;
  side.message = native.verdict();
  if (!native.reason().empty()) {
    absl::StrAppend(&side.message, ", ", native.reason());
  }
  if (!native.message().empty()) {
    absl::StrAppend(&side.message, ": ", native.message());
  }
  return side;
}

std::string Label(const v1::WorkloadReference& workload) {
  if (workload.name().empty()) return workload.kind();
  return WorkloadLabel(workload.kind(), workload.namespace_(), workload.name());
}

absl::StatusOr<v1::BudgetLedger> Parse(const std::string& text,
                                       const std::string& label) {
  const auto bad = [&label](std::string_view why) {
    return Invalid(
        "%s: annotation %s: %s, expected the ledger of an "
        "earlier answer as JSON",
        label, kLedgerAnnotation, why);
  };
  v1::BudgetLedger ledger;
  const absl::StatusOr<std::size_t> end = CheckJsonValue(text);
  if (!end.ok()) return bad(std::string(end.status().message()));
  if (SkipJsonSpace(text, *end) < text.size() ||
      TypeOfJson(text) != JsonType::kObject ||
      (!JsonMembers(text).empty() &&
       !NamesFieldOf(text, *v1::BudgetLedger::descriptor()))) {
    return bad("is not one BudgetLedger");
  }
  absl::Status status = ParseProtoJson(text, ledger);
  if (!status.ok()) return bad(std::string(status.message()));
  return ledger;
}

// Returns in one sentence what stopped the work.
std::string ProblemOf(const v1::DecideResponse& response) {
  const v1::Diagnosis& diagnosis = response.diagnosis();
  if (!diagnosis.problem().empty()) return diagnosis.problem();
  // From a server before 0.2, or without an explanation.
  std::string summary = diagnosis.summary().empty()
                            ? response.decision().sentence()
                            : diagnosis.summary();
  while (!summary.empty() && summary.back() == '.') summary.pop_back();
  return summary;
}

// Returns "pod a says: ..."; empty if no cascade has a message.
std::string CascadeMessage(const v1::Diagnosis& diagnosis) {
  for (const v1::Cascade& cascade : diagnosis.cascades()) {
    // Reasons and exit codes are single words.
    if (cascade.how().find(' ') == std::string::npos) continue;
    return absl::StrCat("pod ", cascade.pod(), " says: ", cascade.how());
  }
  return "";
}

}  // namespace

std::string Side::Price() const {
  const auto& [name, used, bound] = limit;
  if (name.empty()) return "not counted";
  // A deadline is not counted in failures.
  if (name == "activeDeadlineSeconds") return name + " exceeded";
  return used > bound
             ? absl::StrFormat("%s of %d exceeded (%d)", name, bound, used)
             : absl::StrFormat("%s %d of %d used", name, used, bound);
}

Story MakeStory(const v1::DecideRequest& request,
                const v1::DecideResponse& response,
                const std::string& ledger_source) {
  Story story;
  const v1::FailureReport& report = request.report();
  const v1::Diagnosis& diagnosis = response.diagnosis();
  const v1::WorkloadReference workload = WorkloadOf(report);
  story.workload = Label(workload);
  story.headline = ProblemOf(response);
  story.restarts = RestartsIn(report);
  story.cascade_message = CascadeMessage(diagnosis);
  story.first_step = diagnosis.first_step().text();
  if (response.explanation().decided_by() == v1::Explanation::BRAKE) {
    story.stop_command = diagnosis.first_step().command();
  }
  story.broken = diagnosis.situation() == v1::Diagnosis::BROKEN;
  const int is_current = CurrentRecord(response);
  AddAttempts(request, response, is_current, story);
  for (Attempt& attempt : story.attempts) {
    if (attempt.is_current && attempt.observed) {
      attempt.no_end = NoEnd(report, diagnosis);
    }
  }
  for (const v1::ResourceChange& change : response.decision().resources()) {
    story.resources.push_back(change);
    if (!HasBase(change, report, diagnosis.culprit())) {
      story.resources.back().set_factor(0);
    }
  }
  const bool decides =
      response.explanation().decided_by() == v1::Explanation::NATIVE;
  if (!decides) {
    story.sides.push_back(OurSide(response, is_current, report.observed_at()));
  }
  if (response.has_native()) {
    story.sides.push_back(OperatorSide(response.native(), report));
  }
  story.ledger = NoteLedger(workload, response.ledger(), ledger_source);
  return story;
}

void DropNativeWarnings(v1::DecideResponse& response) {
  const std::string prefix = response.native().operator_() + ": ";
  auto& warnings = *response.mutable_warnings();
  warnings.erase(
      std::remove_if(warnings.begin(), warnings.end(),
                     [&](const std::string& warning) {
                       return warning.starts_with(kNoNativeVerdict) ||
                              warning.starts_with(prefix);
                     }),
      warnings.end());
}

std::string TakeAnnotatedLedger(v1::DecideRequest& request,
                                std::vector<std::string>& warnings) {
  if (request.has_ledger()) return std::string();
  const v1::WorkloadReference workload = WorkloadOf(request.report());
  std::vector<std::pair<std::string, decltype(&workload.annotations())>>
      holders = {{absl::StrCat(workload.kind(), " ", workload.name()),
                  &request.report().workload().annotations()}};
  for (const OwningObject& holder : OwnersFirst(request.report())) {
    holders.emplace_back(WorkloadLabel(holder.kind, holder.meta->namespace_(),
                                       holder.meta->name()),
                         &holder.meta->annotations());
  }
  const auto holder = std::ranges::find_if(holders, [](const auto& one) {
    return one.second->contains(kLedgerAnnotation);
  });
  if (holder == holders.end()) return std::string();
  const std::string& label = holder->first;
  const std::string& text = holder->second->at(kLedgerAnnotation);
  if (SkipJsonSpace(text) == text.size()) return std::string();
  absl::StatusOr<v1::BudgetLedger> ledger = Parse(text, label);
  if (!ledger.ok()) {
    warnings.push_back(absl::StrCat(std::string(ledger.status().message()),
                                    "; continued without it"));
    return std::string();
  }
  if (!ledger->workload_uid().empty() && !workload.uid().empty() &&
      ledger->workload_uid() != workload.uid()) {
    warnings.push_back(absl::StrFormat(
        "%s: the ledger in annotation %s was left out: it is of the object "
        "with UID %s, which was replaced",
        label, kLedgerAnnotation, ledger->workload_uid()));
    return std::string();
  }
  *request.mutable_ledger() = *std::move(ledger);
  return label;
}

LedgerNote NoteLedger(const v1::WorkloadReference& workload,
                      const v1::BudgetLedger& ledger,
                      const std::string& source) {
  LedgerNote note;
  note.source = source;
  const absl::StatusOr<std::string> json = PrintCompactJson(ledger);
  if (!json.ok() || ledger.history().empty()) return note;
  note.json = *json;
  if (workload.kind().empty() || workload.name().empty()) return note;
  // kubectl accepts the kind in lower case, of any group.
  const std::string resource = absl::StrCat(
      absl::AsciiStrToLower(workload.kind()), "/", workload.name());
  note.command = "kubectl annotate --overwrite";
  absl::StrAppend(&note.command, InNamespace(workload.namespace_()), " ",
                  ShellWord(resource), " ", kLedgerAnnotation, "=",
                  Quoted(note.json));
  return note;
}

}  // namespace mulligan::cli
