#include <algorithm>
#include <iterator>
#include <string_view>

#include "absl/strings/str_cat.h"
#include "absl/strings/str_format.h"
#include "absl/strings/str_replace.h"
#include "absl/strings/strip.h"
#include "client/cli/story/commands.h"
#include "client/cli/story/particulars.h"

namespace mulligan::cli {
namespace {

struct Step {
  v1::Cause cause;
  // {pod}, {container}, {node} and {image} with what they are, {logs} the
  // command that shows the log, {says} the deciding text after a colon.
  const char* text;
};

constexpr Step kSteps[] = {
    {v1::PREEMPTED_QUEUE,
     "nothing now; raise its priority if the queue evicts it too often"},
    {v1::PREEMPTED_SCHEDULER,
     "nothing now; raise its priorityClass if it is preempted too often"},
    {v1::SPOT_RECLAIMED,
     "nothing now; checkpoint more often, or use on-demand capacity, if it "
     "happens too often"},
    {v1::DRAINED,
     "nothing now; a PodDisruptionBudget protects work that must not be moved"},
    {v1::TAINT_EVICTED,
     "nothing now; see which taint {node} has, and tolerate it or stay away"},
    {v1::NODE_SHUTDOWN, "nothing now; {node} was shut down"},
    {v1::NODE_LOST, "see whether {node} is back: its kubelet went silent"},
    {v1::NODE_PRESSURE_EVICTED,
     "request as much as {container} uses: who is above its requests goes "
     "first"},
    {v1::GPU_FAULT, "drain {node} and reset or replace its GPU"},
    {v1::FABRIC_FAULT, "check the links of {node}"},
    {v1::DEVICE_ADMISSION,
     "see what {node} has left: its kubelet refused {pod}"},
    {v1::CREATE_REJECTED, "correct the spec{says}"},
    {v1::CREATE_CONFLICT,
     "wait until the object of that name is gone, or delete it"},
    {v1::QUOTA_EXCEEDED, "raise the quota, or free what it counts{says}"},
    {v1::API_TRANSIENT, "nothing now; if it lasts, look at the API server"},
    {v1::UNSCHEDULABLE, "make room, or ask for less{says}"},
    {v1::IMAGE_INVALID, "push {image}, or correct its name"},
    {v1::IMAGE_DENIED,
     "give the pod an imagePullSecret that may pull {image}, or correct its "
     "name"},
    {v1::IMAGE_PULL_TRANSIENT,
     "nothing now; if it lasts, look at the registry"},
    {v1::CONFIG_MISSING, "supply what {container} needs to start{says}"},
    {v1::SANDBOX_OR_MOUNT, "look at {node}: network plug-in and volumes{says}"},
    {v1::START_TIMEOUT, "see what {pod} waits for: its events tell"},
    {v1::HOST_OOM,
     "request as much memory as {container} uses, so that {node} is not "
     "overbooked"},
    {v1::GPU_OOM,
     "use less GPU memory (smaller batches, shorter sequences), or a larger "
     "GPU"},
    {v1::PROBE_KILLED,
     "give the probe of {container} more time, or correct it"},
    {v1::CONFIG_USER_ERROR,
     "correct the arguments or configuration of {container}{says}"},
    {v1::DECLARED_FATAL, "read why the program gave up{says}; {logs}"},
    {v1::DECLARED_RETRYABLE, "nothing now; the program asks for another try"},
    {v1::CRASH_SIGNAL, "read the end of the log: {logs}"},
    {v1::DEPENDENCY_UNAVAILABLE, "look at what it depends on{says}"},
    {v1::DATA_OR_NUMERIC, "look at the data and the numbers{says}"},
    {v1::COLLECTIVE_CASCADE,
     "find the member that died first: give all pods of the gang"},
    {v1::RENDEZVOUS_FAILED,
     "see which member did not come: give all pods of the gang"},
    {v1::LAUNCHER_FAILED, "read the log of {container}: {logs}"},
    {v1::CONTROLLER_ERROR, "read the operator's log{says}"},
    {v1::APP_ERROR, "read the end of the log: {logs}"},
    {v1::SUSPENDED, "resume it when it may run"},
};

// Causes about a resource that can be raised, and which.
struct Growth {
  v1::Cause cause;
  std::string_view resource;
  std::string_view limit;
};

constexpr Growth kGrowth[] = {
    {v1::CONTAINER_OOM, "memory", "memory limit"},
    {v1::STORAGE_EXHAUSTED, "ephemeral-storage", "ephemeral-storage limit"},
};

const Growth* GrowthOf(v1::Cause cause) {
  const auto* row = std::ranges::find(kGrowth, cause, &Growth::cause);
  return row == std::end(kGrowth) ? nullptr : row;
}

std::string LogsOf(const Particulars& found) {
  if (!found.logs.empty()) return found.logs;
  if (found.pod.empty()) return "kubectl logs of the failed pod";
  return LogCommand({found.space, found.pod, found.container, found.restarted});
}

std::string Fill(const char* text, const Particulars& found) {
  return absl::StrReplaceAll(
      text, {{"{pod}", Named("pod", found.pod)},
             {"{container}", Named("container", found.container)},
             {"{node}", Named("node", found.node)},
             {"{image}", Named("image", found.image)},
             {"{logs}", LogsOf(found)},
             {"{says}", found.message.empty() ? "" : ": " + found.message}});
}

double GrantedFactor(const v1::Decision& decision, std::string_view resource) {
  for (const v1::ResourceChange& change : decision.resources()) {
    if (change.resource() == resource) return change.factor();
  }
  return 1;
}

// Whether an earlier attempt was to grow the resource: the pod at hand may have
// it already.
bool GrewBefore(const v1::DecideResponse& response, std::string_view resource) {
  const auto& history = response.ledger().history();
  return std::ranges::any_of(history, [&](const v1::AttemptRecord& record) {
    return record.failure_id() != response.failure_id() &&
           GrantedFactor(record.decision(), resource) > 1;
  });
}

// What a granted factor multiplies.
struct Base {
  std::string_view what;
  std::string amount;
};

// The spec of the first attempt, which is the pod's own where nothing was
// granted before: its limit, else its request. No amount: not known.
Base GrowthBase(const v1::DecideResponse& response, const Growth& growth,
                const Particulars& found, const ContainerSpecs& specs) {
  const bool grew = GrewBefore(response, growth.resource);
  if (!grew && !found.limit.empty()) return {"limit", found.limit};
  if (auto limit = specs.TemplateLimitOf(found.workload, found.container,
                                         growth.resource)) {
    return {"limit", *std::move(limit)};
  }
  if (!found.limit.empty()) return {"limit", ""};
  if (!grew && !found.request.empty()) return {"request", found.request};
  return {
      "request",
      specs.TemplateRequestOf(found.workload, found.container, growth.resource)
          .value_or("")};
}

std::string GrowthStep(const v1::DecideResponse& response, const Growth& growth,
                       const Particulars& found, const ContainerSpecs& specs) {
  const double factor = GrantedFactor(response.decision(), growth.resource);
  const Base base = GrowthBase(response, growth, found, specs);
  const std::string& own = base.what == "limit" ? found.limit : found.request;
  const std::string& had = own.empty() ? base.amount : own;
  const std::string container = Named("container", found.container);
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
  // The template is not known, what the pod has may have grown already.
  if (factor > 1 && base.amount.empty()) {
    return absl::StrFormat("%s to %g times that of the first attempt", step,
                           factor);
  }
  return absl::StrCat(step, " above ", had);
}

// Stacks of who runs, else what tells more next time.
std::string HangStep(const Particulars& found) {
  if (found.pod.empty()) {
    return "nobody stands out: have stacks dumped at the next time-out "
           "(TORCH_NCCL_DUMP_ON_TIMEOUT=1 with TORCH_NCCL_TRACE_BUFFER_SIZE)";
  }
  if (!found.runs) {
    return absl::StrFormat(
        "find out what %s did meanwhile: its log, and stacks dumped at the "
        "next time-out (TORCH_NCCL_DUMP_ON_TIMEOUT=1)",
        Named("pod", found.pod));
  }
  return absl::StrFormat(
      "take stacks of %s while it still runs: kubectl exec%s %s -- py-spy dump "
      "--pid 1",
      Named("pod", found.pod), InNamespace(found.space),
      NameWord("pod", found.pod));
}

// Spark sets the limit of its pods itself.
std::string SparkMemoryStep(const Particulars& found) {
  // The driver's log tells of the executors it lost.
  const bool driver = found.container == "spark-kubernetes-driver" &&
                      found.message.find("xecutor") == std::string::npos;
  const std::string_view role = driver ? "driver" : "executor";
  std::string step = absl::StrFormat(
      "raise spark.%s.memory, or spark.%s.memoryOverhead where it is not the "
      "heap",
      role, role);
  const bool its_limit =
      driver == (found.container == "spark-kubernetes-driver");
  if (!found.limit.empty() && its_limit) {
    absl::StrAppend(&step, ": together they are ", found.limit);
  }
  return step;
}

std::string DeadlineStep(const Particulars& found, std::string_view owner) {
  std::string step =
      absl::StrFormat("raise activeDeadlineSeconds of the %s", owner);
  if (found.deadline_seconds > 0) {
    absl::StrAppend(&step, ", now ", found.deadline_seconds);
  }
  return step + ", or make the work shorter";
}

// "Pod a, container b" of "Pod a, container b: it ended.".
std::string_view SubjectOf(std::string_view summary) {
  const std::size_t end = summary.find(": ");
  return end == summary.npos ? std::string_view() : summary.substr(0, end);
}

// The program's own words in the place of what the table calls them, which
// follows in brackets with the exit code: "Pod a: KeyError: 'x' (an uncaught
// Python exception, exit code 1); 2 other members ...".
std::string WithErrorLine(const std::string& summary, const std::string& line) {
  const std::string_view subject = SubjectOf(summary);
  if (line.empty() || subject.empty() ||
      summary.find(line) != std::string::npos) {
    return summary;
  }
  std::string_view rest = summary;
  rest.remove_prefix(subject.size() + 2);
  const std::size_t end = std::min(
      rest.find("; "), std::min(rest.find(" (exit code"), rest.size()));
  std::string text = absl::StrCat(std::string(subject), ": ", line, " (",
                                  std::string(rest.substr(0, end)));
  rest.remove_prefix(end);
  if (rest.starts_with(" (")) {
    absl::StrAppend(&text, ", ", std::string(rest.substr(2)));
  } else {
    absl::StrAppend(&text, ")", std::string(rest));
  }
  return text;
}

// What else there is to say, behind the headline.
std::string WithRemarks(std::string headline, const Particulars& found) {
  if (!found.failed_indexes.empty()) {
    absl::StrAppend(&headline, "; failed indexes: ", found.failed_indexes);
  }
  if (found.deadline_passed) {
    absl::StrAppend(&headline, ", so the Job's deadline passed");
  }
  if (!found.tries.empty()) absl::StrAppend(&headline, "; ", found.tries);
  if (!found.queue_remark.empty()) {
    absl::StrAppend(&headline, "; Kueue evicted it: ", found.queue_remark);
  }
  return headline;
}

// The limit in numbers behind its name, or at the end.
std::string WithLimit(std::string summary, v1::Cause cause,
                      const std::string& limit) {
  const Growth* growth = GrowthOf(cause);
  if (growth == nullptr || limit.empty()) return summary;
  for (const std::string_view name :
       {growth->limit, std::string_view("limit")}) {
    const std::size_t at = summary.find(name);
    if (at == summary.npos) continue;
    summary.insert(at + name.size(), " of " + limit);
    return summary;
  }
  return absl::StrFormat("%s (%s %s)", summary, growth->limit, limit);
}

}  // namespace

bool HasBase(const v1::ResourceChange& change, const Particulars& found,
             const ContainerSpecs& specs) {
  const std::string& container =
      change.container().empty() ? found.container : change.container();
  return !specs.Knows(container) ||
         specs.LimitOf(found.pod, container, change.resource()) ||
         specs.RequestOf(found.pod, container, change.resource()) ||
         specs.TemplateLimitOf(found.workload, container, change.resource()) ||
         specs.TemplateRequestOf(found.workload, container, change.resource());
}

std::string Headline(const v1::DecideResponse& response,
                     const Particulars& found) {
  const v1::Diagnosis& diagnosis = response.diagnosis();
  std::string summary = diagnosis.summary().empty()
                            ? response.decision().sentence()
                            : diagnosis.summary();
  while (!summary.empty() && summary.back() == '.') summary.pop_back();
  const bool alive = diagnosis.situation() == v1::Diagnosis::ALIVE;
  if (!alive && !found.problem.empty()) {
    const std::string_view subject = SubjectOf(summary);
    return WithRemarks(subject.empty() ? found.problem
                                       : absl::StrCat(std::string(subject),
                                                      ": ", found.problem),
                       found);
  }
  if (diagnosis.situation() != v1::Diagnosis::BROKEN) {
    return WithLimit(std::move(summary), diagnosis.cause(), found.limit);
  }
  if (found.deadline_seconds > 0) {
    return absl::StrFormat("%s (activeDeadlineSeconds %d)", summary,
                           found.deadline_seconds);
  }
  return WithRemarks(WithLimit(WithErrorLine(summary, found.error_line),
                               diagnosis.cause(), found.limit),
                     found);
}

std::string FirstStep(const v1::DecideResponse& response,
                      const Particulars& found, const ContainerSpecs& specs) {
  const v1::Diagnosis& diagnosis = response.diagnosis();
  const v1::Cause cause = diagnosis.cause();
  const bool acts = diagnosis.situation() == v1::Diagnosis::BROKEN ||
                    diagnosis.situation() == v1::Diagnosis::HELD ||
                    diagnosis.outlook() != v1::Diagnosis::OUTLOOK_UNSPECIFIED;
  const bool deleted = cause == v1::CANCELLED && !found.remedy.empty();
  if (!acts && !deleted) return "";
  if (diagnosis.derived_cause() == v1::BAD_NODE && !found.node.empty()) {
    return absl::StrFormat("take node %s out until it is repaired: %s",
                           found.node, diagnosis.derived_reason());
  }
  if (diagnosis.derived_cause() == v1::INCIDENT) {
    return absl::StrFormat("look at what the failing workloads share: %s",
                           diagnosis.derived_reason());
  }
  if (!found.remedy.empty()) return found.remedy;
  if (cause == v1::HANG) return HangStep(found);
  if (cause == v1::CONTAINER_OOM &&
      found.container.starts_with("spark-kubernetes-")) {
    return SparkMemoryStep(found);
  }
  if (const Growth* growth = GrowthOf(cause)) {
    return GrowthStep(response, *growth, found, specs);
  }
  if (cause == v1::DEADLINE_POD) return DeadlineStep(found, "pod");
  if (cause == v1::DEADLINE_JOB) return DeadlineStep(found, "workload");
  for (const Step& step : kSteps) {
    if (step.cause == cause) return Fill(step.text, found);
  }
  if (diagnosis.needed_evidence_size() > 0) {
    const v1::NeededEvidence& needed = diagnosis.needed_evidence(0);
    return absl::StrFormat("find out more: %s would tell %s", needed.what(),
                           needed.why());
  }
  return "";
}

}  // namespace mulligan::cli
