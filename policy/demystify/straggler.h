// Whom a gang waited for when a collective operation timed out.
#ifndef MULLIGAN_POLICY_DEMYSTIFY_STRAGGLER_H_
#define MULLIGAN_POLICY_DEMYSTIFY_STRAGGLER_H_

#include <vector>

#include "policy/demystify/member.h"

namespace mulligan::demystify {

// The member that kept the others waiting, as an index into report.pods, or -1
// when nobody stands out. `pods` are the members of an attempt in which a
// watchdog ended a collective operation. Every member that waited reports it;
// so the one is meant that
// 1. alone reports none, while two or more others do, or
// 2. alone reports another operation (number, kind or size) than the rest.
int FindStraggler(const std::vector<Member>& members,
                  const std::vector<int>& pods);

}  // namespace mulligan::demystify

#endif  // MULLIGAN_POLICY_DEMYSTIFY_STRAGGLER_H_
