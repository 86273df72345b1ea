// The error file (error.pb) a task leaves behind, and missing outputs.
#ifndef MULLIGAN_POLICY_OPERATORS_FLYTE_ERROR_FILE_H_
#define MULLIGAN_POLICY_OPERATORS_FLYTE_ERROR_FILE_H_

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "policy/operators/flyte/phase.h"

namespace mulligan::flyte {

// core.ContainerError. Its default is not recoverable, of unknown origin.
struct ContainerError {
  std::string code;
  std::string message;
  bool recoverable = false;
  ErrorKind origin = ErrorKind::kUnknown;
  std::string worker;
  // Absent reads as the epoch, earlier than any other.
  std::int64_t timestamp_seconds = 0;
};

// A file that exists. Without content it is malformed.
struct ErrorFile {
  std::optional<ContainerError> content;
};

// What the reader makes of the files: a failure, retryable when recoverable,
// and the error it came from.
struct TaskError {
  PhaseInfo failure;
  std::optional<ContainerError> source;
};

// ReadError: the only file, or with several (aggregation "earliest") the one
// with the smallest timestamp. Malformed and vanished files are recoverable
// system failures.
TaskError ReadErrorFiles(const std::vector<ErrorFile>& files);

// What there is when a plugin reports success.
struct TaskOutputs {
  // Absent: there is no error file.
  std::optional<TaskError> error;
  bool declared = true;
  bool exist = true;
  bool too_large = false;
};

// The phase of a task whose plugin succeeded. Error files are looked at in
// this case only.
PhaseInfo FinishedTaskPhase(const TaskOutputs& outputs);

}  // namespace mulligan::flyte

#endif  // MULLIGAN_POLICY_OPERATORS_FLYTE_ERROR_FILE_H_
