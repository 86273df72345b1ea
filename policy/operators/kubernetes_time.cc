#include "policy/operators/kubernetes_time.h"

#include <cstdint>

#include "absl/time/time.h"
#include "google/protobuf/timestamp.pb.h"

namespace mulligan::job {
namespace {

constexpr std::int64_t kYearOne = -62135596800;

}  // namespace

absl::Time TimeOf(const google::protobuf::Timestamp& timestamp) {
  return absl::FromUnixSeconds(timestamp.seconds()) +
         absl::Nanoseconds(timestamp.nanos());
}

google::protobuf::Timestamp TimestampOf(absl::Time time) {
  const std::int64_t seconds = absl::ToUnixSeconds(time);
  google::protobuf::Timestamp timestamp;
  timestamp.set_seconds(seconds);
  timestamp.set_nanos(static_cast<std::int32_t>(
      absl::ToInt64Nanoseconds(time - absl::FromUnixSeconds(seconds))));
  return timestamp;
}

absl::Time ZeroTime() { return absl::FromUnixSeconds(kYearOne); }

bool IsZero(const google::protobuf::Timestamp& timestamp) {
  return timestamp.nanos() == 0 &&
         (timestamp.seconds() == 0 || timestamp.seconds() == kYearOne);
}

}  // namespace mulligan::job
