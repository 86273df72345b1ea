// Whom a gang waited for when a collective operation timed out.
#ifndef MULLIGAN_POLICY_DEMYSTIFY_STRAGGLER_H_
#define MULLIGAN_POLICY_DEMYSTIFY_STRAGGLER_H_

#include <string>
#include <vector>

#include "policy/demystify/context.h"
#include "policy/demystify/member.h"

namespace mulligan::demystify {

struct Straggler {
  // Index into report.pods; -1: nobody stands out.
  int pod = -1;
  // Every member reports the same operation: they all waited, and none of them
  // is known to be the reason.
  bool nobody = false;
  // How it, or nobody, stands out, for people: "it reported nothing, and still
  // runs". Empty with neither.
  std::string how;
};

// The member that kept the others waiting. `pods` are the members of an attempt
// in which a watchdog ended a collective operation. Every member that waited
// reports it; so the one is meant that
// 1. alone reports none, whether it ended or still runs, while two or more
//    others do, or
// 2. alone reports another operation (number, kind or size) than the rest.
Straggler FindStraggler(const Context& context,
                        const std::vector<Member>& members,
                        const std::vector<int>& pods);

}  // namespace mulligan::demystify

#endif  // MULLIGAN_POLICY_DEMYSTIFY_STRAGGLER_H_
