#include "policy/demystify/readers/operator_reader.h"

#include <re2/re2.h>

#include <algorithm>
#include <optional>
#include <span>
#include <string>

#include "policy/demystify/context.h"
#include "policy/demystify/fact.h"
#include "policy/demystify/readers/text_reader.h"
#include "policy/demystify/signatures/rows.h"
#include "policy/demystify/signatures/tables.h"
#include "policy/demystify/weighing/weighing.h"
#include "policy/request/kinds.h"

namespace mulligan::demystify {
namespace {

// Returns the place of the statement in the object, at `leaf`.
Place PlaceOf(const Statement& statement, Place object, const char* leaf) {
  object.list = statement.list;
  object.item = statement.item;
  object.leaf = leaf;
  return object;
}

void AddCreation(std::string_view message, const Place& place, Seconds at,
                 Candidates& facts) {
  if (AddText(facts, CreationTexts(), message, place, at) == nullptr) return;
  Weigh(Round::kRead, facts.back());
}

// Only the Job controller's fixed message shows which kind of rule matched.
void ReadPolicyMessage(std::string_view message, Candidate& state) {
  static const re2::RE2* const condition =
      new re2::RE2("^Pod \\S+ has condition (\\S+) matching FailJob rule");
  std::string type;
  if (!re2::RE2::PartialMatch(re2::StringPiece(message.data(), message.size()),
                              *condition, &type)) {
    return;
  }
  state.row = type == "DisruptionTarget" ? &sign::kPolicyDisruption
                                         : &sign::kPolicyCondition;
  state.table = "sign";
  state.cause = state.row->cause;
  Weigh(Round::kRead, state);
}

// Reads the message if the state, the last fact, is only a summary.
void ReadMessage(const Context& context, std::string_view message,
                 const Place& place, Candidates& facts) {
  Candidate& state = facts.back();
  const Seconds at = state.at;
  const v1::Cause cause = state.cause;
  if (state.row->key == key::kPodFailurePolicy) {
    return ReadPolicyMessage(message, state);
  }
  if (cause == v1::API_TRANSIENT) return AddCreation(message, place, at, facts);
  if (state.tier > Tier::kConvention) return;
  if (cause == v1::LAUNCHER_FAILED) AddCreation(message, place, at, facts);
  if (AddText(facts, OperatorTexts(), message, place, at) == nullptr) {
    context.log.Add(facts, message, place, at);
  }
}

// Adds the row of the reason, else of the state, and facts from the message.
void ReadStatement(const Context& context, const Statement& statement,
                   const Place& object, Candidates& facts) {
  const Seconds at = ToSeconds(*statement.at);
  const Place message = PlaceOf(statement, object, statement.message_leaf);
  const std::size_t before = facts.size();
  if (!statement.message.empty()) {
    context.AddUserSignature(facts, v1::Signature::OPERATOR_MESSAGE,
                             statement.message, std::nullopt, message, at);
  }
  const Signature* row = FindOperatorState(statement.source, statement.reason);
  if (row == nullptr)
    row = FindOperatorState(statement.source, statement.state);
  if (row != nullptr) {
    const std::string_view shown =
        statement.shown.empty() ? statement.state : statement.shown;
    AddFact(facts, "operator", *row, PlaceOf(statement, object, statement.leaf),
            statement.reason.empty() ? shown : statement.reason, at);
    // The message of a hint does not decide either.
    if (!statement.message.empty() && row->tier > Tier::kHint) {
      ReadMessage(context, statement.message, message, facts);
    }
  }
  if (statement.exit_code) {
    AddFact(facts, "exit-code",
            FindExitCode(*statement.exit_code, ExitContext::kSpark), message,
            {}, at)
        .number = *statement.exit_code;
  }
  if (!statement.restarts) return;
  for (Candidate& fact : std::span(facts).subspan(before)) {
    fact.flags |= kRestarting;
    fact.at = kUnknownTime;
  }
}

// Returns condition `i` as a statement; empty if it states nothing.
std::optional<Statement> StatementOfCondition(const WorkloadView& view, int i) {
  const ConditionView condition = view.conditions[i];
  // Cut-down reports omit the status.
  const bool holds = condition.status() == "True" || condition.status().empty();
  const bool not_created =
      condition.type() == "Created" && condition.status() == "False";
  if (!holds && !not_created) return std::nullopt;
  Statement statement;
  statement.source = view.kind->source;
  statement.shown = condition.type();
  // FailureTarget announces what Failed will say.
  statement.state =
      statement.shown == "FailureTarget" ? "Failed" : statement.shown;
  statement.reason = condition.reason();
  statement.message = condition.message();
  statement.at = &condition.last_transition_time();
  statement.list = ".status.conditions";
  statement.item = i;
  statement.leaf = statement.reason.empty() ? ".type" : ".reason";
  return statement;
}

// Returns whether an owner that resumed its work starts one Job after the other
// (startupPolicy InOrder). The others stay suspended until it is their turn,
// and the JobSet says that it is suspended until all have started (JobSet
// 0.12).
bool StartsInOrder(const Context& context) {
  const auto& views = context.owners.views;
  return std::ranges::any_of(
             views,
             [](const WorkloadView& view) { return view.kind->makes_jobs; }) &&
         std::ranges::all_of(views,
                             [](const WorkloadView& view) {
                               return view.suspend_leaf == nullptr;
                             }) &&
         std::ranges::any_of(context.report.jobs(), [](const auto& job) {
           return !job.spec().suspend() &&
                  (job.status().active() > 0 || job.status().failed() > 0 ||
                   FindCondition(job.status().conditions(), "Suspended",
                                 "False") != nullptr);
         });
}

// Adds the statements of the object at `place`, except its deletion.
// `in_order`: see StartsInOrder.
void ReadObject(const Context& context, const WorkloadView& view, Place place,
                bool in_order, Candidates& facts) {
  for (const Statement& statement : view.statements) {
    ReadStatement(context, statement, place, facts);
  }
  const int conditions =
      view.conditions_are_stated ? 0 : view.conditions.size();
  for (int i = 0; i < conditions; ++i) {
    if (in_order && view.conditions[i].type() == "Suspended") continue;
    if (const auto statement = StatementOfCondition(view, i)) {
      ReadStatement(context, *statement, place, facts);
    }
  }
  if (view.suspend_leaf == nullptr || view.has_failed() || in_order) return;
  place.leaf = view.suspend_leaf;
  AddSign(facts, sign::kSuspendRequested, place, "true");
}

void ReadDeletion(const WorkloadView& view, Place place, Candidates& facts) {
  const Seconds at = ToSeconds(view.meta->deletion_timestamp());
  if (!Known(at)) return;
  place.leaf = ".metadata.deletionTimestamp";
  AddSign(facts, sign::kObjectDeleted, place, "set", at);
}

// Reads the counts, which the Job controller writes before a condition: all
// completions are reached, or pods failed and none is active.
void ReadCounts(const Context& context, int index, const WorkloadView& view,
                Candidates& facts) {
  const auto& status = context.report.jobs(index).status();
  const auto add = [&](std::string_view state, const char* leaf, int count) {
    AddFact(facts, "operator", *FindOperatorState(state),
            {Root::kJobs, index, "", -1, leaf}, {})
        .number = count;
  };
  if (view.phase == WorkloadPhase::kSucceeded) {
    return add("Job/Complete", ".status.succeeded", status.succeeded());
  }
  if (context.report.pods().empty() && status.failed() > 0 &&
      status.active() <= 0 && status.terminating() <= 0) {
    add("Job/PodsFailed", ".status.failed", status.failed());
  }
}

void ReadJobs(const Context& context, bool in_order, Candidates& facts) {
  const int jobs = context.report.jobs_size();
  const int newest = jobs > 0 ? context.owners.NewestAttempt() : -1;
  // Jobs with an owner are deleted by it.
  const bool are_made = std::ranges::any_of(
      context.owners.views,
      [](const WorkloadView& view) { return view.kind->makes_jobs; });
  for (int i = 0; i < jobs; ++i) {
    const WorkloadView view = ViewOf(context.report.jobs(i));
    // A Job of an earlier JobSet attempt is being removed.
    const int attempt = context.owners.AttemptOf(*view.meta);
    if (attempt >= 0 && attempt < newest) continue;
    const std::size_t before = facts.size();
    const Place place = {Root::kJobs, i};
    ReadObject(context, view, place, in_order, facts);
    if (facts.size() == before) ReadCounts(context, i, view, facts);
    if (!are_made) ReadDeletion(view, place, facts);
  }
}

}  // namespace

void ReadOperators(const Context& context, Candidates& facts) {
  const bool in_order = StartsInOrder(context);
  ReadJobs(context, in_order, facts);
  // The owners nearest to the pods come first.
  const auto& views = context.owners.views;
  for (auto view = views.rbegin(); view != views.rend(); ++view) {
    Place place = {Root::kOwner};
    place.owner = &*view;
    ReadObject(context, *view, place, in_order, facts);
    ReadDeletion(*view, place, facts);
  }
}

}  // namespace mulligan::demystify
