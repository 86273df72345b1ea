#include "policy/demystify/readers/exit_reader.h"

#include <cstdint>

#include "policy/demystify/context.h"
#include "policy/demystify/fact.h"
#include "policy/demystify/pod_state.h"
#include "policy/demystify/readers/ended_container.h"
#include "policy/demystify/readers/text_reader.h"
#include "policy/demystify/signatures/rows.h"
#include "policy/demystify/signatures/tables.h"
#include "policy/demystify/weighing/weighing.h"

namespace mulligan::demystify {

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
  const Signature* text = nullptr;
  if (row != nullptr) {
    const TextTable* texts = row->key == key::kEvicted         ? &KubeletTexts()
                             : row->cause == v1::IMAGE_INVALID ? &ImageTexts()
                                                               : &StartTexts();
    text = AddText(facts, *texts, exit.message(), at(".message"), kUnknownTime);
    AddFact(facts, table, *row, at(".reason"), reason);
    Weigh(Round::kSameObject, facts.back(), {.message = text});
  }
  if (text == nullptr) {
    const bool killed =
        exit_code.has_value() && EndOf(*exit_code, reason) == End::kKilled;
    text = context.log.Add(facts, exit.message(), at(".message"), kUnknownTime,
                           killed);
  }
  if (!exit_code.has_value()) return;
  if (*exit_code == 0) {
    if (row == nullptr) {
      AddSign(facts, sign::kWorkloadPodSucceeded, at(".exitCode"), "0");
      Weigh(Round::kRead, facts.back());
    }
    return;
  }
  ReadExitCode(context, {*exit_code, reason, text}, at(".exitCode"), facts);
}

}  // namespace mulligan::demystify
