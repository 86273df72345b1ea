// The signature tables by source: rows of *.yaml in this folder. All are
// constant, built before or at first use, and safe to share.
#ifndef MULLIGAN_POLICY_DEMYSTIFY_SIGNATURES_TABLES_H_
#define MULLIGAN_POLICY_DEMYSTIFY_SIGNATURES_TABLES_H_

#include <cstdint>
#include <string_view>

#include "policy/demystify/signatures/matching/text_table.h"
#include "policy/demystify/signatures/signature.h"

namespace mulligan::demystify {

// Pods: status.reason; reasons of DisruptionTarget; other conditions as
// "Type=Status/Reason", where Reason may be empty.
const Signature* FindPodReason(std::string_view reason);
const Signature* FindDisruptionReason(std::string_view reason);
// For a DisruptionTarget with another reason.
const Signature& UnknownDisruption();

// Containers: terminated.reason and waiting.reason.
const Signature* FindTerminatedReason(std::string_view reason);
const Signature* FindWaitingReason(std::string_view reason);

// The exit-code table that applies in addition to the common one.
enum class ExitContext : std::uint8_t { kAny, kSpark, kRuntimeUnknown };

struct ExitCodeSignature {
  std::int32_t code;
  ExitContext context;
  Signature row;
};

// Returns the row of the code, or else of its range. REQUIRES: `code` is not 0.
const Signature& FindExitCode(std::int32_t code, ExitContext context);
// Returns the signal in an exit code of any notation (143, -15, 241), or 0.
int SignalOf(std::int32_t code);

// Nodes: taint keys, and conditions as "Type=Status".
const Signature* FindTaint(std::string_view key);
const Signature* FindNodeCondition(std::string_view type,
                                   std::string_view status,
                                   std::string_view reason);
// Match taints and conditions that have no row by words in their names, which
// problem detectors and providers choose.
const TextTable& TaintTexts();
const TextTable& NodeConditionTexts();
// Messages of conditions that announce an event of any kind.
const TextTable& AnnouncementTexts();
// Returns whether a label or selector means spot or preemptible capacity.
bool IsSpotLabel(std::string_view key, std::string_view value);

// The stage of a pod's life in which an event happens. Events of a stage that
// is over do not cause later failures.
enum class Stage : std::uint8_t {
  kCreate,
  kSchedule,
  kStart,
  kRun,
  kNode,
};

enum class Texts : std::uint8_t {
  kNone,
  kKubelet,
  kImage,
  kStart,
  kMount,
  kScheduling,
  kCreation,
  kKilling,
  kKernel,
  kQueue,
  kOperator,
  // All tables of Kubernetes' own texts, for events without a reason.
  kAny,
};

struct EventSignature {
  Signature row;
  Stage stage;
  // A table that may be more specific; the row's cause is the fallback.
  Texts texts;
  // Without a known text the event says nothing: there is no fallback.
  bool needs_text;
};
const EventSignature* FindEvent(std::string_view reason);
// For events without a reason, and Warning events with an unknown one.
const EventSignature& OtherEvent();

// API errors: metav1.Status reasons and HTTP codes.
const Signature* FindStatusReason(std::string_view reason);
struct HttpCodeSignature {
  std::int32_t first;
  std::int32_t last;
  Signature row;
};
const Signature* FindHttpCode(std::int32_t code);
const Signature& BuildFailure();
const Signature& NoAnswer();

// Kueue: reasons of Evicted, exact or by prefix.
const Signature* FindEvictedReason(std::string_view reason);

// Operators: conditions and states, by "<Source>/<state>".
const Signature* FindOperatorState(std::string_view state);
const Signature* FindOperatorState(std::string_view source,
                                   std::string_view state);

// Schedulers without Kubernetes: states and reasons, by "<scheduler>/<word>".
const Signature* FindSchedulerState(std::string_view scheduler,
                                    std::string_view word);

// Returns whether the name suggests a helper, such as "log-shipper". A pod's
// only container may still be the work itself.
bool SoundsLikeHelper(std::string_view name);

// Advice for users if a text names what is wrong (message Remedy of
// tools/rows/rows.proto lists the placeholders).
struct RemedyRow {
  // The row's table, such as "start"; empty unless it is a table of texts.
  std::string_view table;
  std::string_view row;
  v1::Cause cause;
  const char* names;
  // Words in every text that `names` matches, in lower case; empty if unknown.
  std::string_view words;
  // Empty if the diagnosis states it.
  std::string_view problem;
  std::string_view remedy;
  // May be empty.
  std::string_view command;
  v1::FirstStep::Actor actor;
  // The remedy of an attempt without Kubernetes; empty if it is the same.
  std::string_view elsewhere;
};
// In the order of their tables.
std::span<const RemedyRow> RemedyRows();

// Texts by their writer.
const TextTable& ApplicationTexts();
// Application texts about accelerators, interconnects and machines.
const TextTable& HardwareErrors();
// Application texts about memory and disks.
const TextTable& MemoryErrors();
// Application texts about errors of the program itself.
const TextTable& ProgramErrors();
// Signs that a mistake is temporary; they do not decide.
const TextTable& PassingTexts();
// Signs that the work was done in spite of a crash.
const TextTable& EndingTexts();
const TextTable& ImageTexts();
const TextTable& StartTexts();
const TextTable& MountTexts();
const TextTable& SchedulingTexts();
const TextTable& KubeletTexts();
const TextTable& KillingTexts();
const TextTable& KernelTexts();
const TextTable& CreationTexts();
const TextTable& QueueTexts();
// Why a queue does not admit a workload.
const TextTable& QueueWaitTexts();
const TextTable& OperatorTexts();
// Sentences of schedulers without Kubernetes.
const TextTable& SchedulerTexts();

}  // namespace mulligan::demystify

#endif  // MULLIGAN_POLICY_DEMYSTIFY_SIGNATURES_TABLES_H_
