#include "policy/demystify/readers/refine.h"

#include <cstddef>
#include <span>
#include <string_view>

#include "policy/demystify/conclusion.h"
#include "policy/demystify/context.h"
#include "policy/demystify/culprit.h"
#include "policy/demystify/fact.h"
#include "policy/demystify/gang.h"
#include "policy/demystify/readers/ended_container.h"
#include "policy/demystify/readers/heap.h"
#include "policy/demystify/readers/quota.h"
#include "policy/demystify/readers/volumes.h"
#include "policy/demystify/signatures/rows.h"
#include "policy/demystify/weighing/weighing.h"

namespace mulligan::demystify {
namespace {

// Seconds after which a program has written to all places that it uses.
constexpr Seconds kWritingRun = 3600;

// Lets a more specific fact replace a vague winner.
void RefineWinner(Conclusion& conclusion) {
  const int behind = WeighBehind(std::span(conclusion.facts),
                                 {.fails = conclusion.gang.root >= 0,
                                  .cause = conclusion.cause,
                                  .confidence = conclusion.confidence});
  if (behind < 0) return;
  conclusion.winner = behind;
  conclusion.cause = conclusion.decisive()->row->cause;
  conclusion.confidence = conclusion.decisive()->confidence;
}

// Gives a pull that fails without a reason the time that an outage may take.
void RefinePull(const Context& context, Conclusion& conclusion) {
  constexpr Seconds kYoung = 180;
  if (conclusion.cause != v1::IMAGE_INVALID ||
      conclusion.confidence != v1::Diagnosis::LOW || conclusion.gang.root < 0) {
    return;
  }
  const auto& status = context.report.pods(conclusion.gang.root).status();
  const Seconds start = ToSeconds(status.start_time());
  if (Known(start) && Known(context.now) && context.now >= start &&
      context.now < start + kYoung) {
    conclusion.cause = v1::IMAGE_PULL_TRANSIENT;
  }
}

// Replaces the winner's row by one that fits the context.
void ReplaceRow(const Signature& row, Conclusion& conclusion) {
  Candidate& winner =
      conclusion.facts[static_cast<std::size_t>(conclusion.winner)];
  winner.row = &row;
  winner.table = "sign";
  winner.cause = conclusion.cause = row.cause;
  winner.flags = row.flags;
}

// The deciding text and its context.
struct TextContext {
  const Context& context;
  const Conclusion& conclusion;
  std::string_view line;
  const kubernetes::core::v1::ContainerStatus* status;

  // Returns the program's output, which contains `line`.
  std::string_view log() const {
    return IsOfPod() ? std::string_view(conclusion.gang.state.message)
                     : context.report.exit().message();
  }
  bool IsOfPod() const {
    return conclusion.gang.root >= 0 &&
           conclusion.decisive()->place.root == Root::kPods;
  }
  const kubernetes::core::v1::Pod& pod() const {
    return context.report.pods(conclusion.gang.root);
  }
  std::string_view container() const {
    return status == nullptr ? std::string_view() : status->name();
  }
};

// A text whose meaning depends on the rest of the report.
struct ContextRule {
  v1::Cause cause;
  // The row that matched; empty for any row of the cause.
  std::string_view row;
  bool (*hold)(const TextContext& text);
  const Signature* reading;
};
// Pods that state their resources get only the devices that they request.
bool RequestsNoDevice(const TextContext& text) {
  return text.IsOfPod() && text.conclusion.gang.state.without_device;
}

const ContextRule kContextRules[] = {
    {v1::GPU_FAULT, key::kNoGpus, RequestsNoDevice, &sign::kNoDeviceAskedFor},
    {v1::GPU_FAULT, key::kNoNvidiaDriver, RequestsNoDevice,
     &sign::kNoDeviceAskedFor},
    // A claimed volume does not count against the container's own limit.
    {v1::STORAGE_EXHAUSTED, "",
     [](const TextContext& text) {
       return text.IsOfPod() &&
              IsAboutClaim(text.pod(), text.container(), text.line);
     },
     &sign::kVolumeClaimFull},
    // A folder of the node is damaged for the next pod, too.
    {v1::DATA_OR_NUMERIC, key::kPoisonedCache,
     [](const TextContext& text) {
       return text.IsOfPod() &&
              IsOnNode(text.pod(), text.container(), text.line);
     },
     &sign::kNodeCacheDamaged},
    // Kernels make a file system read-only when a disk fails. A container that
    // could never write fails sooner.
    {v1::CONFIG_USER_ERROR, key::kReadOnly,
     [](const TextContext& text) {
       return text.IsOfPod() && text.status != nullptr &&
              RanLong(*text.status, kWritingRun);
     },
     &sign::kTurnedReadOnly},
    // Spark sizes heaps and containers by the same setting.
    {v1::CONTAINER_OOM, "",
     [](const TextContext& text) {
       return !text.context.spark && IsAboutHeap(text.line) &&
              FixesHeap(text.log());
     },
     &sign::kHeapOfItsOwn},
    {v1::CONTAINER_OOM, "",
     [](const TextContext& text) {
       return IsAreaOfItsOwn(text.line, text.log(), text.context.spark);
     },
     &sign::kAreaOfItsOwn},
};

void RefineByContext(const Context& context, Conclusion& conclusion) {
  const Candidate* winner = conclusion.decisive();
  if (winner == nullptr || winner->text.empty()) return;
  const TextContext text{context, conclusion, winner->text,
                         conclusion.gang.root < 0
                             ? nullptr
                             : CulpritContainer(context.report, conclusion)};
  for (const ContextRule& one : kContextRules) {
    if (conclusion.cause != one.cause ||
        (!one.row.empty() && winner->row->key != one.row) || !one.hold(text)) {
      continue;
    }
    ReplaceRow(*one.reading, conclusion);
    return;
  }
}

// A request that exceeds the whole quota does not fit when others finish.
void RefineQuota(Conclusion& conclusion) {
  if (conclusion.cause != v1::QUOTA_EXCEEDED || conclusion.winner < 0) return;
  if (!NeverFitsQuota(conclusion.decisive()->text)) return;
  ReplaceRow(sign::kQuotaNeverFits, conclusion);
}

}  // namespace

void RefineConclusion(const Context& context, Conclusion& conclusion) {
  RefineWinner(conclusion);
  RefinePull(context, conclusion);
  RefineByContext(context, conclusion);
  RefineQuota(conclusion);
}

}  // namespace mulligan::demystify
