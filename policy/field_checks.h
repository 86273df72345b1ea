// Checks of single request fields.
#ifndef MULLIGAN_POLICY_FIELD_CHECKS_H_
#define MULLIGAN_POLICY_FIELD_CHECKS_H_

#include <cstdint>
#include <string>

#include "google/protobuf/duration.pb.h"
#include "google/protobuf/timestamp.pb.h"
#include "policy/field_path.h"

namespace mulligan {

void CheckText(const std::string& text, std::size_t most, const FieldPath& path,
               Violations& violations);
void CheckCount(int count, int most, const char* what, const FieldPath& path,
                Violations& violations);
void CheckNumber(std::int64_t value, std::int64_t low, std::int64_t high,
                 const FieldPath& path, Violations& violations);
void CheckFinite(double value, const FieldPath& path, Violations& violations);
void CheckTime(const google::protobuf::Timestamp& time, const FieldPath& path,
               Violations& violations);
// A duration that is valid and not negative.
void CheckSpan(const google::protobuf::Duration& duration,
               const FieldPath& path, Violations& violations);

}  // namespace mulligan

#endif  // MULLIGAN_POLICY_FIELD_CHECKS_H_
