// What is wrong and what helps, according to the texts of a failure. Each
// function reads one kind of text; empty members are unknown.
#ifndef MULLIGAN_POLICY_WORDS_REMEDIES_H_
#define MULLIGAN_POLICY_WORDS_REMEDIES_H_

#include <string>

#include "mulligan/v1/diagnosis.pb.h"
#include "mulligan/v1/report.pb.h"
#include "policy/words/answered.h"
#include "policy/words/container_specs.h"
#include "policy/words/particulars.h"

namespace mulligan::words {

struct Remedy {
  // What is wrong, as a text names it: "secret pg does not exist".
  std::string problem = {};
  // What to do: "create secret pg".
  std::string step = {};
  // Who does it; unspecified: by the diagnosis.
  v1::FirstStep::Actor actor = v1::FirstStep::ACTOR_UNSPECIFIED;
  // The command for `step`; empty if there is none.
  std::string command = {};
  // The text that `problem` was read from.
  std::string source = {};
};

// Returns the advice of a row in the signature tables, filled from the first
// text that matches. Tries the row that decided, `signature`
// ("start/exec-format"), then the other rows of the cause, because another text
// may have the names.
Remedy RemedyInTexts(v1::Cause cause, std::string_view signature,
                     const Particulars& found);

// Names of Kueue's objects.
struct QueueNames {
  std::string queue;
  // The Workload.
  std::string workload;
  // The command that shows it.
  std::string ask;
};

// Returns advice on `message`, which the queue wrote; if it is empty, where to
// look.
Remedy RemedyInQueueMessage(const std::string& message, const QueueNames& queue,
                            const Particulars& found);

// Returns advice on STORAGE_EXHAUSTED: an emptyDir's sizeLimit, the volume at
// the path written, /dev/shm, a user's quota, or a missing limit. Empty for the
// container's own ephemeral-storage limit.
Remedy RemedyOfStorage(const Particulars& found, const ContainerSpecs& specs);

// Returns advice for a pod that no node matches: "no node has label gpu=h200".
// Empty if other reasons exclude some nodes.
Remedy RemedyOfSelector(const kubernetes::core::v1::Pod& pod,
                        const Particulars& found);

// Returns advice for an evicted pod from its use and request of a resource.
Remedy RemedyOfPressure(const Particulars& found);

// Returns advice for work that a Kueue queue holds or evicted, from its
// Workload or else from the queue's label. Empty for other work and other
// causes.
Remedy RemedyOfQueue(const Answered& answered, const Particulars& found);

// Returns what mulligan-controller wrote on work that it suspended: who, when,
// why, and how to resume it. Empty for work that runs or that others suspended.
Remedy RemedyOfStop(const Answered& answered);

// Returns the command that stops hopeless retries of an operator: suspends its
// object, deactivates its Kueue Workload, or deletes a pod without an owner.
// Empty if the operator does not retry, may go on, or cannot suspend.
std::string StopCommand(const Answered& answered);

// Returns the logs to read for a gang without a known root; empty otherwise.
Remedy RemedyOfGang(const Answered& answered);

}  // namespace mulligan::words

#endif  // MULLIGAN_POLICY_WORDS_REMEDIES_H_
