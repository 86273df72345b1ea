// JSON paths of request fields, spelled out only when something is wrong.
#ifndef MULLIGAN_POLICY_REQUEST_FIELD_PATH_H_
#define MULLIGAN_POLICY_REQUEST_FIELD_PATH_H_

#include <string>
#include <utility>
#include <vector>

#include "policy/request/validate.h"

namespace mulligan {

// A field on the way from the request down; a list on the stack, so that
// checking a valid request builds no strings. The parent must outlive it.
class FieldPath {
 public:
  explicit FieldPath(const char* name) : name_(name) {}
  FieldPath(const FieldPath& parent, const char* name, int index = -1)
      : parent_(&parent), name_(name), index_(index) {}

  // "report.pods[3].status".
  std::string ToString() const {
    std::string text = parent_ == nullptr ? "" : parent_->ToString();
    if (!text.empty()) text += ".";
    text += name_;
    if (index_ >= 0) text += "[" + std::to_string(index_) + "]";
    return text;
  }

 private:
  const FieldPath* parent_ = nullptr;
  const char* name_;
  int index_ = -1;
};

// Collects violations. Stops adding at kMaxViolations: one mistake repeated
// for every pod must not make the answer larger than the request.
class Violations {
 public:
  static constexpr std::size_t kMaxViolations = 100;

  void Add(const FieldPath& path, std::string description) {
    if (list_.size() < kMaxViolations) {
      list_.push_back({path.ToString(), std::move(description)});
    }
  }
  std::vector<FieldViolation> Take() { return std::move(list_); }

 private:
  std::vector<FieldViolation> list_;
};

}  // namespace mulligan

#endif  // MULLIGAN_POLICY_REQUEST_FIELD_PATH_H_
