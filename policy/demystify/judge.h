// The answer: what it is, whom it blames, what is odd about the report, and
// writing it down.
#ifndef MULLIGAN_POLICY_DEMYSTIFY_JUDGE_H_
#define MULLIGAN_POLICY_DEMYSTIFY_JUDGE_H_

#include <cstdint>
#include <functional>
#include <initializer_list>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "mulligan/kubernetes/core/v1/pod.pb.h"
#include "mulligan/v1/cause.pb.h"
#include "mulligan/v1/diagnosis.pb.h"
#include "policy/demystify/context.h"
#include "policy/demystify/gang.h"
#include "policy/demystify/member.h"

namespace mulligan::demystify {

struct Conclusion {
  // All facts of the root pod and of the other objects, weighed.
  Candidates facts;
  // Index into facts; -1: nothing decides.
  int winner = -1;
  Gang gang;
  v1::Cause cause = v1::NOT_FAILED;
  v1::Diagnosis::Confidence confidence = v1::Diagnosis::LOW;
  v1::Diagnosis::Situation situation = v1::Diagnosis::BROKEN;
  // When the culprit ended: the pod, or the object that says so.
  Seconds ended_at = kUnknownTime;
  // For work that is not broken: when to look again. Unknown: no need.
  Seconds ask_again = kUnknownTime;
  std::optional<std::int32_t> exit_code;
  // Members of the report that ended for reasons that are not the program's.
  int not_the_programs = 0;
  // Named by a message when the pod itself is not in the report.
  std::string named_pod;
  std::string named_container;
  std::vector<std::string> warnings;

  const Candidate* decisive() const {
    return winner >= 0 ? &facts[static_cast<std::size_t>(winner)] : nullptr;
  }
};

// The whole report: the attempt at hand, and those that failed before it.
struct Judgement {
  std::vector<Member> members;
  Attempts attempts;
  Conclusion conclusion;
};

// Reads the whole report and decides about the attempt at hand.
Judgement JudgeReport(const Context& context,
                      const WasDecided& was_decided = {});

// Decides about an earlier attempt by its pods alone: what the objects above
// say now is about the workload as it is now.
Conclusion JudgeEarlier(const Context& context,
                        const std::vector<Member>& members,
                        const std::vector<int>& pods);

// Says whether anything is broken. Nothing is without evidence of an end, nor
// where the place of what ended was taken already, nor where the workload is
// being deleted.
void Assess(const Context& context, const std::vector<Member>& members,
            const std::vector<int>& pods, Conclusion& conclusion);

// Who has to act.
v1::Diagnosis::FaultDomain DomainOf(const Context& context,
                                    const Conclusion& conclusion);

struct OutlookFound {
  v1::Diagnosis::Outlook outlook = v1::Diagnosis::OUTLOOK_UNSPECIFIED;
  // In words; empty when the outlook is unspecified.
  std::string reason;
};

// Unspecified for what is not broken.
OutlookFound OutlookOf(const Context& context, const Conclusion& conclusion);

// Puts the fact behind the winner of `conclusion` in its place, or the cause
// that the surroundings of the report suggest.
void LookBehind(const Context& context, Conclusion& conclusion);

// Whether a container of the pod is said to wait, run or have ended, and
// another of these at the same time.
bool ContainerInTwoStates(const kubernetes::core::v1::Pod& pod);

// Appends what is odd about the report itself: values and kinds this version
// does not know, values that cannot be or not together, times in the future.
void CheckReport(const Context& context, std::vector<std::string>& warnings);

// Fills `diagnosis`, which must be empty. `full` asks for the causes that did
// not win even when the answer is confident.
void WriteDiagnosis(const Context& context, const Conclusion& conclusion,
                    bool full, v1::Diagnosis& diagnosis);

// 16 hexadecimal digits: a hash of cause, exit code and the template of
// `message`. The same on every platform and in every release of this version
// of the API.
std::string Fingerprint(v1::Cause cause, std::optional<std::int32_t> exit_code,
                        std::string_view message,
                        std::initializer_list<std::string_view> names);

// `message` with everything masked that differs between two occurrences of one
// failure: `names` (of pod, node, namespace ...), numbers, hexadecimal and
// mixed identifiers, addresses, times, ranks. At most 512 bytes are looked at.
std::string MessageTemplate(std::string_view message,
                            std::initializer_list<std::string_view> names);

}  // namespace mulligan::demystify

#endif  // MULLIGAN_POLICY_DEMYSTIFY_JUDGE_H_
