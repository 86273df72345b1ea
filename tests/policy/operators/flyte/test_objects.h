// Objects for the tests of Flyte's logic.
#ifndef MULLIGAN_TESTS_POLICY_OPERATORS_FLYTE_TEST_OBJECTS_H_
#define MULLIGAN_TESTS_POLICY_OPERATORS_FLYTE_TEST_OBJECTS_H_

#include <cstdint>
#include <string>

#include "absl/strings/str_format.h"
#include "absl/time/time.h"
#include "google/protobuf/text_format.h"
#include "gtest/gtest.h"
#include "policy/operators/flyte/phase.h"
#include "policy/operators/flyte/settings.h"
#include "policy/operators/flyte/types.h"

namespace mulligan::flyte {

// The message a text format names. A text that does not parse fails the test.
template <typename Message>
Message MessageOf(const std::string& text) {
  Message message;
  EXPECT_TRUE(google::protobuf::TextFormat::MergeFromString(text, &message))
      << text;
  return message;
}

inline absl::Time Second(std::int64_t second) {
  return absl::FromUnixSeconds(second);
}

inline v1::NativeSemantics Version(const std::string& version) {
  v1::NativeSemantics semantics;
  (*semantics.mutable_versions())["flyte"] = version;
  return semantics;
}

inline Settings SettingsOf(const std::string& version) {
  return SettingsFor(Version(version)).settings;
}

// "RetryableFailure SYSTEM Interrupted", "Running", "error: ...".
inline std::string Summary(const PhaseResult& result) {
  if (!result.ok()) {
    return "error: " + std::string(result.status().message());
  }
  std::string text(PhaseName(result->phase));
  if (result->error.has_value()) {
    text += absl::StrFormat(" %s %s", KindName(result->error->kind),
                            result->error->code);
  }
  return text;
}

}  // namespace mulligan::flyte

#endif  // MULLIGAN_TESTS_POLICY_OPERATORS_FLYTE_TEST_OBJECTS_H_
