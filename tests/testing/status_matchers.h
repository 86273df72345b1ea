// Matchers for absl::Status and absl::StatusOr, which Debian 12's Abseil does
// not ship:
//
//   EXPECT_THAT(status, IsOk());
//   EXPECT_THAT(Load(path), StatusIs(absl::StatusCode::kNotFound));
//   EXPECT_THAT(Load(path), StatusIs(_, HasSubstr("rules[2].when")));
//   EXPECT_THAT(Parse("3s"), IsOkAndHolds(Eq(absl::Seconds(3))));
//   ASSERT_OK(status);
//   ASSERT_OK_AND_ASSIGN(const Policy policy, Load(path));

#ifndef MULLIGAN_TESTS_TESTING_STATUS_MATCHERS_H_
#define MULLIGAN_TESTS_TESTING_STATUS_MATCHERS_H_

#include <string>
#include <utility>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "gmock/gmock.h"
#include "gtest/gtest.h"

namespace mulligan::testing {
namespace internal {

inline const absl::Status& AsStatus(const absl::Status& status) {
  return status;
}
template <typename T>
const absl::Status& AsStatus(const absl::StatusOr<T>& value) {
  return value.status();
}

}  // namespace internal

MATCHER(IsOk, negation ? "is not OK" : "is OK") {
  const absl::Status status = internal::AsStatus(arg);
  *result_listener << "whose status is " << status;
  return status.ok();
}

MATCHER_P2(StatusIs, code, message, "") {
  const absl::Status status = internal::AsStatus(arg);
  *result_listener << "whose status is " << status;
  return ::testing::Matches(code)(status.code()) &&
         ::testing::Matches(message)(std::string(status.message()));
}

template <typename Code>
auto StatusIs(Code code) {
  return StatusIs(std::move(code), ::testing::_);
}

// For absl::StatusOr<T>: OK, and the value matches.
MATCHER_P(IsOkAndHolds, value, "") {
  if (!arg.ok()) {
    *result_listener << "whose status is " << arg.status();
    return false;
  }
  return ::testing::ExplainMatchResult(value, *arg, result_listener);
}

}  // namespace mulligan::testing

#define ASSERT_OK(expression) \
  ASSERT_THAT(expression, ::mulligan::testing::IsOk())
#define EXPECT_OK(expression) \
  EXPECT_THAT(expression, ::mulligan::testing::IsOk())

#define MULLIGAN_CONCAT_INNER(a, b) a##b
#define MULLIGAN_CONCAT(a, b) MULLIGAN_CONCAT_INNER(a, b)
// `target` may be a declaration, which takes no parentheses.
// NOLINTBEGIN(bugprone-macro-parentheses)
#define MULLIGAN_ASSIGN(value_or, target, expression) \
  auto value_or = (expression);                       \
  ASSERT_OK(value_or);                                \
  target = *std::move(value_or)
// NOLINTEND(bugprone-macro-parentheses)
#define ASSERT_OK_AND_ASSIGN(target, expression) \
  MULLIGAN_ASSIGN(MULLIGAN_CONCAT(value_or_, __LINE__), target, expression)

#endif  // MULLIGAN_TESTS_TESTING_STATUS_MATCHERS_H_
