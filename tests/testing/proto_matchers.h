// Matchers for protobuf messages, written against the text format:
//
//   EXPECT_THAT(response, EqualsProto(R"pb(decision { action: ACTION_RETRY
//   })pb")); EXPECT_THAT(response, EqualsProto(other_message));
//   // Compares only fields set in the expectation; repeated fields whole.
//   EXPECT_THAT(response, PartiallyEqualsProto(R"pb(...)pb"));
//
// A text that does not parse fails the match with the position of the error.

#ifndef MULLIGAN_TESTS_TESTING_PROTO_MATCHERS_H_
#define MULLIGAN_TESTS_TESTING_PROTO_MATCHERS_H_

#include <google/protobuf/message.h>

#include <memory>
#include <ostream>
#include <string>
#include <string_view>

#include "gmock/gmock.h"

namespace mulligan::testing {

enum class ProtoScope { kWhole, kPartial };

class ProtoMatcher {
 public:
  using is_gtest_matcher = void;

  ProtoMatcher(std::string expected_text, ProtoScope scope);
  ProtoMatcher(const google::protobuf::Message& expected, ProtoScope scope);

  bool MatchAndExplain(const google::protobuf::Message& actual,
                       ::testing::MatchResultListener* listener) const;
  void DescribeTo(std::ostream* os) const;
  void DescribeNegationTo(std::ostream* os) const;

 private:
  std::string text_;
  // Null if the expectation is a text, which has the type of the actual
  // message.
  std::shared_ptr<const google::protobuf::Message> message_;
  ProtoScope scope_;
};

inline ProtoMatcher EqualsProto(std::string_view expected) {
  return ProtoMatcher(std::string(expected), ProtoScope::kWhole);
}
inline ProtoMatcher EqualsProto(const google::protobuf::Message& expected) {
  return ProtoMatcher(expected, ProtoScope::kWhole);
}
inline ProtoMatcher PartiallyEqualsProto(std::string_view expected) {
  return ProtoMatcher(std::string(expected), ProtoScope::kPartial);
}
inline ProtoMatcher PartiallyEqualsProto(
    const google::protobuf::Message& expected) {
  return ProtoMatcher(expected, ProtoScope::kPartial);
}

}  // namespace mulligan::testing

#endif  // MULLIGAN_TESTS_TESTING_PROTO_MATCHERS_H_
