// Answers many requests, one JSON object per line.
#ifndef MULLIGAN_CLIENT_CLI_INPUT_REQUESTS_H_
#define MULLIGAN_CLIENT_CLI_INPUT_REQUESTS_H_

#include <fstream>
#include <functional>
#include <istream>
#include <ostream>
#include <string>
#include <vector>

#include "absl/status/statusor.h"
#include "mulligan/v1/retry_decision_service.pb.h"

namespace mulligan::cli {

// Reads lines without waiting for more than the current one, so that a caller
// may write a request and wait for its answer. Memory is bounded for any input.
class LineReader {
 public:
  LineReader(std::istream& stream, size_t max_bytes)
      : stream_(stream), max_bytes_(max_bytes), chunk_(size_t{1} << 16) {}

  enum class Result { kLine, kTooLong, kEnd };

  // Stores the next line without its line break. A line longer than `max_bytes`
  // is skipped and leaves `line` empty.
  Result Next(std::string& line);

 private:
  std::istream& stream_;
  const size_t max_bytes_;
  std::vector<char> chunk_;
};

// Answers a batch, with one result per request, in order.
using BatchDecider =
    std::function<std::vector<absl::StatusOr<v1::DecideResponse>>(
        const v1::BatchDecideRequest&)>;

// Consecutive batches without an answer after which the decider counts as gone.
// A single one may be due to a restarting replica.
inline constexpr int kMaxSilentBatches = 3;

struct RequestsOutcome {
  // Lines answered, including with errors.
  size_t answered = 0;
  // Of these, lines without a decision although the request may be valid
  // (UNAVAILABLE, DEADLINE_EXCEEDED and the like).
  size_t unanswered = 0;
  // The number of the last line sent, if the decider was gone and the lines
  // after it were not read; else 0.
  size_t gone_at_line = 0;
};

// Reads one DecideRequest in proto JSON per line, and writes one compact
// DecideResponse or {"error":{"code":...,"message":...}} per line, in order.
// Blank lines are skipped. Lines longer than kMaxRequestBytes (policy/limits.h)
// are answered with RESOURCE_EXHAUSTED.
//
// Answers up to `batch_size` lines together, fewer if no input is waiting, so
// that a caller may write one request and read its answer. Flushes after each
// batch; memory is bounded by one.
//
// Invalid lines do not end the run. It ends early if the output cannot be
// written, or after kMaxSilentBatches consecutive batches without an answer
// (UNAVAILABLE, DEADLINE_EXCEEDED).
RequestsOutcome AnswerRequests(std::istream& in, std::ostream& out,
                               int batch_size, const BatchDecider& decide);

// Parses any request in proto JSON on one line; `warnings` says what was
// repaired or ignored. INVALID_ARGUMENT names line and column, or field, value
// and expected form. QuickReader is faster for common requests.
absl::Status ParseRequestLine(std::string line, v1::DecideRequest& request,
                              std::vector<std::string>& warnings);

// Opens `path` into `file`, and returns the stream to read requests from;
// `standard_input` for "-". NOT_FOUND names the path.
absl::StatusOr<std::istream*> OpenRequests(const std::string& path,
                                           std::istream& standard_input,
                                           std::ifstream& file);

// {"error":{...}} on one line.
std::string ErrorLine(const absl::Status& status);

}  // namespace mulligan::cli

#endif  // MULLIGAN_CLIENT_CLI_INPUT_REQUESTS_H_
