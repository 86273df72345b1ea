// What else an ambiguous failure could have been, and what would tell.
#ifndef MULLIGAN_POLICY_DEMYSTIFY_AMBIGUITY_H_
#define MULLIGAN_POLICY_DEMYSTIFY_AMBIGUITY_H_

#include <cstdint>
#include <span>
#include <string_view>

#include "mulligan/v1/cause.pb.h"

namespace mulligan::demystify {

// Parts of a report that may be missing.
enum class Part : std::uint8_t {
  kNodes,
  kEvents,
  kWorkload,
  kUsage,
  kMessage,
  kPods,
  kOwner,
  kNothing,
};

// One other reading of `cause`. When `part` is in the report, the reading was
// ruled out with `why_not`; when it is missing, `what` is worth fetching.
struct Alternative {
  v1::Cause cause;
  v1::Cause other;
  Part part;
  std::string_view why_not;
  // "%" stands for the name of pod, node or workload.
  std::string_view what;
  std::string_view why;
};

// Rows for `cause`, most useful first.
std::span<const Alternative> AlternativesOf(v1::Cause cause);
std::span<const Alternative> Alternatives();

}  // namespace mulligan::demystify

#endif  // MULLIGAN_POLICY_DEMYSTIFY_AMBIGUITY_H_
