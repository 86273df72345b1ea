// Between the JSON of case files and the mirrors of Kubernetes objects.
#ifndef MULLIGAN_CLIENT_CONFORMANCE_PROTOS_H_
#define MULLIGAN_CLIENT_CONFORMANCE_PROTOS_H_

#include <initializer_list>
#include <string_view>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "client/conformance/case.h"
#include "google/protobuf/duration.pb.h"
#include "google/protobuf/message.h"
#include "google/protobuf/timestamp.pb.h"

namespace mulligan::conformance {

// Merges the JSON of a Kubernetes object into `message`. Members the mirror
// does not have are skipped, null is an absent object. INVALID_ARGUMENT names
// `what` and the member that does not fit.
absl::Status FillFrom(const Json& json, std::string_view what,
                      google::protobuf::Message& message);

// The same into a new message.
template <typename Message>
absl::StatusOr<Message> MessageFrom(const Json& json, std::string_view what) {
  Message message;
  absl::Status status = FillFrom(json, what, message);
  if (!status.ok()) return status;
  return message;
}

// The JSON of a message under Kubernetes' member names. 64-bit numbers come
// out as strings, as protobuf's JSON has it; absent fields are left out.
Json MessageJson(const google::protobuf::Message& message);

// "2024-01-01T00:10:00Z", with any fraction and offset. INVALID_ARGUMENT for
// everything else, null included.
absl::StatusOr<google::protobuf::Timestamp> TimestampFrom(
    const Json& json, std::string_view what);

// RFC 3339 in UTC with 0, 3, 6 or 9 decimals.
Json TimestampJson(const google::protobuf::Timestamp& timestamp);

// A number of seconds, or a text as Go writes durations ("1m30s", "250ms").
absl::StatusOr<google::protobuf::Duration> DurationFrom(const Json& json,
                                                        std::string_view what);

// Seconds as a number; an integer when there is no fraction.
Json SecondsJson(const google::protobuf::Duration& duration);

// UNIMPLEMENTED naming the first member of `object` that is not in `known`, so
// that an evaluator never passes over what it does not understand.
absl::Status CheckOnlyMembers(const Json& object, std::string_view what,
                              std::initializer_list<std::string_view> known);

}  // namespace mulligan::conformance

#endif  // MULLIGAN_CLIENT_CONFORMANCE_PROTOS_H_
