// The resources that an attempt used.
#ifndef MULLIGAN_CLIENT_CLI_REPORT_SPENT_H_
#define MULLIGAN_CLIENT_CLI_REPORT_SPENT_H_

#include <cstdint>
#include <limits>
#include <tuple>

#include "google/protobuf/timestamp.pb.h"
#include "mulligan/v1/decision.pb.h"
#include "mulligan/v1/diagnosis.pb.h"
#include "mulligan/v1/report.pb.h"

namespace mulligan::cli {

// Amounts times time, never negative. Integers, so that sums do not depend on
// their order.
struct Spent {
  // Milliseconds of one accelerator: any resource named after a GPU, TPU,
  // Neuron or Gaudi.
  std::int64_t accelerator = 0;
  // Milliseconds of one core.
  std::int64_t core = 0;
  // Milliseconds of one pod.
  std::int64_t pod = 0;

  // Saturates, so that the sum does not depend on the order.
  Spent& operator+=(const Spent& other) {
    accelerator = Sum(accelerator, other.accelerator);
    core = Sum(core, other.core);
    pod = Sum(pod, other.pod);
    return *this;
  }
  static auto Members(auto& self) {
    return std::tie(self.accelerator, self.core, self.pod);
  }
  bool any() const { return pod != 0; }
  friend bool operator==(const Spent&, const Spent&) = default;

 private:
  static std::int64_t Sum(std::int64_t a, std::int64_t b) {
    constexpr std::int64_t kMax = std::numeric_limits<std::int64_t>::max();
    return a > kMax - b ? kMax : a + b;
  }
};

// Returns what a failure lost, by the objects' own times and requests:
//
//   1. If a pod or index fails alone (the decision's scope), its pod. Otherwise
//      every pod that ran when the failure happened and has not succeeded,
//      because a gang restarts whole.
//   2. From the kubelet's start of a pod (status.startTime, else its first
//      container's start) to the end of its last container, or to the
//      observation if it still runs. Without ended containers, to its last
//      condition; for the culprit without either, to the time of the failure.
//   3. Times the containers' requests, or their limits if they have none.
//   4. Pods that the sender omitted (omitted_pods) count as the average of the
//      others.
//
// Zero if the report has no pod with times.
Spent LostIn(const v1::FailureReport& report, const v1::Diagnosis& diagnosis,
             const v1::Decision& decision);

// Returns what the succeeded pods used, by rules 2 to 4.
Spent CompletedIn(const v1::FailureReport& report);

}  // namespace mulligan::cli

#endif  // MULLIGAN_CLIENT_CLI_REPORT_SPENT_H_
