// Whether anything is broken.
#ifndef MULLIGAN_POLICY_DEMYSTIFY_SITUATION_H_
#define MULLIGAN_POLICY_DEMYSTIFY_SITUATION_H_

#include <vector>

#include "policy/demystify/conclusion.h"
#include "policy/demystify/context.h"
#include "policy/demystify/member.h"

namespace mulligan::demystify {

// Says whether anything is broken. Nothing is without evidence of an end, nor
// where the place of what ended was taken already, nor where the workload is
// being deleted.
void Assess(const Context& context, const std::vector<Member>& members,
            const std::vector<int>& pods, Conclusion& conclusion);

}  // namespace mulligan::demystify

#endif  // MULLIGAN_POLICY_DEMYSTIFY_SITUATION_H_
