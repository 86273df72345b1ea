#include "policy/operators/job/time.h"

#include "absl/time/time.h"
#include "google/protobuf/timestamp.pb.h"
#include "policy/base/times.h"

namespace mulligan::job {
absl::Time ZeroTime() { return absl::FromUnixSeconds(kFirstSecond); }

bool IsZero(const google::protobuf::Timestamp& timestamp) {
  return timestamp.nanos() == 0 &&
         (timestamp.seconds() == 0 || timestamp.seconds() == kFirstSecond);
}

}  // namespace mulligan::job
