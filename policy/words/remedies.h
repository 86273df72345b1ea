// What is wrong and what helps, as far as the words of a failure tell. Each
// function reads one kind of words; empty members say that they tell nothing.
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
  // What is wrong, where a text names it: "secret pg does not exist".
  std::string problem = {};
  // What to do about it: "create secret pg".
  std::string step = {};
  // Who does that. Unspecified: who has to act by the diagnosis.
  v1::FirstStep::Actor actor = v1::FirstStep::ACTOR_UNSPECIFIED;
  // The command of `step`; empty: there is none.
  std::string command = {};
  // The text that `problem` was read from.
  std::string source = {};
};

// By the first text in which a row of the signature tables that has remedies
// finds what it names: the row that decided, `signature` ("start/exec-format"),
// else any of the cause. What one row names may stand in the text of another.
Remedy RemedyInTexts(v1::Cause cause, std::string_view signature,
                     const Particulars& found);

// What Kueue's objects are called.
struct QueueNames {
  std::string queue;
  // The Workload.
  std::string workload;
  // The command that shows it.
  std::string ask;
};

// From what the queue said; without words, where to look.
Remedy RemedyInQueueWords(const std::string& said, const QueueNames& queue,
                          const Particulars& found);

// STORAGE_EXHAUSTED: an emptyDir's sizeLimit, the volume mounted where the
// program wrote, /dev/shm, a user's quota, or a limit that is not set. Empty
// where it is the container's own ephemeral-storage limit.
Remedy RemedyOfStorage(const Particulars& found, const ContainerSpecs& specs);

// A pod that no node at all matches: "no node has label gpu=h200". Empty where
// other reasons keep some nodes out.
Remedy RemedyOfSelector(const kubernetes::core::v1::Pod& pod,
                        const Particulars& found);

// A pod that was evicted from a node low on a resource, by what it used and had
// requested.
Remedy RemedyOfPressure(const Particulars& found);

// Work that a Kueue queue holds or evicted, from its Workload or, without one,
// from the label that names the queue. Empty for work without a queue, and for
// other causes.
Remedy RemedyOfQueue(const Answered& answered, const Particulars& found);

// Work that is suspended because mulligan-controller stopped it, in its own
// words: who, when and why, and what lets it go on. Empty for what others
// suspended, and for what lives.
Remedy RemedyOfStop(const Answered& answered);

// The command that stops work which its operator would try again although
// nobody should: suspends its object, deactivates its Kueue Workload, or
// deletes a pod without an owner. Empty: its operator is not at it, or may go
// on, or cannot suspend it.
std::string StopCommand(const Answered& answered);

// Whose logs to read where nobody in the report is known to have begun it.
// Empty for what is no gang, and gangs with a culprit.
Remedy RemedyOfGang(const Answered& answered);

}  // namespace mulligan::words

#endif  // MULLIGAN_POLICY_WORDS_REMEDIES_H_
