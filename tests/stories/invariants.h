// What must hold for every telling of every story.
#ifndef MULLIGAN_TESTS_STORIES_INVARIANTS_H_
#define MULLIGAN_TESTS_STORIES_INVARIANTS_H_

#include <string>
#include <string_view>
#include <vector>

#include "absl/status/status.h"
#include "mulligan/v1/retry_decision_service.pb.h"
#include "tests/stories/incidents.h"
#include "tests/stories/stream.h"
#include "tests/stories/telling.h"

namespace mulligan::stories {

enum class Invariant {
  // There is an answer, unless the report names nobody that the ledger knows.
  kIsAnswered,
  // Told whole at every change, each budget is charged what happened.
  kChargesTheTruth,
  // Told in part, but each failure while it was open: the same number. With all
  // pods in view from the same budgets.
  kChargesWhatWasTold,
  // No telling charges more failures than there were; with all pods in view no
  // budget more than its own.
  kChargesNoMore,
  // Nothing is charged for a report without a sign of trouble.
  kChargesNoHealth,
  // No RETRY or FAIL while kubelet, operator or queue goes on by itself, but
  // for the end of a loop.
  kLeavesAlone,
  // No RETRY or FAIL once the caller has told of the success.
  kLetsSuccessBe,
  // A RETRY is not due before the pod that failed can be gone.
  kWaitsForTheEnd,
  // No FAIL unless the story fails or the budget is really used up.
  kFailsForAReason,
  // An old report, told again, changes nothing.
  kForgetsNothing,
  // kChargesWhatWasTold and kChargesNoMore for two controllers with one ledger.
  kSharesTheLedger,
  // Told whole at every change, a loop without hope is ended before its third
  // failure.
  kEndsLoops
};
inline constexpr int kInvariants = 12;

const char* Name(Invariant invariant);

// What an ask was answered, and what the caller stores after it.
struct Answer {
  absl::Status status;
  v1::DecideResponse response;
  v1::BudgetLedger ledger;
};

struct Violation {
  Invariant invariant;
  // Index of the ask.
  int ask;
  std::string what;
};

// The story and what its stream says of it.
struct ToldStory {
  explicit ToldStory(Story told)
      : story(std::move(told)), incidents(FindIncidents(story)) {}

  Story story;
  std::vector<Incident> incidents;
};

// The first violation of each invariant. One answer for each ask.
std::vector<Violation> FindViolations(const ToldStory& told,
                                      const Telling& telling,
                                      const std::vector<Answer>& answers);

// Budgets that paid something.
std::map<std::string, int> Charged(const v1::BudgetLedger& ledger);

}  // namespace mulligan::stories

#endif  // MULLIGAN_TESTS_STORIES_INVARIANTS_H_
