// Checks of single fields, with their paths for error messages.
#ifndef MULLIGAN_POLICY_REQUEST_FIELD_PATH_H_
#define MULLIGAN_POLICY_REQUEST_FIELD_PATH_H_

#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "google/protobuf/duration.pb.h"
#include "google/protobuf/timestamp.pb.h"
#include "policy/base/times.h"
#include "policy/limits.h"
#include "policy/request/refusal.h"

namespace mulligan {

// The path of a field in the request, and the list that collects violations. A
// linked list on the stack, so that a valid request builds no strings.
// REQUIRES: the parent outlives it.
class FieldPath {
 public:
  // Bounds the answer when one mistake repeats for every pod.
  static constexpr std::size_t kMaxViolations = 100;

  // The path of the request itself.
  explicit FieldPath(std::vector<FieldViolation>& violations)
      : violations_(violations) {}

  FieldPath In(const char* name, int index = -1) const {
    return {*this, name, index};
  }
  // Returns for example "report.pods[3].status".
  std::string ToString() const;

  void Violate(std::string description) const {
    if (violations_.size() < kMaxViolations) {
      violations_.push_back({ToString(), std::move(description)});
    }
  }

  // Check a field inside this one.
  void Text(const char* name, std::string_view text, std::size_t limit) const {
    if (text.size() > limit) In(name).BadText(text.size(), limit);
  }
  void Name(const char* name, std::string_view text) const {
    Text(name, text, kMaxNameBytes);
  }
  void Message(const char* name, std::string_view text) const {
    Text(name, text, kMaxTextBytes);
  }
  void Count(const char* name, int count, int limit, const char* what) const {
    if (count > limit) In(name).BadCount(count, limit, what);
  }
  void Time(const char* name, const google::protobuf::Timestamp& time) const {
    if (!IsValidTime(time)) In(name).BadTime(time);
  }
  void Number(const char* name, std::int64_t value, std::int64_t low,
              std::int64_t high) const;
  void Finite(const char* name, double value) const;
  // Checks that a duration is valid and not negative.
  void Span(const char* name, const google::protobuf::Duration& duration) const;

 private:
  FieldPath(const FieldPath& parent, const char* name, int index)
      : violations_(parent.violations_),
        parent_(&parent),
        name_(name),
        index_(index) {}
  void BadText(std::size_t size, std::size_t limit) const;
  void BadCount(int count, int limit, const char* what) const;
  void BadTime(const google::protobuf::Timestamp& time) const;

  std::vector<FieldViolation>& violations_;
  const FieldPath* parent_ = nullptr;
  const char* name_ = "";
  int index_ = -1;
};

}  // namespace mulligan

#endif  // MULLIGAN_POLICY_REQUEST_FIELD_PATH_H_
