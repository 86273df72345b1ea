// What the steps of a test case show, as requests.
#ifndef MULLIGAN_CLIENT_CLI_SUITE_SCENE_H_
#define MULLIGAN_CLIENT_CLI_SUITE_SCENE_H_

#include <map>
#include <string>
#include <vector>

#include "absl/status/statusor.h"
#include "absl/time/time.h"
#include "client/cli/suite/suite.h"
#include "google/protobuf/struct.pb.h"
#include "mulligan/v1/retry_decision_service.pb.h"

namespace mulligan::cli {

// The fixtures and attempts of one case. Asked for its steps in order.
class Scene {
 public:
  explicit Scene(const Suite& suite) : suite_(suite) {}

  // The request of a step, or of one repetition of it; without ledger and
  // policy. Fixtures are written as of the first step. Each later step is a new
  // attempt: names and UIDs of the pods end with its number, and all times are
  // as much later as the question is. `step.same_attempt`: still that of the
  // step before.
  //
  // INVALID_ARGUMENT tells what cannot be read or has no place in a report.
  absl::StatusOr<v1::DecideRequest> Show(const v1::PolicyTestStep& step,
                                         bool repeated);

 private:
  using Objects = std::vector<google::protobuf::Struct>;

  absl::StatusOr<Objects> Read(const v1::PolicyTestFixture& fixture) const;
  // The fixture of the step as it is shown now, the step's own objects behind.
  Objects Stage(const v1::PolicyTestStep& step);
  absl::Status Advance(const v1::PolicyTestStep& step, bool repeated);

  const Suite& suite_;
  std::map<std::string, Objects> fixtures_;
  // Of the attempt at hand.
  int attempt_ = 0;
  absl::Duration moved_;
  absl::Time first_;
  absl::Time now_ = absl::InfinitePast();
};

}  // namespace mulligan::cli

#endif  // MULLIGAN_CLIENT_CLI_SUITE_SCENE_H_
