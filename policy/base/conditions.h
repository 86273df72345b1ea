// Lookup in the conditions of objects, and views of them.
#ifndef MULLIGAN_POLICY_BASE_CONDITIONS_H_
#define MULLIGAN_POLICY_BASE_CONDITIONS_H_

#include <algorithm>
#include <concepts>
#include <string_view>

#include "google/protobuf/repeated_ptr_field.h"
#include "google/protobuf/timestamp.pb.h"

namespace mulligan {

// Returns a pointer to the condition with this type and status, or null.
template <typename Conditions>
auto FindCondition(const Conditions& conditions, std::string_view type,
                   std::string_view status) {
  const auto found =
      std::ranges::find_if(conditions, [type, status](const auto& condition) {
        return condition.type() == type && condition.status() == status;
      });
  return found == conditions.end() ? nullptr : &*found;
}

// Returns whether a condition of the type is True.
template <typename Conditions>
bool IsTrue(const Conditions& conditions, std::string_view type) {
  return FindCondition(conditions, type, "True") != nullptr;
}

// Returns whether the conditions of a Job, JobSet, TrainJob or training job
// report or announce its failure.
template <typename Conditions>
bool ReportsFailed(const Conditions& conditions) {
  return IsTrue(conditions, "Failed") || IsTrue(conditions, "FailureTarget");
}

// A condition of any object: the fields that all condition types share.
class ConditionView {
 public:
  template <typename Condition>
  requires(!std::same_as<Condition, ConditionView>) explicit ConditionView(
      const Condition& condition)
      : type_(condition.type()),
        status_(condition.status()),
        reason_(condition.reason()),
        message_(condition.message()),
        last_transition_time_(&condition.last_transition_time()) {}

  std::string_view type() const { return type_; }
  std::string_view status() const { return status_; }
  std::string_view reason() const { return reason_; }
  std::string_view message() const { return message_; }
  const google::protobuf::Timestamp& last_transition_time() const {
    return *last_transition_time_;
  }

 private:
  std::string_view type_;
  std::string_view status_;
  std::string_view reason_;
  std::string_view message_;
  const google::protobuf::Timestamp* last_transition_time_;
};

// The conditions of any object. Points into that object.
class ConditionList {
 public:
  class Iterator {
   public:
    using value_type = ConditionView;
    using difference_type = int;
    Iterator() = default;
    Iterator(const ConditionList* list, int at) : list_(list), at_(at) {}
    ConditionView operator*() const { return (*list_)[at_]; }
    Iterator& operator++() {
      ++at_;
      return *this;
    }
    Iterator operator++(int) { return {list_, at_++}; }
    bool operator==(const Iterator& other) const { return at_ == other.at_; }

   private:
    const ConditionList* list_ = nullptr;
    int at_ = 0;
  };

  ConditionList() = default;
  template <typename Condition>
  explicit ConditionList(
      const google::protobuf::RepeatedPtrField<Condition>& list)
      : list_(&list), size_(list.size()), at_([](const void* of, int index) {
          using List = google::protobuf::RepeatedPtrField<Condition>;
          return ConditionView((*static_cast<const List*>(of))[index]);
        }) {}

  int size() const { return size_; }
  ConditionView operator[](int index) const { return at_(list_, index); }
  Iterator begin() const { return {this, 0}; }
  Iterator end() const { return {this, size_}; }

 private:
  const void* list_ = nullptr;
  int size_ = 0;
  ConditionView (*at_)(const void*, int) = nullptr;
};

}  // namespace mulligan

#endif  // MULLIGAN_POLICY_BASE_CONDITIONS_H_
