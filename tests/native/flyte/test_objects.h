// Objects for the tests of Flyte's logic.
#ifndef MULLIGAN_TESTS_NATIVE_FLYTE_TEST_OBJECTS_H_
#define MULLIGAN_TESTS_NATIVE_FLYTE_TEST_OBJECTS_H_

#include <string>

#include "mulligan/v1/native.pb.h"
#include "tests/native/job/test_objects.h"

namespace mulligan::flyte {

using ::mulligan::job::Parse;

inline v1::NativeSemantics Version(const std::string& version) {
  v1::NativeSemantics semantics;
  (*semantics.mutable_versions())["flyte"] = version;
  return semantics;
}

}  // namespace mulligan::flyte

#endif  // MULLIGAN_TESTS_NATIVE_FLYTE_TEST_OBJECTS_H_
