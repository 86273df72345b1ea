#include "tests/testing/proto_matchers.h"

#include <google/protobuf/io/tokenizer.h>
#include <google/protobuf/text_format.h>
#include <google/protobuf/util/message_differencer.h>

#include <utility>

namespace mulligan::testing {
namespace {

using google::protobuf::Message;
using google::protobuf::TextFormat;
using google::protobuf::util::MessageDifferencer;

class FirstError : public google::protobuf::io::ErrorCollector {
 public:
  void AddError(int line, google::protobuf::io::ColumnNumber column,
                const std::string& message) override {
    if (text_.empty()) {
      text_ = std::to_string(line + 1) + ":" + std::to_string(column + 1) +
              ": " + message;
    }
  }
  const std::string& text() const { return text_; }

 private:
  std::string text_;
};

}  // namespace

ProtoMatcher::ProtoMatcher(std::string expected_text, ProtoScope scope)
    : text_(std::move(expected_text)), scope_(scope) {}

ProtoMatcher::ProtoMatcher(const Message& expected, ProtoScope scope)
    : text_(expected.DebugString()), scope_(scope) {
  std::unique_ptr<Message> copy(expected.New());
  copy->CopyFrom(expected);
  message_ = std::move(copy);
}

bool ProtoMatcher::MatchAndExplain(
    const Message& actual, ::testing::MatchResultListener* listener) const {
  std::shared_ptr<const Message> expected = message_;
  if (expected == nullptr) {
    std::unique_ptr<Message> parsed(actual.New());
    FirstError error;
    TextFormat::Parser parser;
    parser.RecordErrorsTo(&error);
    if (!parser.ParseFromString(text_, parsed.get())) {
      *listener << "the expected text is not a " << actual.GetTypeName() << " ("
                << error.text() << ")";
      return false;
    }
    expected = std::move(parsed);
  }
  if (expected->GetDescriptor() != actual.GetDescriptor()) {
    *listener << "which is a " << actual.GetTypeName() << ", not a "
              << expected->GetTypeName();
    return false;
  }
  std::string difference;
  MessageDifferencer differencer;
  differencer.ReportDifferencesToString(&difference);
  if (scope_ == ProtoScope::kPartial) {
    differencer.set_scope(MessageDifferencer::PARTIAL);
  }
  const bool equal = differencer.Compare(*expected, actual);
  if (!equal) *listener << "with the differences\n" << difference;
  return equal;
}

void ProtoMatcher::DescribeTo(std::ostream* os) const {
  *os << (scope_ == ProtoScope::kPartial ? "has at least\n" : "equals\n")
      << text_;
}

void ProtoMatcher::DescribeNegationTo(std::ostream* os) const {
  *os << (scope_ == ProtoScope::kPartial ? "lacks a part of\n"
                                         : "differs from\n")
      << text_;
}

}  // namespace mulligan::testing
