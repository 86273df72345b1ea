// Checks of single request fields.
#ifndef MULLIGAN_POLICY_REQUEST_FIELD_CHECKS_H_
#define MULLIGAN_POLICY_REQUEST_FIELD_CHECKS_H_

#include <cstdint>
#include <string>

#include "google/protobuf/duration.pb.h"
#include "google/protobuf/timestamp.pb.h"
#include "policy/base/times.h"
#include "policy/request/field_path.h"

namespace mulligan {

// What is wrong with a value that failed its check; out of line, so that the
// checks themselves are a comparison each.
void AddBadText(std::size_t size, std::size_t most, const FieldPath& path,
                Violations& violations);
void AddBadCount(int count, int most, const char* what, const FieldPath& path,
                 Violations& violations);
void AddBadTime(const google::protobuf::Timestamp& time, const FieldPath& path,
                Violations& violations);

inline void CheckText(const std::string& text, std::size_t most,
                      const FieldPath& path, Violations& violations) {
  if (text.size() > most) AddBadText(text.size(), most, path, violations);
}

inline void CheckCount(int count, int most, const char* what,
                       const FieldPath& path, Violations& violations) {
  if (count > most) AddBadCount(count, most, what, path, violations);
}

inline void CheckTime(const google::protobuf::Timestamp& time,
                      const FieldPath& path, Violations& violations) {
  if (!IsValidTime(time)) AddBadTime(time, path, violations);
}

void CheckNumber(std::int64_t value, std::int64_t low, std::int64_t high,
                 const FieldPath& path, Violations& violations);
void CheckFinite(double value, const FieldPath& path, Violations& violations);
// A duration that is valid and not negative.
void CheckSpan(const google::protobuf::Duration& duration,
               const FieldPath& path, Violations& violations);

}  // namespace mulligan

#endif  // MULLIGAN_POLICY_REQUEST_FIELD_CHECKS_H_
