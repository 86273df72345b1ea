// How often an operator that gave up by its own count had tried, where its
// verdict is that of an object that is at its end and counts nothing any more.
#include "client/cli/story/story.h"
#include "policy/request/kinds.h"
#include "policy/request/owners.h"
#include "policy/request/workload_view.h"

namespace mulligan::cli {

void FindOwnCount(const v1::FailureReport& report,
                  const v1::NativeVerdict& native, Side& side) {
  if (!side.limit_name.empty() || native.action() != v1::Decision::FAIL) return;
  for (const WorkloadView& view : Owners(report).views) {
    if (view.kind->tell == nullptr) continue;
    ObjectWords words;
    view.kind->tell(report, words);
    const OwnTries& tries = words.tries;
    const bool said =
        native.reason().find(tries.exhausted) != std::string::npos ||
        native.message().find(tries.exhausted) != std::string::npos;
    if (!said || tries.limit_name.empty()) continue;
    side.limit_name = tries.limit_name;
    side.used = tries.used;
    side.limit = tries.limit;
    return;
  }
}

}  // namespace mulligan::cli
