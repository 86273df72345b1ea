// Objects for the tests of Flyte's logic.
#ifndef MULLIGAN_TESTS_NATIVE_FLYTE_TEST_OBJECTS_H_
#define MULLIGAN_TESTS_NATIVE_FLYTE_TEST_OBJECTS_H_

#include <string>

#include "google/protobuf/text_format.h"
#include "gtest/gtest.h"
#include "mulligan/v1/native.pb.h"

namespace mulligan::flyte {

// Parses text format. An error fails the test.
template <typename Message>
Message MessageOf(const std::string& text) {
  Message message;
  EXPECT_TRUE(google::protobuf::TextFormat::MergeFromString(text, &message))
      << text;
  return message;
}

inline v1::NativeSemantics Version(const std::string& version) {
  v1::NativeSemantics semantics;
  (*semantics.mutable_versions())["flyte"] = version;
  return semantics;
}

}  // namespace mulligan::flyte

#endif  // MULLIGAN_TESTS_NATIVE_FLYTE_TEST_OBJECTS_H_
