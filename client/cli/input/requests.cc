#include "client/cli/input/requests.h"

#include <algorithm>
#include <cerrno>
#include <cstring>
#include <utility>

#include "absl/strings/str_format.h"
#include "client/cli/base/errors.h"
#include "client/cli/base/json_text.h"
#include "client/cli/base/proto_json.h"
#include "client/cli/base/utf8.h"
#include "client/cli/input/quick_reader.h"
#include "client/cli/input/report_builder.h"
#include "policy/base/utf8.h"
#include "policy/limits.h"

namespace mulligan::cli {
namespace {

struct Slot {
  size_t line = 0;
  // OK if the line has a request.
  absl::Status status;
  std::vector<std::string> warnings;
};

// Prefixes the line's number; the checker counts lines only within one line.
absl::Status AtLine(size_t number, const absl::Status& status) {
  if (status.ok()) return status;
  constexpr std::string_view kFirstLine = "line 1, ";
  std::string message(status.message());
  if (message.starts_with(kFirstLine)) {
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
    return Invalid(
        "line 1, column %d: expected the end of the line after "
        "the request",
        rest + 1);
  }
  if (TypeOfJson(line) != JsonType::kObject) {
    return Invalid("expected a DecideRequest object");
  }
  return absl::OkStatus();
}

// Returns the answer on one line, or the error that prevents printing it.
std::string AnswerLine(const v1::DecideResponse& answer) {
  const absl::StatusOr<std::string> json = PrintCompactJson(answer);
  return json.ok() ? *json + '\n' : ErrorLine(json.status());
}

bool MayBeFine(absl::StatusCode code) {
  constexpr absl::StatusCode kNotTheRequest[] = {
      absl::StatusCode::kUnavailable,       absl::StatusCode::kDeadlineExceeded,
      absl::StatusCode::kResourceExhausted, absl::StatusCode::kInternal,
      absl::StatusCode::kUnknown,           absl::StatusCode::kCancelled,
      absl::StatusCode::kAborted,           absl::StatusCode::kUnauthenticated,
      absl::StatusCode::kPermissionDenied};
  return std::ranges::find(kNotTheRequest, code) != std::end(kNotTheRequest);
}

bool IsSilence(absl::StatusCode code) {
  return code == absl::StatusCode::kUnavailable ||
         code == absl::StatusCode::kDeadlineExceeded;
}

// Collects lines, then answers them together.
class Batch {
 public:
  Batch(const BatchDecider& decide, std::ostream& out)
      : decide_(decide), out_(out) {}

  size_t size() const { return slots_.size(); }
  size_t bytes() const { return bytes_; }
  const RequestsOutcome& outcome() const { return outcome_; }
  // Returns whether the decider is gone.
  bool is_gone() const { return silent_ >= kMaxSilentBatches; }

  void AddError(size_t number, const absl::Status& status) {
    slots_.push_back({number, AtLine(number, status), {}});
  }

  void AddLine(size_t number, std::string line) {
    Slot slot{number, {}, {}};
    bytes_ += line.size();
    v1::DecideRequest& request = *requests_.add_requests();
    if (!reader_.Read(line, request)) {
      slot.status = AtLine(
          number, ParseRequestLine(std::move(line), request, slot.warnings));
    }
    if (!slot.status.ok()) requests_.mutable_requests()->RemoveLast();
    slots_.push_back(std::move(slot));
  }

  void Answer() {
    std::vector<absl::StatusOr<v1::DecideResponse>> answers;
    if (requests_.requests_size() > 0) answers = decide_(requests_);
    answers.resize(
        static_cast<size_t>(requests_.requests_size()),
        absl::InternalError("the answer has fewer results than the batch"));
    if (!answers.empty()) silent_ = AreSilent(answers) ? silent_ + 1 : 0;
    size_t next = 0;
    for (Slot& slot : slots_) {
      ++outcome_.answered;
      if (slot.status.ok()) {
        Print(slot, answers[next++]);
      } else {
        out_ << ErrorLine(slot.status);
      }
    }
    slots_.clear();
    requests_.Clear();
    bytes_ = 0;
    out_.flush();
  }

 private:
  static bool AreSilent(
      const std::vector<absl::StatusOr<v1::DecideResponse>>& answers) {
    return std::ranges::all_of(answers, [](const auto& answer) {
      return IsSilence(answer.status().code());
    });
  }

  void Print(Slot& slot, absl::StatusOr<v1::DecideResponse>& answer) {
    if (MayBeFine(answer.status().code())) ++outcome_.unanswered;
    if (!answer.ok()) {
      out_ << ErrorLine(answer.status());
      return;
    }
    for (std::string& warning : slot.warnings) {
      answer->add_warnings(std::move(warning));
    }
    out_ << AnswerLine(*answer);
  }

  const BatchDecider& decide_;
  std::ostream& out_;
  RequestsOutcome outcome_;
  std::vector<Slot> slots_;
  // The requests of the slots that are OK.
  v1::BatchDecideRequest requests_;
  // The total length of their lines.
  size_t bytes_ = 0;
  QuickReader reader_;
  // Consecutive batches without an answer.
  int silent_ = 0;
};

}  // namespace

LineReader::Result LineReader::Next(std::string& line) {
  line.clear();
  bool any = false;
  bool too_long = false;
  while (true) {
    stream_.getline(chunk_.data(), static_cast<std::streamsize>(chunk_.size()));
    const auto extracted = static_cast<size_t>(stream_.gcount());
    // Both a full chunk without a line break and the end set failbit.
    const bool chunk_full = extracted + 1 == chunk_.size() && stream_.fail();
    const bool at_end = stream_.eof();
    const bool complete = !chunk_full && !at_end;
    any |= extracted > 0;
    if (!stream_.bad() && (chunk_full || at_end)) {
      stream_.clear(at_end ? std::ios::eofbit : std::ios::goodbit);
    }
    // The count includes a line break that was read and dropped.
    const size_t length = complete && extracted > 0 ? extracted - 1 : extracted;
    if (line.size() + length > max_bytes_) too_long = true;
    if (!too_long) line.append(chunk_.data(), length);
    if (too_long) line.clear();
    if (chunk_full) continue;
    if (!any) return Result::kEnd;
    if (!line.empty() && line.back() == '\r') line.pop_back();
    return too_long ? Result::kTooLong : Result::kLine;
  }
}

absl::Status ParseRequestLine(std::string line, v1::DecideRequest& request,
                              std::vector<std::string>& warnings) {
  if (absl::Status status = CheckOneObject(line); !status.ok()) return status;
  line = ListsOfOne(std::move(line), warnings);
  if (absl::Status status = CheckRequestShape(line); !status.ok()) {
    return status;
  }
  if (RepairText(line)) {
    warnings.emplace_back("text that is not UTF-8 was replaced by U+FFFD");
  }
  std::vector<std::string> ignored;
  absl::Status status = ParseProtoJson(line, request, &ignored);
  warnings.insert(warnings.end(), ignored.begin(), ignored.end());
  return status;
}

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

RequestsOutcome AnswerRequests(std::istream& in, std::ostream& out,
                               int batch_size, const BatchDecider& decide) {
  Batch batch(decide, out);
  LineReader reader(in, kMaxRequestBytes);
  std::string line;
  size_t number = 1;
  for (; out && !batch.is_gone(); ++number) {
    const LineReader::Result result = reader.Next(line);
    if (result == LineReader::Result::kEnd) break;
    if (result == LineReader::Result::kTooLong) {
      batch.AddError(number, absl::ResourceExhaustedError(absl::StrFormat(
                                 "is longer than %d bytes", kMaxRequestBytes)));
    } else if (SkipJsonSpace(line) < line.size()) {
      batch.AddLine(number, std::move(line));
    }
    // A batch is one message to the server, which bounds its size.
    const bool is_full = batch.size() >= static_cast<size_t>(batch_size) ||
                         batch.bytes() > kMaxRequestBytes / 2;
    const bool is_idle = in.rdbuf()->in_avail() <= 0;
    if (batch.size() > 0 && (is_full || is_idle)) batch.Answer();
  }
  if (batch.size() > 0) batch.Answer();
  RequestsOutcome outcome = batch.outcome();
  if (batch.is_gone() && !in.eof()) outcome.gone_at_line = number - 1;
  return outcome;
}

}  // namespace mulligan::cli
