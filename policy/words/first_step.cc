#include <algorithm>
#include <string_view>
#include <utility>

#include "absl/strings/str_cat.h"
#include "absl/strings/str_format.h"
#include "policy/base/quantity.h"
#include "policy/base/shell.h"
#include "policy/demystify/causes.h"
#include "policy/request/views/spark_words.h"
#include "policy/words/placeholders.h"
#include "policy/words/sentences.h"

namespace mulligan::words {
namespace {

struct Step {
  std::string text;
  v1::FirstStep::Actor actor = v1::FirstStep::ACTOR_UNSPECIFIED;
  std::string command = {};
};

v1::FirstStep::Actor ActorOf(const Answered& answered) {
  switch (static_cast<int>(answered.failure.domain)) {
    case v1::Diagnosis::APPLICATION:
    case v1::Diagnosis::CONFIGURATION:
    case v1::Diagnosis::RESOURCE_LIMIT:
    case v1::Diagnosis::DEADLINE:
      return v1::FirstStep::USER;
    case v1::Diagnosis::INFRASTRUCTURE:
    case v1::Diagnosis::QUEUE:
    case v1::Diagnosis::CONTROL_PLANE:
      return v1::FirstStep::PLATFORM;
    default:
      return v1::FirstStep::NOBODY;
  }
}

double GrantedFactor(const v1::Decision& decision, std::string_view resource) {
  for (const v1::ResourceChange& change : decision.resources()) {
    if (change.resource() == resource) return change.factor();
  }
  return 1;
}

// Returns whether an earlier attempt was granted more of the resource, so that
// the current pod may have it already.
bool GrewBefore(const Answered& answered, std::string_view resource) {
  const auto& history = answered.ledger.history();
  return std::ranges::any_of(history, [&](const v1::AttemptRecord& record) {
    return record.failure_id() != answered.failure_id &&
           GrantedFactor(record.decision(), resource) > 1;
  });
}

// The amount that a granted factor multiplies.
struct Base {
  std::string_view what;
  std::string amount;
};

// Returns the limit, else the request, of the first attempt, whose spec is the
// pod's own if nothing was granted before. Without amount if unknown.
Base GrowthBase(const Answered& answered, const Growable& growth,
                const Particulars& found, const ContainerSpecs& specs) {
  const bool grew = GrewBefore(answered, growth.resource);
  if (!grew && !found.limit.empty()) return {"limit", found.limit};
  const auto of_templates = [&](Amounts amounts) {
    return specs.OfTemplates(found.workload, found.container, growth.resource,
                             amounts);
  };
  if (auto limit = of_templates(Amounts::kLimits)) {
    // A new object's templates may have been grown like its pods.
    if (grew && *limit == found.limit) limit->clear();
    return {"limit", *std::move(limit)};
  }
  if (!found.limit.empty()) return {"limit", ""};
  if (!grew && !found.request.empty()) return {"request", found.request};
  return {"request", of_templates(Amounts::kRequests).value_or("")};
}

std::string GrowthStep(const Answered& answered, const Growable& growth,
                       const Particulars& found, const ContainerSpecs& specs) {
  const double factor = GrantedFactor(answered.decision, growth.resource);
  const Base base = GrowthBase(answered, growth, found, specs);
  const std::string& own = base.what == "limit" ? found.limit : found.request;
  const std::string& had = own.empty() ? base.amount : own;
  const std::string container = ContainerText(found);
  if (had.empty() && specs.Knows(found.container)) {
    return absl::StrFormat(
        "set request and limit of %s for %s: the report shows none",
        growth.resource, container);
  }
  const std::string step =
      absl::StrFormat("raise the %s %s of %s", growth.resource,
                      had.empty() ? "limit" : base.what, container);
  if (had.empty()) {
    return factor > 1
               ? absl::StrFormat("%s to %g times what it has", step, factor)
               : step;
  }
  const auto grown = Multiply(base.amount, factor);
  if (factor > 1 && grown.has_value() &&
      QuantityValue(*grown) > QuantityValue(had)) {
    return absl::StrFormat("%s from %s to %s", step, had, *grown);
  }
  // Without a template, the pod's own amount may have grown already.
  if (factor > 1 && base.amount.empty()) {
    return absl::StrFormat("%s to %g times that of the first attempt", step,
                           factor);
  }
  return absl::StrCat(step, " above ", had);
}

// Suggests stacks of the running pod, or how to learn more next time.
Step HangStep(const Particulars& found) {
  if (found.pod.empty()) {
    return {
        "no member stands out: have stacks dumped at the next time-out "
        "(TORCH_NCCL_DUMP_ON_TIMEOUT=1 with TORCH_NCCL_TRACE_BUFFER_SIZE)"};
  }
  const std::string pod = PodText(found);
  if (!found.runs) {
    return {absl::StrFormat(
        "find out what %s did meanwhile: its log, and stacks dumped at the "
        "next time-out (TORCH_NCCL_DUMP_ON_TIMEOUT=1)",
        pod)};
  }
  const std::string command =
      absl::StrFormat("kubectl exec%s %s -- py-spy dump --pid 1",
                      InNamespace(found.space), NameWord("pod", found.pod));
  return {absl::StrFormat("take stacks of %s while it still runs: %s", pod,
                          command),
          v1::FirstStep::USER, command};
}

// Spark itself sets the limit of its pods.
std::string SparkMemoryStep(const Particulars& found) {
  const bool driver =
      spark::ContainerShortOfMemory(found.container, found.message) ==
      spark::kDriverContainer;
  const std::string_view role = driver ? "driver" : "executor";
  std::string step = absl::StrFormat(
      "raise spark.%s.memory, or spark.%s.memoryOverhead where it is not the "
      "heap",
      role, role);
  if (!found.limit.empty()) {
    absl::StrAppend(&step, ": together they are ", found.limit);
  }
  return step;
}

std::string DeadlineStep(const Particulars& found, std::string_view owner) {
  if (found.no_objects) {
    return "raise the time limit of the job, or make the work shorter";
  }
  std::string step =
      absl::StrFormat("raise activeDeadlineSeconds of the %s", owner);
  if (found.deadline_seconds > 0) {
    absl::StrAppend(&step, ", now ", found.deadline_seconds);
  }
  return step + ", or make the work shorter";
}

// A cause from history or fleet takes precedence.
std::string StepOfHistory(const Answered& answered, const Particulars& found) {
  if (answered.failure.derived_cause == v1::BAD_NODE && !found.node.empty()) {
    return absl::StrFormat("take node %s out until it is repaired: %s",
                           found.node, answered.failure.derived_reason);
  }
  if (answered.failure.derived_cause == v1::INCIDENT) {
    return absl::StrFormat("look at what the failing workloads share: %s",
                           answered.failure.derived_reason);
  }
  return "";
}

// Programs may also exit with 124 themselves.
std::string TimeoutStep(const Answered& answered, const Particulars& found) {
  std::string step = absl::StrFormat(
      "give timeout(1) more time in the command of %s, or make the work "
      "shorter",
      ContainerText(found));
  if (answered.failure.confidence != v1::Diagnosis::LOW) return step;
  return absl::StrFormat(
      "%s; where the command has no timeout(1), 124 is the program's own: read "
      "the end of the log: %s",
      step, found.logs);
}

// Returns the step for causes with a limit or deadline.
std::string StepOfNumbers(const Answered& answered, const Particulars& found,
                          const ContainerSpecs& specs) {
  const v1::Cause cause = answered.failure.cause;
  if (cause == v1::STORAGE_EXHAUSTED && found.no_objects &&
      found.limit.empty()) {
    return "make room where the job writes, or have it write less";
  }
  if (const Growable* growth = GrowableOf(cause)) {
    return GrowthStep(answered, *growth, found, specs);
  }
  if (cause == v1::DEADLINE_POD && answered.failure.exit_code == 124) {
    return TimeoutStep(answered, found);
  }
  if (cause == v1::DEADLINE_POD) return DeadlineStep(found, "pod");
  if (cause == v1::DEADLINE_JOB) return DeadlineStep(found, "workload");
  return "";
}

Step StepOf(const Answered& answered, const Particulars& found,
            const Remedy& remedy, const ContainerSpecs& specs) {
  if (!answered.own_remedy.empty()) {
    return {Fill(answered.own_remedy, PlaceholdersOf(found))};
  }
  if (std::string step = StepOfHistory(answered, found); !step.empty()) {
    return {std::move(step), v1::FirstStep::PLATFORM};
  }
  const v1::Cause cause = answered.failure.cause;
  if (cause == v1::CONTAINER_OOM &&
      found.container.starts_with("spark-kubernetes-")) {
    return {SparkMemoryStep(found), v1::FirstStep::USER};
  }
  if (!remedy.step.empty()) {
    return {remedy.step, remedy.actor, remedy.command};
  }
  if (cause == v1::HANG) return HangStep(found);
  if (std::string step = StepOfNumbers(answered, found, specs); !step.empty()) {
    return {std::move(step), v1::FirstStep::USER};
  }
  const CauseRow& row = RowOf(cause);
  if (!row.remedy.empty()) {
    const bool logs = row.remedy.find("{logs}") != row.remedy.npos;
    const bool elsewhere = found.no_objects && !row.elsewhere.empty();
    return {Fill(elsewhere ? row.elsewhere : row.remedy, PlaceholdersOf(found)),
            row.actor, logs && !found.pod.empty() ? found.logs : std::string()};
  }
  if (answered.diagnosis.needed_evidence_size() == 0) return {};
  const v1::NeededEvidence& needed = answered.diagnosis.needed_evidence(0);
  return {absl::StrFormat("find out more: %s would show %s", needed.what(),
                          needed.why()),
          v1::FirstStep::USER};
}

}  // namespace

v1::FirstStep FirstStepOf(const Answered& answered, const Particulars& found,
                          const Remedy& remedy, const ContainerSpecs& specs) {
  const bool acts =
      answered.failure.situation == v1::Diagnosis::BROKEN ||
      answered.failure.situation == v1::Diagnosis::HELD ||
      answered.failure.outlook != v1::Diagnosis::OUTLOOK_UNSPECIFIED;
  const bool deleted =
      answered.failure.cause == v1::CANCELLED && !remedy.step.empty();
  v1::FirstStep first;
  if (!acts && !deleted) return first;
  Step step = StepOf(answered, found, remedy, specs);
  if (step.text.empty()) return first;
  first.set_actor(step.actor != v1::FirstStep::ACTOR_UNSPECIFIED
                      ? step.actor
                      : ActorOf(answered));
  // Running work must be stopped before anything else.
  if (std::string stop = StopCommand(answered); !stop.empty()) {
    step.command = std::move(stop);
  }
  first.set_text(std::move(step.text));
  first.set_command(std::move(step.command));
  return first;
}
}  // namespace mulligan::words
