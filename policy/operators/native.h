// What the workload's own operator would answer from its own spec, the
// operators whose retry logic is known, and which of them answers for a report.
#ifndef MULLIGAN_POLICY_OPERATORS_NATIVE_H_
#define MULLIGAN_POLICY_OPERATORS_NATIVE_H_

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "google/protobuf/timestamp.pb.h"
#include "mulligan/v1/decision.pb.h"
#include "mulligan/v1/ledger.pb.h"
#include "mulligan/v1/native.pb.h"
#include "mulligan/v1/report.pb.h"
#include "policy/base/pattern_allowance.h"

namespace mulligan {

// Everything an operator's logic may look at. `now` is report.observed_at.
struct NativeInput {
  const v1::FailureReport& report;
  const v1::BudgetLedger& ledger;
  const v1::NativeSemantics& semantics;
  google::protobuf::Timestamp now;
  // For patterns in the objects; null: an allowance of their own.
  PatternAllowance* patterns = nullptr;
};

// One operator's answer, in its own words and in ours.
struct NativeOutcome {
  v1::NativeVerdict verdict;
  // The verdict in Mulligan's terms, with counts of any size.
  v1::Decision::Action action = v1::Decision::ACTION_UNSPECIFIED;
  v1::Decision::Scope scope = v1::Decision::SCOPE_UNSPECIFIED;
  v1::Decision::Queue queue = v1::Decision::QUEUE_UNSPECIFIED;
  // The operator's budget that pays, for example "backoffLimit"; empty: the
  // failure is not counted. `used` is the use after this failure, both in
  // failures tolerated.
  std::string charged_to;
  std::int64_t used = 0;
  std::int64_t limit = 0;
  // For RETRY: the operator moves the workload to capacity that is not
  // interrupted (Flyte's last attempts).
  bool on_demand = false;
  // What the API server or a webhook refuses, each "report.jobs[0].spec.x:
  // why". Such an object never gets to the operator; the verdict is what it
  // would do all the same.
  std::vector<std::string> refusals;
  // What was not understood: newer fields, missing objects.
  std::vector<std::string> warnings;
};

// One operator's logic: nothing when its objects are not in the report. Each
// is defined in the file of that operator.
std::optional<NativeOutcome> KubernetesJobOutcome(const NativeInput& input);
std::optional<NativeOutcome> JobSetOutcome(const NativeInput& input);
std::optional<NativeOutcome> RayJobOutcome(const NativeInput& input);
// Plain pods and the custom resources of Flyte's plugins, when
// semantics.operator is "flyte" or an object carries Flyte's marks.
std::optional<NativeOutcome> FlyteOutcome(const NativeInput& input);
std::optional<NativeOutcome> TrainJobOutcome(const NativeInput& input);
// Of mpi-operator's MPIJobs, and of training-operator's jobs: one field.
std::optional<NativeOutcome> MpiJobOutcome(const NativeInput& input);
std::optional<NativeOutcome> TrainingJobOutcome(const NativeInput& input);
std::optional<NativeOutcome> SparkApplicationOutcome(const NativeInput& input);
std::optional<NativeOutcome> WorkloadOutcome(const NativeInput& input);

// What the operator of the reported workload does about the failure; nothing
// when the report has no object of a known operator.
//
// The outermost operator that does something answers: a JobSet before its
// child Jobs, a TrainJob before its JobSet. One that does nothing for now
// ("None") leaves the answer to the next one further in, which is what happens
// in the cluster too; a warning says so. `report.workload.kind`, when given,
// is where the search starts; `semantics.operator` leaves no choice at all.
std::optional<NativeOutcome> AnswerNatively(const NativeInput& input);

// Who tries again by itself what a report shows to have failed, in words: the
// operator of the workload, by its own rules and a limit that the object
// states, when it has seen the end of pods[pod]; -1: it has seen all. Empty:
// nobody does. Nor does a queue, or Flyte's engine: these have a word of their
// own. If the report lacks the pod's owner: whether that owner has replaced a
// failed pod before.
std::string RetriesByItself(const NativeInput& input, int pod);

// Whether `name` may stand in NativeSemantics.operator.
bool IsNativeOperator(const std::string& name);

// "job, jobset, ...", outermost first.
std::string NativeOperatorNames();

// "backoffLimit" as "backoff-limit": the name of a budget in a ledger.
std::string NativeBudgetName(const std::string& setting);

}  // namespace mulligan

#endif  // MULLIGAN_POLICY_OPERATORS_NATIVE_H_
