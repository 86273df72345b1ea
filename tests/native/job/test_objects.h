// Objects for the tests of the Job controller's logic.
#ifndef MULLIGAN_TESTS_NATIVE_JOB_TEST_OBJECTS_H_
#define MULLIGAN_TESTS_NATIVE_JOB_TEST_OBJECTS_H_

#include <deque>
#include <initializer_list>
#include <string>

#include "google/protobuf/text_format.h"
#include "gtest/gtest.h"
#include "policy/native/job/objects.h"

namespace mulligan::job {

// Parses text format; repeated occurrences of a message are merged. An error
// fails the test.
template <typename Message>
Message Parse(const std::string& text) {
  Message message;
  EXPECT_TRUE(google::protobuf::TextFormat::MergeFromString(text, &message))
      << text;
  return message;
}

// Owns pods and returns pointers to them.
class PodOwner {
 public:
  PodOwner(std::initializer_list<std::string> texts) {
    for (const std::string& text : texts) pods_.push_back(Parse<Pod>(text));
    for (const Pod& pod : pods_) pointers_.push_back(&pod);
  }
  PodOwner(const PodOwner&) = delete;
  PodOwner& operator=(const PodOwner&) = delete;

  const Pods& get() const { return pointers_; }

 private:
  std::deque<Pod> pods_;
  Pods pointers_;
};

// A pod that is not accounted yet. `rest` is more of it in text format.
inline std::string TrackedPod(const std::string& uid, const std::string& rest) {
  return "metadata { name: 'pod-" + uid + "' namespace: 'ns' uid: '" + uid +
         "' finalizers: 'batch.kubernetes.io/job-tracking' } " + rest;
}

// The same for a completion index with `failures` failures before it.
inline std::string IndexedPod(const std::string& uid, int index, int failures,
                              const std::string& rest) {
  return TrackedPod(
      uid,
      "metadata { annotations { key: "
      "'batch.kubernetes.io/job-completion-index' value: '" +
          std::to_string(index) +
          "' } annotations { key: "
          "'batch.kubernetes.io/job-index-failure-count' value: '" +
          std::to_string(failures) + "' } } " + rest);
}

inline constexpr char kFailedPhase[] = " status { phase: 'Failed' }";
inline constexpr char kRunningPhase[] = " status { phase: 'Running' }";
inline constexpr char kSucceededPhase[] = " status { phase: 'Succeeded' }";

}  // namespace mulligan::job

#endif  // MULLIGAN_TESTS_NATIVE_JOB_TEST_OBJECTS_H_
