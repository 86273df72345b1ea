#include "policy/demystify/readers/behind.h"

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

// Seconds within which a program has used all places that it writes to.
constexpr Seconds kWritingRun = 3600;

// Lets a more specific fact replace a vague winner.
void LookBehindWinner(Conclusion& conclusion) {
  const int behind = WeighBehind(std::span(conclusion.facts),
                                 {.fails = conclusion.gang.root >= 0,
                                  .cause = conclusion.cause,
                                  .confidence = conclusion.confidence});
  if (behind < 0) return;
  conclusion.winner = behind;
  conclusion.cause = conclusion.decisive()->row->cause;
  conclusion.confidence = conclusion.decisive()->confidence;
}

// A pull that fails without a reason gets the time that an outage may take.
void LookBehindPull(const Context& context, Conclusion& conclusion) {
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
void ReadAs(const Signature& row, Conclusion& conclusion) {
  Candidate& winner =
      conclusion.facts[static_cast<std::size_t>(conclusion.winner)];
  winner.row = &row;
  winner.table = "sign";
  winner.cause = conclusion.cause = row.cause;
  winner.flags = row.flags;
}

// The deciding text and its context.
struct Around {
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

// Texts whose meaning depends on the rest of the report.
struct Surroundings {
  v1::Cause cause;
  // The row that matched; empty: any of the cause.
  std::string_view row;
  bool (*hold)(const Around& said);
  const Signature* reading;
};
// A pod that states its resources and requests no device gets none.
bool AsksForNoDevice(const Around& said) {
  return said.IsOfPod() && said.conclusion.gang.state.without_device;
}

const Surroundings kSurroundings[] = {
    {v1::GPU_FAULT, key::kNoGpus, AsksForNoDevice, &sign::kNoDeviceAskedFor},
    {v1::GPU_FAULT, key::kNoNvidiaDriver, AsksForNoDevice,
     &sign::kNoDeviceAskedFor},
    // The limit of a container's own file system has nothing to do with the
    // room on a claimed volume.
    {v1::STORAGE_EXHAUSTED, "",
     [](const Around& said) {
       return said.IsOfPod() &&
              IsAboutClaim(said.pod(), said.container(), said.line);
     },
     &sign::kVolumeClaimFull},
    // A folder of the node is as damaged for the next pod.
    {v1::DATA_OR_NUMERIC, key::kPoisonedCache,
     [](const Around& said) {
       return said.IsOfPod() &&
              IsOnNode(said.pod(), said.container(), said.line);
     },
     &sign::kNodeCacheDamaged},
    // Kernels make a file system read-only when a disk fails. A container that
    // never could write fails sooner.
    {v1::CONFIG_USER_ERROR, key::kReadOnly,
     [](const Around& said) {
       return said.IsOfPod() && said.status != nullptr &&
              RanLong(*said.status, kWritingRun);
     },
     &sign::kTurnedReadOnly},
    // Spark sizes heaps and containers by the same setting.
    {v1::CONTAINER_OOM, "",
     [](const Around& said) {
       return !said.context.spark && IsAboutHeap(said.line) &&
              FixesHeap(said.log());
     },
     &sign::kHeapOfItsOwn},
    {v1::CONTAINER_OOM, "",
     [](const Around& said) {
       return IsAreaOfItsOwn(said.line, said.log(), said.context.spark);
     },
     &sign::kAreaOfItsOwn},
};

void LookAround(const Context& context, Conclusion& conclusion) {
  const Candidate* winner = conclusion.decisive();
  if (winner == nullptr || winner->text.empty()) return;
  const Around said{context, conclusion, winner->text,
                    conclusion.gang.root < 0
                        ? nullptr
                        : CulpritContainer(context.report, conclusion)};
  for (const Surroundings& one : kSurroundings) {
    if (conclusion.cause != one.cause ||
        (!one.row.empty() && winner->row->key != one.row) || !one.hold(said)) {
      continue;
    }
    ReadAs(*one.reading, conclusion);
    return;
  }
}

// A quota frees up when others finish, but not for more than all of it.
void LookBehindQuota(Conclusion& conclusion) {
  if (conclusion.cause != v1::QUOTA_EXCEEDED || conclusion.winner < 0) return;
  if (!NeverFitsQuota(conclusion.decisive()->text)) return;
  ReadAs(sign::kQuotaNeverFits, conclusion);
}

}  // namespace

void LookBehind(const Context& context, Conclusion& conclusion) {
  LookBehindWinner(conclusion);
  LookBehindPull(context, conclusion);
  LookAround(context, conclusion);
  LookBehindQuota(conclusion);
}

}  // namespace mulligan::demystify
