#include "client/cli/replay/decision_record_reader.h"

#include "absl/status/statusor.h"
#include "absl/strings/str_format.h"
#include "client/cli/base/json_text.h"
#include "client/cli/base/proto_json.h"

namespace mulligan::cli {
namespace {

absl::Status ReadCarefully(std::string_view line, v1::DecisionRecord& record) {
  const absl::StatusOr<size_t> end = CheckJsonValue(line);
  if (!end.ok()) return end.status();
  if (const size_t rest = SkipJsonSpace(line, *end); rest < line.size()) {
    return absl::InvalidArgumentError(absl::StrFormat(
        "column %d: expected the end of the line after the record", rest + 1));
  }
  if (TypeOfJson(line) != JsonType::kObject) {
    return absl::InvalidArgumentError("expected a DecisionRecord object");
  }
  return ParseProtoJson(line, record);
}

}  // namespace

absl::Status DecisionRecordReader::Read(std::string_view line,
                                        v1::DecisionRecord& record) {
  if (!quick_.Read(line, record)) {
    absl::Status read = ReadCarefully(line, record);
    if (!read.ok()) return read;
  }
  if (record.has_request() && record.has_response()) return absl::OkStatus();
  return absl::InvalidArgumentError(
      "is no DecisionRecord: it has no request or no response");
}

}  // namespace mulligan::cli
