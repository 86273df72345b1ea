// Invariants of every playback of every story.
#ifndef MULLIGAN_TESTS_STORIES_INVARIANTS_H_
#define MULLIGAN_TESTS_STORIES_INVARIANTS_H_

#include <string>
#include <string_view>
#include <vector>

#include "absl/status/status.h"
#include "mulligan/v1/retry_decision_service.pb.h"
#include "tests/stories/incidents.h"
#include "tests/stories/playback.h"
#include "tests/stories/stream.h"

namespace mulligan::stories {

enum class Invariant {
  // There is an answer, unless the report names no workload of the ledger.
  kIsAnswered,
  // Reported in full at every change, each budget is charged its failures.
  kChargesTheTruth,
  // Reported in part, but each failure while it was open: the number of charges
  // is right, and with all pods in view their budgets.
  kChargesReported,
  // No playback charges more failures than there were, and with all pods in
  // view no budget more than its own.
  kChargesNoMore,
  // Nothing is charged for a report without a sign of trouble.
  kChargesNoHealth,
  // No RETRY or FAIL while kubelet, operator or queue continues by itself,
  // except to stop a loop, or work that fails in the end.
  kLeavesAlone,
  // No RETRY or FAIL once the caller has reported the success.
  kLetsSuccessBe,
  // No RETRY is due before the failed pod can be gone.
  kWaitsForTheEnd,
  // No FAIL unless the story fails or the budget is exhausted.
  kFailsForAReason,
  // An old report that is sent again changes nothing.
  kForgetsNothing,
  // kChargesReported and kChargesNoMore for two controllers with one ledger.
  kSharesTheLedger,
  // Reported in full at every change, a hopeless loop is stopped before its
  // third failure.
  kEndsLoops,
  // The text of broken work does not say that it goes on.
  kTextAgrees
};
inline constexpr int kInvariants = 13;

const char* Name(Invariant invariant);

// The answer to an ask, and the ledger that the caller stores after it.
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

// A story and the incidents in its stream.
struct AnnotatedStory {
  explicit AnnotatedStory(Story recorded)
      : story(std::move(recorded)), incidents(FindIncidents(story)) {}

  Story story;
  std::vector<Incident> incidents;
};

// Returns the first violation of each invariant. REQUIRES: one answer per ask.
std::vector<Violation> FindViolations(const AnnotatedStory& annotated,
                                      const Playback& playback,
                                      const std::vector<Answer>& answers);

// Returns the budgets that were charged.
std::map<std::string, int> Charged(const v1::BudgetLedger& ledger);

}  // namespace mulligan::stories

#endif  // MULLIGAN_TESTS_STORIES_INVARIANTS_H_
