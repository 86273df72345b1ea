// The warnings of an answer.
#ifndef MULLIGAN_POLICY_BASE_WARNINGS_H_
#define MULLIGAN_POLICY_BASE_WARNINGS_H_

#include <string>

#include "google/protobuf/repeated_field.h"

namespace mulligan {

// Adds `text`, made Visible(), within kMaxAnswerWarnings and kMaxWarningBytes
// (policy/limits.h).
void AddWarning(std::string text,
                google::protobuf::RepeatedPtrField<std::string>& warnings);

}  // namespace mulligan

#endif  // MULLIGAN_POLICY_BASE_WARNINGS_H_
