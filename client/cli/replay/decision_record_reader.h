// Lines of a decision log.
#ifndef MULLIGAN_CLIENT_CLI_REPLAY_DECISION_RECORD_READER_H_
#define MULLIGAN_CLIENT_CLI_REPLAY_DECISION_RECORD_READER_H_

#include <string_view>

#include "absl/status/status.h"
#include "client/cli/input/quick_reader.h"
#include "mulligan/v1/decision_record.pb.h"

namespace mulligan::cli {

// Not thread-safe.
class DecisionRecordReader {
 public:
  // Fills `record`, which must be empty. Fields that a newer server wrote are
  // ignored. INVALID_ARGUMENT says where the line is no DecisionRecord.
  absl::Status Read(std::string_view line, v1::DecisionRecord& record);

 private:
  QuickReader quick_;
};

}  // namespace mulligan::cli

#endif  // MULLIGAN_CLIENT_CLI_REPLAY_DECISION_RECORD_READER_H_
