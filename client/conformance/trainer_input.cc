#include "client/conformance/trainer_input.h"

#include <re2/re2.h>

#include <algorithm>
#include <array>
#include <cstdint>
#include <initializer_list>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "absl/strings/ascii.h"
#include "absl/strings/numbers.h"
#include "absl/strings/str_format.h"
#include "absl/time/time.h"
#include "client/conformance/compare.h"
#include "client/conformance/protos.h"
#include "policy/native/kubernetes_time.h"

namespace mulligan::conformance {
namespace {

constexpr std::int64_t kNowSeconds = 1767268800;  // 2026-01-01T12:00:00Z
constexpr int kAFewSeconds = 5;
constexpr int kMomentMilliseconds = 1;

constexpr std::array<std::pair<std::string_view, TrainerEra>, 3> kEras = {{
    {"(training-operator v1)", TrainerEra::kTrainingOperator},
    {"(tf-operator", TrainerEra::kTfOperator},
    {"(KEP-2170", TrainerEra::kKep2170},
}};

}  // namespace

TrainerEra EraOf(const CaseInput& input) {
  for (const auto& [mark, era] : kEras) {
    if (input.source.find(mark) != std::string::npos) return era;
  }
  return TrainerEra::kTrainer;
}

google::protobuf::Timestamp TrainerNow() {
  google::protobuf::Timestamp now;
  now.set_seconds(kNowSeconds);
  return now;
}

google::protobuf::Timestamp TrainerAgo(absl::Duration duration) {
  return kubernetes_job::TimestampOf(absl::FromUnixSeconds(kNowSeconds) -
                                     duration);
}

Json MemberOrNull(const Json& object, std::string_view name) {
  if (!object.is_object()) return Json();
  const auto found = object.find(std::string(name));
  return found == object.end() ? Json() : *found;
}

std::string TextOf(const Json& object, std::string_view name) {
  const Json member = MemberOrNull(object, name);
  return member.is_string() ? member.get<std::string>() : std::string();
}

bool Mentions(std::string_view text,
              std::initializer_list<std::string_view> words) {
  const std::string lower = absl::AsciiStrToLower(std::string(text));
  return std::any_of(words.begin(), words.end(), [&](std::string_view word) {
    return lower.find(absl::AsciiStrToLower(std::string(word))) !=
           std::string::npos;
  });
}

absl::StatusOr<absl::Duration> SecondsIn(const Json& json,
                                         std::string_view what) {
  if (json.is_number()) return absl::Seconds(json.get<double>());
  if (!json.is_string()) return NotUnderstood(what, json);
  const std::string text = json.get<std::string>();
  if (text == "a few") return absl::Seconds(kAFewSeconds);
  static const RE2& number = *new RE2(
      "(>=?|more than|over|at least|after)? *([0-9.]+)(\\+)? *"
      "(?:s|seconds?)?");
  std::string more_before;
  std::string digits;
  std::string more_after;
  double seconds = 0;
  if (!RE2::FullMatch(text, number, &more_before, &digits, &more_after) ||
      !absl::SimpleAtod(digits, &seconds)) {
    return NotUnderstood(what, json);
  }
  const bool more = !more_before.empty() || !more_after.empty();
  return absl::Seconds(seconds) +
         absl::Milliseconds(more ? kMomentMilliseconds : 0);
}

absl::StatusOr<google::protobuf::Timestamp> TrainerTime(const Json& json,
                                                        std::string_view what) {
  if (json == Json("now")) return TrainerNow();
  constexpr std::string_view kAgo = " ago";
  if (json.is_string() && json.get<std::string>().ends_with(kAgo)) {
    std::string text = json.get<std::string>();
    text.resize(text.size() - kAgo.size());
    const auto ago = SecondsIn(text, what);
    if (!ago.ok()) return ago.status();
    return TrainerAgo(*ago);
  }
  return TimestampFrom(json, what);
}

absl::StatusOr<Json> ConditionObjects(const Json& list) {
  Json conditions = Json::array();
  for (const Json& entry : list) {
    if (entry.is_object()) {
      conditions.push_back(entry);
    } else if (entry.is_string()) {
      static const RE2& brief =
          *new RE2("(\\w+)(?:=(\\w+))?(?: \\((\\w+)\\))?");
      std::string type;
      std::string status;
      std::string reason;
      if (!RE2::FullMatch(entry.get<std::string>(), brief, &type, &status,
                          &reason)) {
        return NotUnderstood("conditions", entry);
      }
      conditions.push_back({{"type", type},
                            {"status", status.empty() ? "True" : status},
                            {"reason", reason}});
    } else {
      return NotUnderstood("conditions", entry);
    }
  }
  return conditions;
}

std::vector<std::string> TextsOf(const Json& json) {
  if (json.is_string()) return {json.get<std::string>()};
  std::vector<std::string> texts;
  if (!json.is_array()) return texts;
  for (const Json& text : json) {
    if (text.is_string()) texts.push_back(text.get<std::string>());
  }
  return texts;
}

Json ConditionFact(const Json& condition) {
  const std::string type = TextOf(condition, "type");
  const std::string status = TextOf(condition, "status");
  const std::string brief = type + "=" + status;
  std::vector<Json> wordings = {brief};
  wordings.emplace_back(brief + " (" + TextOf(condition, "reason") + ")");
  if (status == "True") wordings.emplace_back(type);
  return Described(std::move(wordings), condition);
}

absl::Status NotUnderstood(std::string_view member, const Json& json) {
  return absl::UnimplementedError(absl::StrFormat(
      "%s: %s is not understood", member,
      json.dump(-1, ' ', false, Json::error_handler_t::replace)));
}

}  // namespace mulligan::conformance
