// Cases about the endpoint to which pods post their progress.
#include "policy/native/trainer_progress.h"

#include <optional>
#include <string>
#include <utility>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "absl/strings/str_cat.h"
#include "client/conformance/protos.h"
#include "client/conformance/trainer_input.h"
#include "client/conformance/trainer_job.h"

namespace mulligan::conformance {
namespace {

using trainer::TrainerStatus;

constexpr std::size_t kLargeBody = std::size_t{1} << 20;

absl::StatusOr<std::optional<TrainerStatus>> StatusIn(const Json& object) {
  Json status = MemberOrNull(object, "trainerStatus");
  if (status.is_null()) return std::nullopt;
  // A time in words.
  if (TextOf(status, "lastUpdatedTime") == "now") {
    status["lastUpdatedTime"] = TimestampJson(TrainerNow());
  }
  auto parsed = MessageFrom<TrainerStatus>(status, "trainerStatus");
  if (!parsed.ok()) return parsed.status();
  return *std::move(parsed);
}

// What the words of a case say of the request; false: nothing.
bool ReadWords(const std::string& text, trainer::ProgressRequest& request) {
  // Each may be said beside the others: the server's order decides.
  const bool unauthorized =
      Mentions(text, {"unauthorized", "not authorized", "forbidden", "denie",
                      "authorization", "bearer", "wrong token", "no token",
                      "without a token", "missing token", "empty token",
                      "invalid token", "expired token", "token of another",
                      "token for another", "token for a different",
                      "wrong audience", "another service account"});
  const bool unreadable =
      !unauthorized &&
      Mentions(text,
               {"not JSON", "not valid JSON", "invalid JSON", "invalid payload",
                "invalid body", "malformed", "not parse", "unparsable",
                "cannot be parsed", "no JSON"});
  const bool large = Mentions(text, {" MB", "oversized", "too large"});
  const bool missing =
      Mentions(text, {"not exist", "non-existing", "no such TrainJob",
                      "unknown TrainJob", "not found"});
  if (unauthorized) request.authorized = false;
  if (unreadable) request.readable = false;
  if (large) request.body_size = kLargeBody;
  if (missing) request.found = false;
  return unauthorized || unreadable || large || missing;
}

// The text of a header, which a pod's own token would make valid.
bool Authorizes(const Json& header) {
  return header.is_string() && Mentions(header.get<std::string>(), {"valid"}) &&
         !Mentions(header.get<std::string>(), {"invalid"});
}

// The test's name without the file before it.
std::string TestName(const std::string& source) {
  const auto colon = source.find(": ");
  return colon == std::string::npos ? source : source.substr(colon + 2);
}

Json TextOrNull(const std::string& text) {
  return text.empty() ? Json() : Json(text);
}

Json StatusJson(const std::optional<TrainerStatus>& status) {
  if (!status.has_value()) return Json();
  Json json = MessageJson(*status);
  for (const char* const member :
       {"progressPercentage", "estimatedRemainingSeconds", "metrics",
        "lastUpdatedTime"}) {
    if (!json.contains(member)) json[member] = Json();
  }
  return json;
}

}  // namespace

absl::StatusOr<Answer> TrainJobProgressAnswer(const CaseInput& input) {
  absl::Status known =
      CheckOnlyMembers(input.input, "input",
                       {"kind", "level", "metadata", "statusBefore", "event",
                        "authorized", "trainJob"});
  if (!known.ok()) return known;
  const Json event = MemberOrNull(input.input, "event");
  known = CheckOnlyMembers(event, "event",
                           {"what", "post", "body", "authorized", "trainJob",
                            "authHeader", "authorization"});
  if (!known.ok()) return known;
  trainer::ProgressRequest request;
  const std::string what =
      absl::StrCat(TextOf(event, "what"), " ", TextOf(event, "trainJob"), " ",
                   TextOf(input.input, "trainJob"));
  bool has_header = false;
  for (const char* const header : {"authHeader", "authorization"}) {
    if (!event.contains(header)) continue;
    has_header = true;
    request.authorized = Authorizes(event[header]);
  }
  // The body as it is sent.
  Json post = MemberOrNull(event, "post");
  if (post.is_null()) post = MemberOrNull(event, "body");
  const bool has_body = event.contains("post") || event.contains("body");
  if (post.is_string()) {
    post = Json::parse(post.get<std::string>(), nullptr, false);
    request.readable = post.is_object();
  }
  if (!ReadWords(what, request) && !has_body && !has_header &&
      !ReadWords(TestName(input.source), request)) {
    return NotUnderstood("event", event);
  }
  if (MemberOrNull(event, "authorized") == Json(false) ||
      MemberOrNull(input.input, "authorized") == Json(false)) {
    request.authorized = false;
  }
  if (Mentions(TestName(input.source), {"non-existing TrainJob"})) {
    request.found = false;
  }
  request.name = TextOf(MemberOrNull(input.input, "metadata"), "name");
  auto posted = StatusIn(post);
  if (!posted.ok()) return posted.status();
  request.trainer_status = *std::move(posted);
  // Only the words are there when the body is of no account.
  if (!has_body) request.trainer_status = TrainerStatus();
  const auto before = StatusIn(MemberOrNull(input.input, "statusBefore"));
  if (!before.ok()) return before.status();
  const trainer::ProgressAnswer answer =
      trainer::PostProgress(request, *before);
  return Answer::Facts({{"httpStatus", answer.http_code},
                        {"code", answer.http_code},
                        {"reason", TextOrNull(answer.reason)},
                        {"message", TextOrNull(answer.message)},
                        {"trainerStatus", StatusJson(answer.trainer_status)}});
}

}  // namespace mulligan::conformance
