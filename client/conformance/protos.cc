#include "client/conformance/protos.h"

#include <algorithm>
#include <cstdint>
#include <initializer_list>
#include <memory>
#include <string>
#include <string_view>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "absl/strings/str_format.h"
#include "absl/time/time.h"
#include "google/protobuf/duration.pb.h"
#include "google/protobuf/message.h"
#include "google/protobuf/timestamp.pb.h"
#include "google/protobuf/util/json_util.h"
#include "google/protobuf/util/time_util.h"

namespace mulligan::conformance {
namespace {

using ::google::protobuf::Duration;
using ::google::protobuf::Message;
using ::google::protobuf::Timestamp;
using ::google::protobuf::util::TimeUtil;

absl::Status Misfit(std::string_view what, std::string_view expected,
                    const Json& json) {
  return absl::InvalidArgumentError(absl::StrFormat(
      "%s: %s is expected, got %s", what, expected, json.dump()));
}

}  // namespace

absl::Status FillFrom(const Json& json, std::string_view what,
                      Message& message) {
  if (json.is_null()) return absl::OkStatus();
  if (!json.is_object()) return Misfit(what, "a JSON object", json);
  google::protobuf::util::JsonParseOptions options;
  options.ignore_unknown_fields = true;
  // The parser replaces what is there.
  const std::unique_ptr<Message> parsed(message.New());
  const auto status = google::protobuf::util::JsonStringToMessage(
      json.dump(), parsed.get(), options);
  if (!status.ok()) {
    return absl::InvalidArgumentError(absl::StrFormat(
        "%s: not a %s: %s", what, message.GetDescriptor()->full_name(),
        status.message().ToString()));
  }
  message.MergeFrom(*parsed);
  return absl::OkStatus();
}

Json MessageJson(const Message& message) {
  std::string text;
  // Fails only for Any and for times out of range, which mirrors cannot hold.
  if (!google::protobuf::util::MessageToJsonString(message, &text).ok()) {
    return Json();
  }
  return Json::parse(text, nullptr, /*allow_exceptions=*/false);
}

absl::StatusOr<Timestamp> TimestampFrom(const Json& json,
                                        std::string_view what) {
  Timestamp timestamp;
  if (!json.is_string() ||
      !TimeUtil::FromString(json.get<std::string>(), &timestamp)) {
    return Misfit(what, "an RFC 3339 time", json);
  }
  return timestamp;
}

Json TimestampJson(const Timestamp& timestamp) {
  return TimeUtil::ToString(timestamp);
}

absl::StatusOr<Duration> DurationFrom(const Json& json, std::string_view what) {
  absl::Duration parsed;
  if (json.is_number()) {
    parsed = absl::Seconds(json.get<double>());
  } else if (!json.is_string() ||
             !absl::ParseDuration(json.get<std::string>(), &parsed)) {
    return Misfit(what, "a number of seconds or a duration like 1m30s", json);
  }
  Duration duration;
  duration.set_seconds(absl::IDivDuration(parsed, absl::Seconds(1), &parsed));
  duration.set_nanos(
      static_cast<std::int32_t>(absl::ToInt64Nanoseconds(parsed)));
  return duration;
}

Json SecondsJson(const Duration& duration) {
  if (duration.nanos() == 0) return duration.seconds();
  return static_cast<double>(duration.seconds()) + duration.nanos() * 1e-9;
}

absl::Status CheckOnlyMembers(const Json& object, std::string_view what,
                              std::initializer_list<std::string_view> known) {
  if (!object.is_object()) return Misfit(what, "a JSON object", object);
  for (const auto& [name, value] : object.items()) {
    if (std::find(known.begin(), known.end(), name) == known.end()) {
      return absl::UnimplementedError(
          absl::StrFormat("%s.%s: member not understood", what, name));
    }
  }
  return absl::OkStatus();
}

}  // namespace mulligan::conformance
