#include "client/cli/requests.h"

#include <cerrno>
#include <cstring>
#include <utility>

#include "absl/strings/str_format.h"
#include "client/cli/enum_names.h"
#include "client/cli/json_text.h"
#include "client/cli/line_reader.h"
#include "client/cli/proto_json.h"
#include "client/cli/utf8.h"
#include "policy/kubernetes_codec.h"
#include "policy/limits.h"

namespace mulligan::cli {
namespace {

// What becomes of one line.
struct Slot {
  // OK when the line is a request of the batch.
  absl::Status status;
  std::vector<std::string> warnings;
};

// The checker counts lines within its text, which is one line of many.
absl::Status AtLine(size_t number, const absl::Status& status) {
  constexpr std::string_view kFirstLine = "line 1, ";
  std::string message(status.message());
  if (message.compare(0, kFirstLine.size(), kFirstLine) == 0) {
    message = absl::StrFormat("line %d, %s", number,
                              message.substr(kFirstLine.size()));
  } else {
    message = absl::StrFormat("line %d: %s", number, message);
  }
  return absl::Status(status.code(), message);
}

absl::Status CheckOneObject(std::string_view line) {
  const absl::StatusOr<size_t> end = CheckJsonValue(line);
  if (!end.ok()) return end.status();
  const size_t rest = SkipJsonSpace(line, *end);
  if (rest < line.size()) {
    return absl::InvalidArgumentError(
        absl::StrFormat("line 1, column %d: expected the end of the line after "
                        "the request",
                        rest + 1));
  }
  if (TypeOfJson(line) != JsonType::kObject) {
    return absl::InvalidArgumentError("expected a DecideRequest object");
  }
  return absl::OkStatus();
}

Slot ParseLine(std::string& line, v1::BatchDecideRequest& batch) {
  Slot slot;
  slot.status = CheckOneObject(line);
  if (!slot.status.ok()) return slot;
  if (RepairText(line)) {
    slot.warnings.emplace_back("text that is not UTF-8 was replaced by U+FFFD");
  }
  slot.status = ParseProtoJson(line, *batch.add_requests());
  if (!slot.status.ok()) {
    batch.mutable_requests()->RemoveLast();
    return slot;
  }
  for (std::string& finding :
       FindUnknownEnumNames(line, *v1::DecideRequest::descriptor())) {
    slot.warnings.push_back(std::move(finding));
  }
  return slot;
}

std::string ResponseLine(absl::StatusOr<v1::DecideResponse> response,
                         const std::vector<std::string>& warnings) {
  if (!response.ok()) return ErrorLine(response.status());
  for (const std::string& warning : warnings) response->add_warnings(warning);
  const absl::StatusOr<std::string> json =
      PrintProtoJson(*response, JsonLayout::kCompact);
  return json.ok() ? *json : ErrorLine(json.status());
}

bool MayBeFine(absl::StatusCode code) {
  switch (code) {
    case absl::StatusCode::kUnavailable:
    case absl::StatusCode::kDeadlineExceeded:
    case absl::StatusCode::kResourceExhausted:
    case absl::StatusCode::kInternal:
    case absl::StatusCode::kUnknown:
    case absl::StatusCode::kCancelled:
    case absl::StatusCode::kAborted:
    case absl::StatusCode::kUnauthenticated:
    case absl::StatusCode::kPermissionDenied:
      return true;
    default:
      return false;
  }
}

// Asks for what is in `slots` and writes their lines.
void Flush(const std::vector<Slot>& slots, const v1::BatchDecideRequest& batch,
           const BatchDecider& decide, std::ostream& out,
           RequestsOutcome& outcome) {
  std::vector<absl::StatusOr<v1::DecideResponse>> responses;
  if (batch.requests_size() > 0) responses = decide(batch);
  responses.resize(
      static_cast<size_t>(batch.requests_size()),
      absl::InternalError("the answer has fewer results than the batch"));
  size_t next = 0;
  for (const Slot& slot : slots) {
    ++outcome.answered;
    if (!slot.status.ok()) {
      out << ErrorLine(slot.status);
      continue;
    }
    absl::StatusOr<v1::DecideResponse>& response = responses[next++];
    if (MayBeFine(response.status().code())) ++outcome.unanswered;
    out << ResponseLine(std::move(response), slot.warnings);
  }
  out.flush();
}

}  // namespace

absl::StatusOr<std::istream*> OpenRequests(const std::string& path,
                                           std::istream& standard_input,
                                           std::ifstream& file) {
  if (path == "-") return &standard_input;
  errno = 0;
  file.open(path, std::ios::binary);
  // A directory can be opened, but not read.
  if (file.is_open()) file.peek();
  if (file.is_open() && !file.bad()) {
    file.clear();
    return &file;
  }
  return absl::NotFoundError(
      absl::StrFormat("%s: %s", path, std::strerror(errno)));
}

std::string ErrorLine(const absl::Status& status) {
  return absl::StrFormat(
      "{\"error\":{\"code\":%s,\"message\":%s}}\n",
      QuoteJson(absl::StatusCodeToString(status.code())),
      QuoteJson(SanitizeUtf8(std::string(status.message()))));
}

RequestsOutcome AnswerRequests(std::istream& in, std::ostream& out, int batch,
                               const BatchDecider& decide) {
  RequestsOutcome outcome;
  LineReader reader(in, kMaxRequestBytes);
  std::string line;
  std::vector<Slot> slots;
  v1::BatchDecideRequest requests;
  size_t bytes = 0;
  const auto flush = [&] {
    Flush(slots, requests, decide, out, outcome);
    slots.clear();
    requests.Clear();
    bytes = 0;
  };
  for (size_t number = 1; out; ++number) {
    const LineReader::Result result = reader.Next(line);
    if (result == LineReader::Result::kEnd) break;
    if (result == LineReader::Result::kTooLong) {
      slots.push_back(
          {absl::ResourceExhaustedError(absl::StrFormat(
               "line %d: is longer than %d bytes", number, kMaxRequestBytes)),
           {}});
    } else if (SkipJsonSpace(line) == line.size()) {
      continue;
    } else {
      bytes += line.size();
      slots.push_back(ParseLine(line, requests));
      if (!slots.back().status.ok()) {
        slots.back().status = AtLine(number, slots.back().status);
      }
    }
    // A batch is one message to a server, which bounds its size.
    if (slots.size() >= static_cast<size_t>(batch) ||
        bytes > kMaxRequestBytes / 2) {
      flush();
    }
  }
  if (!slots.empty()) flush();
  return outcome;
}

}  // namespace mulligan::cli
