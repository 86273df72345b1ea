// Kueue, creation errors and bare exits: facts of one object each.
#include <span>

#include "policy/demystify/log.h"
#include "policy/demystify/readers/readers.h"
#include "policy/demystify/signatures/rows.h"
#include "policy/demystify/signatures/tables.h"
#include "policy/demystify/weighing.h"

namespace mulligan::demystify {
namespace {

namespace kueue = kubernetes::kueue::v1beta2;

void AddState(Candidates& facts, std::string_view key, const Place& place,
              std::string_view value, Seconds at) {
  if (const Signature* row = FindOperatorState(key)) {
    AddFact(facts, "operator", *row, place, value, at);
  }
}

// Releases before 0.8 have one reason for both ends, and say which in the
// message.
void ReadFinished(Candidates& facts, const std::string& reason,
                  const std::string& message, const Place& place, Seconds at) {
  const bool known = reason == "Succeeded" || reason == "FailedToStart" ||
                     reason == "OutOfSync" || reason == "OwnerNotFound";
  const bool succeeded = message.find("success") != std::string::npos;
  AddState(facts,
           known       ? "Workload/" + reason
           : succeeded ? "Workload/Succeeded"
                       : "Workload/Failed",
           place, reason, at);
}

void AddError(Candidates& facts, const Signature& row, const char* leaf,
              std::string_view value, std::int32_t number = 0) {
  AddFact(facts, "creation-error", row,
          {Root::kCreationError, -1, "", -1, leaf}, value)
      .number = number;
}

// Nothing sent names a cause: shows the most telling of what was sent.
void AddUnnamedError(Candidates& facts, const v1::CreationError& error) {
  if (!error.message().empty()) {
    AddError(facts, NoAnswer(), ".message", error.message());
  } else if (!error.reason().empty()) {
    AddError(facts, NoAnswer(), ".reason", error.reason());
  } else if (error.http_code() != 0) {
    AddError(facts, NoAnswer(), ".httpCode", {}, error.http_code());
  } else if (error.phase() == v1::CreationError::CREATE) {
    AddError(facts, NoAnswer(), ".phase", "CREATE");
  } else if (error.phase() != v1::CreationError::PHASE_UNSPECIFIED) {
    AddError(facts, NoAnswer(), ".phase", {}, error.phase());
  } else if (!error.kind().empty()) {
    AddError(facts, NoAnswer(), ".kind", error.kind());
  } else {
    AddError(facts, NoAnswer(), "", "{}");
  }
}

// What the API answered to a call. Returns the row of its message; null: there
// is none.
const Signature* AddAnswer(Candidates& facts, const v1::CreationError& error) {
  const Signature* text =
      AddText(facts, CreationTexts(), error.message(),
              {Root::kCreationError, -1, "", -1, ".message"}, kUnknownTime);
  if (const Signature* reason = FindStatusReason(error.reason())) {
    AddError(facts, *reason, ".reason", error.reason());
  } else if (const Signature* code = FindHttpCode(error.http_code())) {
    AddError(facts, *code, ".httpCode", {}, error.http_code());
  } else if (text == nullptr) {
    AddUnnamedError(facts, error);
  }
  return text;
}

// A workload that is not admitted, by its condition `i`: what the queue says of
// it. Of an `evicted` one the eviction tells more than the wait that follows.
void ReadWaiting(const kueue::Workload& workload, int i, bool evicted,
                 Candidates& facts) {
  const auto& condition = workload.status().conditions(i);
  Place place = {Root::kWorkload, -1, ".status.conditions", i, ".message"};
  const Seconds at = ToSeconds(condition.last_transition_time());
  if (!evicted && AddText(facts, QueueWaitTexts(), condition.message(), place,
                          at) != nullptr) {
    return;
  }
  place.leaf = ".reason";
  const bool never = !evicted && condition.reason() == "ExceedsMaxQuota";
  AddState(facts, never ? "Workload/ExceedsMaxQuota" : "Workload/Pending",
           place, condition.reason(), at);
}

// Reasons of QuotaReserved=False (Kueue 0.19; older ones have the first three).
bool IsWaiting(const std::string& reason) {
  return reason == "Pending" || reason == "Inadmissible" ||
         reason == "Waiting" || reason == "WaitingForQuota" ||
         reason == "ExceedsMaxQuota";
}

}  // namespace

void ReadQueue(const Context& context, Candidates& facts) {
  if (!context.report.has_kueue_workload()) return;
  const kueue::Workload& workload = context.report.kueue_workload();
  bool explained = false;
  bool admitted = false;
  int waiting = -1;
  for (int i = 0; i < workload.status().conditions_size(); ++i) {
    const auto& condition = workload.status().conditions(i);
    const Place place = {Root::kWorkload, -1, ".status.conditions", i,
                         ".reason"};
    const Seconds at = ToSeconds(condition.last_transition_time());
    const std::string& type = condition.type();
    const std::string& reason = condition.reason();
    const bool is_true = condition.status() == "True";
    context.AddUserSignature(facts, v1::Signature::OPERATOR_MESSAGE,
                             condition.message(), std::nullopt, place, at);
    if (type == "Evicted" && is_true) {
      AddFact(facts, "queue", *FindEvictedReason(reason), place, reason, at);
      explained = true;
    } else if (type == "DeactivationTarget" && is_true) {
      AddFact(facts, "queue", *FindEvictedReason("DeactivatedDueTo" + reason),
              place, reason, at);
      Weigh(Round::kRead, facts.back(), {.condition = type});
      explained = true;
    } else if (type == "Preempted" && is_true) {
      AddFact(facts, "queue", *FindEvictedReason("Preempted"), place, reason,
              at);
      explained = true;
    } else if (type == "Finished" && is_true) {
      ReadFinished(facts, reason, condition.message(), place, at);
      explained = true;
    } else if (type == "Admitted") {
      admitted = is_true;
    } else if (type == "QuotaReserved" && condition.status() == "False" &&
               IsWaiting(reason)) {
      waiting = i;
    }
  }
  if (waiting >= 0) ReadWaiting(workload, waiting, explained, facts);
  if (!workload.status().unhealthy_nodes().empty() && !explained) {
    AddState(facts, "Workload/UnhealthyNodes",
             {Root::kWorkload, -1, ".status.unhealthyNodes", 0, ".name"},
             workload.status().unhealthy_nodes(0).name(), kUnknownTime);
    explained = true;
  }
  if (workload.spec().has_active() && !workload.spec().active() && !explained &&
      !admitted) {
    AddState(facts, "Workload/Inactive",
             {Root::kWorkload, -1, "", -1, ".spec.active"}, "false",
             kUnknownTime);
  }
}

void ReadCreationError(const Context& context, Candidates& facts) {
  if (!context.report.has_creation_error()) return;
  const v1::CreationError& error = context.report.creation_error();
  // Says nothing; beside objects that do it is an empty form.
  const bool alone =
      context.report.pods().empty() && context.report.jobs().empty();
  if (!alone && error.ByteSizeLong() == 0) return;
  context.AddUserSignature(
      facts, v1::Signature::CREATION_ERROR, error.message(), std::nullopt,
      {Root::kCreationError, -1, "", -1, ".message"}, kUnknownTime);
  const std::size_t before = facts.size();
  const bool of_build = error.phase() == v1::CreationError::BUILD;
  if (of_build) AddError(facts, BuildFailure(), ".phase", "BUILD");
  const bool was_called = !of_build || IsErrorCode(error.http_code());
  const Signature* text = was_called ? AddAnswer(facts, error) : nullptr;
  const Scene scene = {.message = text,
                       .is_answer = true,
                       .http_code = error.http_code(),
                       .of_build = of_build};
  const auto added = std::span(facts).subspan(before);
  Weigh(Round::kBeside, added, scene);
  if (text != nullptr && text->confidence != v1::Diagnosis::HIGH &&
      text->cause == v1::QUOTA_EXCEEDED) {
    Weigh(Round::kQuota, std::span(facts), scene);
  }
  Weigh(Round::kTrust, added, scene);
}

void ReadExit(const Context& context, Candidates& facts,
              std::optional<std::int32_t>& exit_code) {
  if (!context.report.has_exit()) return;
  const v1::ContainerExit& exit = context.report.exit();
  const auto at = [](const char* leaf) {
    return Place{Root::kExit, -1, "", -1, leaf};
  };
  if (exit.has_exit_code()) exit_code = exit.exit_code();
  context.AddUserSignature(
      facts, v1::Signature::TERMINATION_MESSAGE, exit.message(), exit_code,
      at(exit.message().empty() ? ".exitCode" : ".message"), kUnknownTime);
  const std::string& reason = exit.reason();
  const Signature* row = FindPodReason(reason);
  const char* table = "pod-reason";
  if (row == nullptr || reason == key::kOomKilled) {
    row = FindTerminatedReason(reason);
    table = "terminated";
  }
  if (row == nullptr) {
    row = FindWaitingReason(reason);
    table = "waiting";
  }
  const Signature* told = nullptr;
  if (row != nullptr) {
    const TextTable* texts = row->key == key::kEvicted         ? &KubeletTexts()
                             : row->cause == v1::IMAGE_INVALID ? &ImageTexts()
                                                               : &StartTexts();
    told = AddText(facts, *texts, exit.message(), at(".message"), kUnknownTime);
    AddFact(facts, table, *row, at(".reason"), reason);
    Weigh(Round::kBeside, facts.back(), {.message = told});
  }
  if (told == nullptr) {
    const bool killed =
        exit_code.has_value() && EndOf(*exit_code, reason) == End::kKilled;
    AddLog(facts, exit.message(), at(".message"), kUnknownTime, killed);
  }
  if (!exit_code.has_value()) return;
  if (*exit_code == 0) {
    if (row == nullptr) {
      AddSign(facts, sign::kWorkloadPodSucceeded, at(".exitCode"), "0");
      Weigh(Round::kRead, facts.back());
    }
    return;
  }
  // The code beside these reasons is a placeholder.
  if (reason == "ContainerStatusUnknown" || reason == "StartError") return;
  const ExitContext codes = reason == "Unknown" ? ExitContext::kRuntimeUnknown
                            : context.spark     ? ExitContext::kSpark
                                                : ExitContext::kAny;
  AddFact(facts, "exit-code", FindExitCode(*exit_code, codes), at(".exitCode"),
          {})
      .number = *exit_code;
}

}  // namespace mulligan::demystify
