// Attempts that failed for different reasons, of which the last alone does not
// tell why the work ended.
#include <algorithm>
#include <iterator>
#include <string>
#include <vector>

#include "absl/strings/ascii.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_join.h"
#include "absl/strings/str_replace.h"
#include "policy/remedy/sentences.h"

namespace mulligan::remedy {
namespace {

// What comes from outside and goes again: nobody has to mend the work.
constexpr v1::Cause kPassing[] = {
    v1::PREEMPTED_QUEUE, v1::PREEMPTED_SCHEDULER,   v1::SPOT_RECLAIMED,
    v1::DRAINED,         v1::TAINT_EVICTED,         v1::NODE_SHUTDOWN,
    v1::NODE_LOST,       v1::NODE_PRESSURE_EVICTED, v1::GPU_FAULT,
    v1::FABRIC_FAULT,    v1::DEVICE_ADMISSION,      v1::API_TRANSIENT,
    v1::CREATE_CONFLICT, v1::IMAGE_PULL_TRANSIENT,  v1::COLLECTIVE_CASCADE};

bool Passes(v1::Cause cause) {
  return std::ranges::find(kPassing, cause) != std::end(kPassing);
}

// "container OOM" for CONTAINER_OOM: a sentence for people has no enum.
std::string InWords(v1::Cause cause) {
  std::string words = absl::AsciiStrToLower(v1::Cause_Name(cause));
  return absl::StrReplaceAll(words, {{"_", " "},
                                     {"oom", "OOM"},
                                     {"gpu", "GPU"},
                                     {"api", "API"},
                                     {"sigterm", "SIGTERM"},
                                     {"sigkill", "SIGKILL"}});
}

}  // namespace

DifferentCauses FindDifferentCauses(const Answered& answered, v1::Cause last) {
  const bool gave_up = answered.native != nullptr &&
                       answered.native->action() == v1::Decision::FAIL;
  if (!gave_up) return {};
  std::vector<v1::Cause> causes;
  const auto add = [&causes](v1::Cause cause) {
    if (std::ranges::find(causes, cause) == causes.end()) {
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
    names.push_back(InWords(cause));
    if (!Passes(cause)) persons.push_back(names.back());
  }
  DifferentCauses found;
  found.remark = absl::StrCat(answered.ledger.history_size(),
                              " attempts failed for different ", "reasons (",
                              absl::StrJoin(names, ", "), ")");
  if (Passes(last) && !persons.empty()) {
    found.step = absl::StrCat(absl::StrJoin(persons, " and "), " before it ",
                              persons.size() == 1 ? "needs" : "need",
                              " a person: see the attempts");
  }
  return found;
}

}  // namespace mulligan::remedy
