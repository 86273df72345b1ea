// Facts from the queue.
#ifndef MULLIGAN_POLICY_DEMYSTIFY_READERS_QUEUE_READER_H_
#define MULLIGAN_POLICY_DEMYSTIFY_READERS_QUEUE_READER_H_

#include "policy/demystify/context.h"
#include "policy/demystify/fact.h"

namespace mulligan::demystify {

// Adds facts from the Kueue Workload.
void ReadQueue(const Context& context, Candidates& facts);

}  // namespace mulligan::demystify

#endif  // MULLIGAN_POLICY_DEMYSTIFY_READERS_QUEUE_READER_H_
