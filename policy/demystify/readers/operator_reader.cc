#include "policy/demystify/readers/operator_reader.h"

#include <re2/re2.h>

#include <string>

#include "absl/strings/str_cat.h"
#include "policy/demystify/context.h"
#include "policy/demystify/fact.h"
#include "policy/demystify/readers/text_reader.h"
#include "policy/demystify/signatures/rows.h"
#include "policy/demystify/signatures/tables.h"
#include "policy/demystify/weighing/weighing.h"
#include "policy/request/kinds.h"

namespace mulligan::demystify {
namespace {

// What an object says, and in which object.
struct Said : Statement {
  Place place;
  Seconds at = kUnknownTime;
};

class OperatorReader {
 public:
  OperatorReader(const Context& context, Candidates& facts)
      : context_(context), facts_(facts) {}

  void ReadJobs() {
    if (context_.report.jobs().empty()) return;
    const int newest = context_.owners.NewestAttempt();
    for (int i = 0; i < context_.report.jobs_size(); ++i) {
      const auto& job = context_.report.jobs(i);
      // Of an earlier attempt of its JobSet, and on its way out.
      const int attempt = RestartAttemptOf(job.metadata());
      if (attempt >= 0 && attempt < newest) continue;
      const std::size_t before = facts_.size();
      const WorkloadView view = ViewOf(job);
      const Place place = {Root::kJobs, i};
      ReadConditions(view, "Job", place);
      ReadSuspension(view, place);
      if (facts_.size() == before) ReadCounts(i);
      // A child is deleted by its owner.
      if (MakesItsJobs()) continue;
      ReadDeletion(job.metadata(), place);
    }
  }

  void ReadOwner(const WorkloadView& view) {
    Place place = {Root::kOwner};
    place.owner = &view;
    for (const Statement& statement : view.statements) {
      Read(statement, place);
    }
    if (!view.conditions_are_stated) {
      ReadConditions(view, view.kind->source, place);
    }
    ReadSuspension(view, place);
    ReadDeletion(*view.meta, place);
  }

 private:
  // Without completions (a work queue) the first success is the last, once
  // nothing runs any more.
  static bool AllSucceeded(const kubernetes::batch::v1::Job& job) {
    const auto& status = job.status();
    const std::int64_t succeeded =
        std::int64_t{status.succeeded()} +
        status.uncounted_terminated_pods().succeeded_size();
    const bool queue =
        !job.spec().has_completions() && job.spec().has_parallelism();
    return queue ? succeeded > 0 && status.active() == 0 &&
                       status.terminating() == 0
                 : succeeded >= std::max(job.spec().completions(), 1);
  }

  // Whether an object of the report made its Jobs.
  bool MakesItsJobs() const {
    return std::ranges::any_of(
        context_.owners.views,
        [](const WorkloadView& view) { return view.kind->makes_jobs; });
  }

  void Read(const Statement& statement, Place place) {
    place.list = statement.list;
    place.item = statement.item;
    place.leaf = statement.leaf;
    const std::size_t before = facts_.size();
    Add({statement, place, ToSeconds(*statement.at)});
    if (statement.exit_code) {
      place.leaf = statement.message_leaf;
      AddFact(facts_, "exit-code",
              FindExitCode(*statement.exit_code, ExitContext::kSpark), place,
              {}, ToSeconds(*statement.at))
          .number = *statement.exit_code;
    }
    if (!statement.restarts) return;
    for (std::size_t i = before; i < facts_.size(); ++i) {
      facts_[i].flags |= kRestarting;
      facts_[i].at = kUnknownTime;
    }
  }

  // Adds the row of reason or state, refined by the message.
  void Add(const Said& said) {
    Place message = said.place;
    message.leaf = said.message_leaf;
    if (!said.message.empty()) {
      context_.AddUserSignature(facts_, v1::Signature::OPERATOR_MESSAGE,
                                said.message, std::nullopt, message, said.at);
    }
    const Signature* row = FindOperatorState(said.source, said.reason);
    std::string_view value = said.reason;
    if (row == nullptr) {
      row = FindOperatorState(said.source, said.state);
      if (said.reason.empty()) {
        value = said.shown.empty() ? said.state : said.shown;
      }
    }
    if (row == nullptr) return;
    AddFact(facts_, "operator", *row, said.place, value, said.at);
    // A hint decides nothing, and neither do its words.
    if (!said.message.empty() && row->tier > Tier::kHint) {
      AddMessage(said, message);
    }
  }

  // Messages say more where the state is only a summary.
  void AddMessage(const Said& said, const Place& place) {
    const Candidate state = facts_.back();
    if (state.row->key == key::kPodFailurePolicy) {
      ReadPolicyMessage(said);
    } else if (state.cause == v1::API_TRANSIENT) {
      AddCreation(said);
    } else if (state.tier <= Tier::kConvention) {
      if (state.cause == v1::LAUNCHER_FAILED) AddCreation(said);
      if (AddText(facts_, OperatorTexts(), said.message, place, said.at) ==
          nullptr) {
        context_.log.Add(facts_, said.message, place, said.at);
      }
    }
  }

  void AddCreation(const Said& said) {
    Place place = said.place;
    place.leaf = said.message_leaf;
    if (AddText(facts_, CreationTexts(), said.message, place, said.at) ==
        nullptr) {
      return;
    }
    Weigh(Round::kRead, facts_.back());
  }

  // The Job controller's fixed sentences are the only place that tells which
  // kind of rule matched.
  void ReadPolicyMessage(const Said& said) {
    static const re2::RE2* const condition =
        new re2::RE2("^Pod \\S+ has condition (\\S+) matching FailJob rule");
    std::string type;
    if (!re2::RE2::PartialMatch(
            re2::StringPiece(said.message.data(), said.message.size()),
            *condition, &type)) {
      return;
    }
    Candidate& state = facts_.back();
    const Signature& row = type == "DisruptionTarget" ? sign::kPolicyDisruption
                                                      : sign::kPolicyCondition;
    state.row = &row;
    state.table = "sign";
    state.cause = row.cause;
    Weigh(Round::kRead, state);
  }

  // The Job controller counts before it writes a condition: all completions are
  // there, or pods failed, none is left and none is active (between two
  // attempts).
  void ReadCounts(int index) {
    const auto& job = context_.report.jobs(index);
    const auto& status = job.status();
    if (AllSucceeded(job)) {
      AddFact(facts_, "operator", *FindOperatorState("Job/Complete"),
              {Root::kJobs, index, "", -1, ".status.succeeded"}, {})
          .number = status.succeeded();
      return;
    }
    if (!context_.report.pods().empty() || status.failed() <= 0 ||
        status.active() > 0 || status.terminating() > 0) {
      return;
    }
    AddFact(facts_, "operator", *FindOperatorState("Job/PodsFailed"),
            {Root::kJobs, index, "", -1, ".status.failed"}, {})
        .number = status.failed();
  }

  void ReadConditions(const WorkloadView& view, std::string_view source,
                      Place place) {
    place.list = ".status.conditions";
    for (int i = 0; i < view.conditions.size(); ++i) {
      const ConditionView condition = view.conditions[i];
      // Cut-down reports leave the status out.
      const bool holds =
          condition.status() == "True" || condition.status().empty();
      const bool not_created =
          condition.type() == "Created" && condition.status() == "False";
      if (!holds && !not_created) continue;
      Said said;
      said.source = source;
      said.state = condition.type();
      said.shown = condition.type();
      said.reason = condition.reason();
      said.message = condition.message();
      said.at = ToSeconds(condition.last_transition_time());
      said.place = place;
      said.place.item = i;
      said.place.leaf = said.reason.empty() ? ".type" : ".reason";
      // FailureTarget announces what Failed will say.
      if (said.state == "FailureTarget") said.state = "Failed";
      Add(said);
    }
  }

  void ReadSuspension(const WorkloadView& view, Place place) {
    if (view.suspend_leaf == nullptr || view.has_failed()) return;
    place.leaf = view.suspend_leaf;
    AddSign(facts_, sign::kSuspendRequested, place, "true");
  }

  void ReadDeletion(const kubernetes::meta::v1::ObjectMeta& metadata,
                    Place place) {
    const Seconds at = ToSeconds(metadata.deletion_timestamp());
    if (!Known(at)) return;
    place.leaf = ".metadata.deletionTimestamp";
    AddSign(facts_, sign::kObjectDeleted, place, "set", at);
  }

  const Context& context_;
  Candidates& facts_;
};

}  // namespace

void ReadOperators(const Context& context, Candidates& facts) {
  OperatorReader reader(context, facts);
  reader.ReadJobs();
  // What is nearest to the pods first.
  const auto& views = context.owners.views;
  for (auto view = views.rbegin(); view != views.rend(); ++view) {
    reader.ReadOwner(*view);
  }
}

}  // namespace mulligan::demystify
