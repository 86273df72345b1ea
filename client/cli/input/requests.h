// Many requests, one JSON object per line.
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

// Reads lines from a stream without waiting for more than the line at hand, so
// that a caller may write a request and wait for its answer. Memory stays
// within the bound whatever the input is.
class LineReader {
 public:
  LineReader(std::istream& stream, size_t max_bytes)
      : stream_(stream), max_bytes_(max_bytes), chunk_(size_t{1} << 16) {}

  enum class Result { kLine, kTooLong, kEnd };

  // Stores the next line without its line break. A line beyond the bound is
  // skipped to its end and leaves `line` empty.
  Result Next(std::string& line);

 private:
  std::istream& stream_;
  const size_t max_bytes_;
  std::vector<char> chunk_;
};

// Answers a batch: as many results as requests, in order.
using BatchDecider =
    std::function<std::vector<absl::StatusOr<v1::DecideResponse>>(
        const v1::BatchDecideRequest&)>;

// One may be a replica that restarts.
inline constexpr int kMostSilentBatches = 3;

struct RequestsOutcome {
  // Lines answered, errors included.
  size_t answered = 0;
  // Among them, lines the decider had no answer for although the request may be
  // fine (UNAVAILABLE, DEADLINE_EXCEEDED and the like).
  size_t unanswered = 0;
  // Number of the last line that was asked about, when the decider was gone and
  // the lines after it were left alone; 0: all were read.
  size_t gone_at_line = 0;
};

// Reads one DecideRequest in proto JSON per line and writes one compact
// DecideResponse or {"error":{"code":...,"message":...}} per line, in order.
// Blank lines are skipped. No line stops the run, whatever is in it, but a
// decider that is gone does: kMostSilentBatches batches in a row without an
// answer (UNAVAILABLE, DEADLINE_EXCEEDED). Lines
// longer than kMaxRequestBytes (policy/limits.h) are answered with
// RESOURCE_EXHAUSTED.
//
// Up to `batch_size` lines are answered together, fewer when no further input
// is waiting: a caller may write one request and read its answer. The output is
// flushed after each batch, and memory is bounded by one. Ends early, too, when
// the output cannot be written.
RequestsOutcome AnswerRequests(std::istream& in, std::ostream& out,
                               int batch_size, const BatchDecider& decide);

// Any request in proto JSON, one line; `warnings` says what was mended or is
// ignored. INVALID_ARGUMENT names line and column or field, value and expected
// form. What is usual QuickReader reads faster.
absl::Status ReadWithCare(std::string line, v1::DecideRequest& request,
                          std::vector<std::string>& warnings);

// The stream to read requests from: `file`, opened, or `standard_input` for
// "-". NOT_FOUND names the path.
absl::StatusOr<std::istream*> OpenRequests(const std::string& path,
                                           std::istream& standard_input,
                                           std::ifstream& file);

// {"error":{...}} on one line.
std::string ErrorLine(const absl::Status& status);

}  // namespace mulligan::cli

#endif  // MULLIGAN_CLIENT_CLI_INPUT_REQUESTS_H_
