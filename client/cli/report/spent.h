// What an attempt held while it ran.
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

// Amounts times time, never negative. In whole numbers, so that sums do not
// depend on their order.
struct Spent {
  // Milliseconds of one accelerator: of any resource whose name says GPU, TPU,
  // Neuron or Gaudi.
  std::int64_t accelerator = 0;
  // Milliseconds of one core.
  std::int64_t core = 0;
  // Milliseconds of one pod.
  std::int64_t pod = 0;

  // At most what fits: in whichever order, the sum is the same.
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
    constexpr std::int64_t kMost = std::numeric_limits<std::int64_t>::max();
    return a > kMost - b ? kMost : a + b;
  }
};

// What is lost with a failure, from the objects' own times and requests:
//
//   1. Of a pod or an index that fails alone (the decision's scope), its pod.
//      Otherwise every pod that ran when the failure struck and has not
//      succeeded: a gang starts again whole.
//   2. From when the kubelet took a pod (status.startTime, else its first
//      container's start) to the end of its last container, where none was
//      looked at to its last condition, and of the pod at fault to when the
//      failure struck; of pods that still run, to when they were observed.
//   3. Times what the containers request, where they do not, their limits.
//   4. Pods that the sender left out (omitted_pods) held what the others did on
//      average.
//
// Nothing where no pod with times was reported.
Spent LostIn(const v1::FailureReport& report, const v1::Diagnosis& diagnosis,
             const v1::Decision& decision);

// What the pods that succeeded held, by the rules 2 to 4.
Spent CompletedIn(const v1::FailureReport& report);

}  // namespace mulligan::cli

#endif  // MULLIGAN_CLIENT_CLI_REPORT_SPENT_H_
