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
// "Type=Status/Reason" with Reason possibly empty.
const Signature* FindPodReason(std::string_view reason);
const Signature* FindDisruptionReason(std::string_view reason);
// For a DisruptionTarget whose reason is none of these.
const Signature& UnknownDisruption();

// Containers: terminated.reason and waiting.reason.
const Signature* FindTerminatedReason(std::string_view reason);
const Signature* FindWaitingReason(std::string_view reason);

// Whose exit-code table applies on top of the common one.
enum class ExitContext : std::uint8_t { kAny, kSpark, kRuntimeUnknown };

struct ExitCodeSignature {
  std::int32_t code;
  ExitContext context;
  Signature row;
};

// Never null: codes without a row of their own get the row of their range.
// `code` is not 0.
const Signature& FindExitCode(std::int32_t code, ExitContext context);
// The signal behind an exit code in any notation (143, -15, 241); 0: none.
int SignalOf(std::int32_t code);

// Nodes: taint keys, and conditions as "Type=Status".
const Signature* FindTaint(std::string_view key);
const Signature* FindNodeCondition(std::string_view type,
                                   std::string_view status,
                                   std::string_view reason);
// What taints and conditions say that have no row, by their words: problem
// detectors and providers name them as they like.
const TextTable& TaintTexts();
const TextTable& NodeConditionTexts();
// Messages of conditions that announce something of any kind.
const TextTable& AnnouncementTexts();
// Whether a label or node selector entry says spot or preemptible capacity.
bool IsSpotLabel(std::string_view key, std::string_view value);

// When in the life of a pod an event happens. What is over is not the cause of
// what happens later.
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
  // Every table of Kubernetes' own texts, for events without a reason.
  kAny,
};

struct EventSignature {
  Signature row;
  Stage stage;
  // Table that may say more; the row's own cause is the fallback.
  Texts texts;
  // The reason alone says nothing: no fallback.
  bool needs_text;
};
const EventSignature* FindEvent(std::string_view reason);
// For events without a reason, and reasons no row knows but marked Warning.
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

// Operators: conditions and states, by "<Source>/<what>".
const Signature* FindOperatorState(std::string_view state);
const Signature* FindOperatorState(std::string_view source,
                                   std::string_view state);

// Whether the name has a word of such a container, "log-shipper", which may as
// well be the work itself where no other container is.
bool SoundsLikeHelper(std::string_view name);

// What people are told where a text names what is wrong (message Remedy of
// tools/rows/rows.proto has the words in braces).
struct RemedyRow {
  // The table of texts that it stands in, "start"; empty: in another table.
  std::string_view table;
  // The row's own name.
  std::string_view row;
  v1::Cause cause;
  const char* names;
  // In lower case, what every text has that `names` matches. Empty: not known.
  std::string_view words;
  // Empty: as the diagnosis says.
  std::string_view problem;
  std::string_view remedy;
  // Empty: there is none.
  std::string_view command;
  v1::FirstStep::Actor actor;
};
// In the order of their tables.
std::span<const RemedyRow> RemedyRows();

// Texts by who wrote them.
const TextTable& ApplicationTexts();
// Those of them that tell of accelerators, interconnects and machines.
const TextTable& HardwareErrors();
// Those of them that tell of memory and disks.
const TextTable& MemoryErrors();
// Those of them that are errors of the program itself.
const TextTable& ProgramErrors();
// Signs, beside a mistake, that the failure passes; they decide nothing.
const TextTable& PassingTexts();
// That the work was done, beside a crash.
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

}  // namespace mulligan::demystify

#endif  // MULLIGAN_POLICY_DEMYSTIFY_SIGNATURES_TABLES_H_
