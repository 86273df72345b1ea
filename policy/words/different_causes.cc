// Attempts that failed for different reasons, so that the last one does not
// explain why the work ended.
#include <algorithm>
#include <string>
#include <vector>

#include "absl/strings/ascii.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_join.h"
#include "absl/strings/str_replace.h"
#include "policy/demystify/causes.h"
#include "policy/rules/predicates.h"
#include "policy/words/sentences.h"

namespace mulligan::words {

std::string CauseText(v1::Cause cause) {
  std::string words = absl::AsciiStrToLower(v1::Cause_Name(cause));
  return absl::StrReplaceAll(words, {{"_", " "},
                                     {"oom", "OOM"},
                                     {"gpu", "GPU"},
                                     {"api", "API"},
                                     {"sigterm", "SIGTERM"},
                                     {"sigkill", "SIGKILL"}});
}

DifferentCauses FindDifferentCauses(const Answered& answered) {
  const v1::Cause last = answered.failure.cause;
  const bool gave_up = answered.native != nullptr &&
                       answered.native->action() == v1::Decision::FAIL;
  if (!gave_up) return {};
  std::vector<v1::Cause> causes;
  const auto add = [&causes](v1::Cause cause) {
    if (!kNoFailures.Contains(cause) &&
        std::ranges::find(causes, cause) == causes.end()) {
      causes.push_back(cause);
    }
  };
  for (const v1::AttemptRecord& record : answered.ledger.history()) {
    add(record.cause());
  }
  add(last);
  if (causes.size() < 2) return {};
  std::vector<std::string> names;
  std::vector<std::string> persons;
  for (const v1::Cause cause : causes) {
    names.push_back(CauseText(cause));
    if (!HasHistory(cause, kGoesAgain)) persons.push_back(names.back());
  }
  DifferentCauses found;
  found.remark = absl::StrCat(answered.ledger.history_size(),
                              " attempts failed for different ", "reasons (",
                              absl::StrJoin(names, ", "), ")");
  if (HasHistory(last, kGoesAgain) && !persons.empty()) {
    found.step = absl::StrCat(absl::StrJoin(persons, " and "), " before it ",
                              persons.size() == 1 ? "needs" : "need",
                              " a person: see the attempts");
  }
  return found;
}

}  // namespace mulligan::words
