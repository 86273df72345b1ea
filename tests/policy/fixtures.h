// Policies and messages for tests of the decision pipeline.
#ifndef MULLIGAN_TESTS_POLICY_FIXTURES_H_
#define MULLIGAN_TESTS_POLICY_FIXTURES_H_

#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "google/protobuf/message.h"
#include "google/protobuf/text_format.h"
#include "gtest/gtest.h"
#include "mulligan/v1/policy.pb.h"
#include "policy/rules/policy_set.h"

namespace mulligan::testing {

// The message in text format; a text that does not parse fails the test.
template <typename Message>
Message Parse(std::string_view text) {
  Message message;
  EXPECT_TRUE(google::protobuf::TextFormat::ParseFromString(std::string(text),
                                                            &message))
      << text;
  return message;
}

// A RetryPolicy called `name` with this spec in text format.
v1::RetryPolicy PolicyOf(std::string_view spec, std::string_view name = "test");

// The compiled policy; an error fails the test.
std::unique_ptr<const Ruleset> Compiled(std::string_view spec,
                                        std::string_view name = "test");

// A policy set with one catch-all policy.
std::unique_ptr<const PolicySet> SetOf(std::string_view spec);

// Bytes with map entries in key order: equal messages, equal bytes.
std::string Bytes(const google::protobuf::Message& message);

// Messages of the issues, "error: " or "warning: " in front.
std::vector<std::string> Texts(const Issues& issues);

}  // namespace mulligan::testing

#endif  // MULLIGAN_TESTS_POLICY_FIXTURES_H_
