#include "client/cli/report/spent.h"

#include <algorithm>
#include <string>

#include "absl/time/time.h"
#include "policy/base/quantity.h"
#include "policy/base/times.h"
#include "policy/request/accelerators.h"

namespace mulligan::cli {
namespace {

namespace core = kubernetes::core::v1;

// Clock difference between peers that died of the same failure.
constexpr absl::Duration kClockSkew = absl::Seconds(5);

// For amounts that Kubernetes cannot parse: more than any node has.
constexpr double kNoAmount = 1e18;

double QuantityOf(const google::protobuf::Value& value) {
  if (value.has_number_value()) return value.number_value();
  return QuantityValue(value.string_value()).value_or(kNoAmount);
}

double QuantityOf(const core::Quantity& quantity) {
  return QuantityValue(quantity.string()).value_or(kNoAmount);
}

struct Held {
  double accelerators = 0;
  double cores = 0;

  Held operator+(const Held& other) const {
    return {accelerators + other.accelerators, cores + other.cores};
  }
};

Held Most(const Held& a, const Held& b) {
  return {std::max(a.accelerators, b.accelerators), std::max(a.cores, b.cores)};
}

template <typename Amounts>
void AddAmounts(const Amounts& amounts, Held& held) {
  for (const auto& [resource, amount] : amounts) {
    if (resource == "cpu") {
      held.cores = std::max(held.cores, QuantityOf(amount));
    } else if (IsAccelerator(resource)) {
      held.accelerators = std::max(held.accelerators, QuantityOf(amount));
    }
  }
}

// Returns a container's requests, or its limits where it has no request.
Held HeldBy(const core::Container& container) {
  const core::ResourceRequirements& resources = container.resources();
  Held requests;
  AddAmounts(resources.requests(), requests);
  AddAmounts(resources.request_quantities(), requests);
  Held limits;
  AddAmounts(resources.limits(), limits);
  AddAmounts(resources.limit_quantities(), limits);
  return {
      requests.accelerators > 0 ? requests.accelerators : limits.accelerators,
      requests.cores > 0 ? requests.cores : limits.cores};
}

// Counts like the scheduler: containers and sidecars run together; init
// containers run one after the other, with the sidecars before them.
Held HeldBy(const core::PodSpec& spec) {
  Held together;
  for (const auto& container : spec.containers()) {
    together = together + HeldBy(container);
  }
  Held sidecars;
  Held most;
  for (const auto& container : spec.init_containers()) {
    const Held held = HeldBy(container);
    if (container.restart_policy() == "Always") {
      sidecars = sidecars + held;
    } else {
      most = Most(most, sidecars + held);
    }
  }
  return Most(together + sidecars, most);
}

// The period in which a pod held its resources.
struct Run {
  absl::Time from = absl::InfiniteFuture();
  // Infinite if it still runs.
  absl::Time to = absl::InfinitePast();

  bool known() const { return from < absl::InfiniteFuture(); }
};

void AddState(const core::ContainerState& state, Run& run) {
  if (state.has_running()) {
    run.to = absl::InfiniteFuture();
    if (state.running().has_started_at()) {
      run.from = std::min(run.from, ToTime(state.running().started_at()));
    }
  }
  if (!state.has_terminated()) return;
  const auto& ended = state.terminated();
  if (ended.has_started_at() && !IsZeroTime(ended.started_at())) {
    run.from = std::min(run.from, ToTime(ended.started_at()));
  }
  if (ended.has_finished_at() && !IsZeroTime(ended.finished_at())) {
    run.to = std::max(run.to, ToTime(ended.finished_at()));
  }
}

Run RunOf(const core::Pod& pod) {
  Run run;
  for (const auto* statuses : {&pod.status().container_statuses(),
                               &pod.status().init_container_statuses()}) {
    for (const auto& status : *statuses) {
      AddState(status.last_state(), run);
      AddState(status.state(), run);
    }
  }
  if (pod.status().has_start_time() && !IsZeroTime(pod.status().start_time())) {
    run.from = ToTime(pod.status().start_time());
  }
  const bool ended =
      pod.status().phase() == "Failed" || pod.status().phase() == "Succeeded";
  if (run.to == absl::InfinitePast() && !ended) run.to = absl::InfiniteFuture();
  // Evicted before any container's state was known.
  if (run.to == absl::InfinitePast()) {
    for (const auto& condition : pod.status().conditions()) {
      run.to = std::max(run.to, ToTime(condition.last_transition_time()));
    }
  }
  return run;
}

// NaN becomes 0.
std::int64_t Saturated(double value) {
  constexpr double kMax = 1e18;
  return value > 0 ? static_cast<std::int64_t>(std::min(value, kMax)) : 0;
}

Spent SpentBy(const core::Pod& pod, const Run& run, absl::Time until) {
  const absl::Duration span =
      std::max(std::min(run.to, until) - run.from, absl::ZeroDuration());
  const double milliseconds = absl::ToDoubleMilliseconds(span);
  const Held held = HeldBy(pod.spec());
  return {Saturated(milliseconds * held.accelerators),
          Saturated(milliseconds * held.cores), Saturated(milliseconds)};
}

Spent Times(const Spent& spent, double factor) {
  const auto times = [factor](std::int64_t value) {
    return Saturated(static_cast<double>(value) * factor);
  };
  return {times(spent.accelerator), times(spent.core), times(spent.pod)};
}

bool IsAlone(const v1::Decision& decision) {
  return decision.scope() == v1::Decision::CONTAINER ||
         decision.scope() == v1::Decision::POD ||
         decision.scope() == v1::Decision::INDEX;
}

}  // namespace

Spent LostIn(const v1::FailureReport& report, const v1::Diagnosis& diagnosis,
             const v1::Decision& decision) {
  const absl::Time struck =
      ToTime(diagnosis.has_finished_at() ? diagnosis.finished_at()
                                         : report.observed_at());
  const std::string& culprit = diagnosis.culprit().pod();
  const bool alone = IsAlone(decision) && !culprit.empty();
  Spent lost;
  int pods = 0;
  for (const core::Pod& pod : report.pods()) {
    Run run = RunOf(pod);
    if (!run.known()) continue;
    const bool is_culprit = pod.metadata().name() == culprit;
    if (is_culprit && run.to == absl::InfinitePast()) run.to = struck;
    const bool ran_then =
        run.from <= struck + kClockSkew && run.to >= struck - kClockSkew;
    if (alone ? !is_culprit
              : !is_culprit &&
                    (!ran_then || pod.status().phase() == "Succeeded")) {
      continue;
    }
    lost += SpentBy(pod, run, ToTime(report.observed_at()));
    ++pods;
  }
  const std::int64_t omitted =
      report.omitted_pods().failed() + report.omitted_pods().running();
  if (alone || pods == 0 || omitted <= 0) return lost;
  return Times(lost, 1 + static_cast<double>(omitted) / pods);
}

Spent CompletedIn(const v1::FailureReport& report) {
  Spent completed;
  int pods = 0;
  for (const core::Pod& pod : report.pods()) {
    const Run run = RunOf(pod);
    if (!run.known() || pod.status().phase() != "Succeeded") continue;
    completed += SpentBy(pod, run, ToTime(report.observed_at()));
    ++pods;
  }
  const int omitted = report.omitted_pods().succeeded();
  if (pods == 0 || omitted <= 0) return completed;
  return Times(completed, 1 + static_cast<double>(omitted) / pods);
}

}  // namespace mulligan::cli
