// Requests with strings that are not UTF-8.
#include "server/rpc/repair_utf8.h"

#include <google/protobuf/descriptor.h>
#include <google/protobuf/util/json_util.h>

#include <cstddef>
#include <string>
#include <vector>

#include "absl/strings/str_replace.h"
#include "absl/strings/str_split.h"
#include "gmock/gmock.h"
#include "gtest/gtest.h"
#include "policy/base/utf8.h"
#include "tests/server/test_server.h"
#include "tests/testing/files.h"
#include "tests/testing/status_matchers.h"

namespace mulligan {
namespace {

using google::protobuf::FieldDescriptor;
using google::protobuf::Message;
using ::testing::HasSubstr;
using ::testing::Not;
using testing::TestServer;

constexpr char kInvalid[] = "x\xffy";

// Controls terminals and reverses text.
constexpr char kControl[] = "x\x1b[2J\ny\xe2\x80\xae";

// Replaces string number `left`, from 0, of those in Kubernetes messages with
// `text_in`; `left` is then below 0.
void Replace(const char* text_in, Message& message, int& left) {
  const auto& reflection = *message.GetReflection();
  std::vector<const FieldDescriptor*> fields;
  reflection.ListFields(message, &fields);
  for (const FieldDescriptor* field : fields) {
    const int size =
        field->is_repeated() ? reflection.FieldSize(message, field) : 1;
    const bool is_message =
        field->cpp_type() == FieldDescriptor::CPPTYPE_MESSAGE;
    const bool is_text = field->type() == FieldDescriptor::TYPE_STRING &&
                         field->file()->syntax() ==
                             google::protobuf::FileDescriptor::SYNTAX_PROTO2;
    for (int i = 0; i < size && left >= 0; ++i) {
      if (is_message) {
        Replace(text_in,
                field->is_repeated()
                    ? *reflection.MutableRepeatedMessage(&message, field, i)
                    : *reflection.MutableMessage(&message, field),
                left);
      } else if (is_text && left-- == 0) {
        if (field->is_repeated()) {
          reflection.SetRepeatedString(&message, field, i, text_in);
        } else {
          reflection.SetString(&message, field, text_in);
        }
      }
    }
  }
}

// Asks with `text_in` in place of each Kubernetes string, one at a time, in
// every thirtieth situation, which covers each workload kind. Returns the
// number of answers.
template <typename Check>
int AskWithEach(const char* text_in, const Check& check) {
  TestServer server;
  const auto text =
      testing::ReadFile(testing::SourcePath("tests/testdata/situations.jsonl"));
  EXPECT_THAT(text, testing::IsOk());
  const std::vector<std::string> lines =
      absl::StrSplit(text.value_or(""), '\n');
  google::protobuf::util::JsonParseOptions options;
  options.ignore_unknown_fields = true;
  int answered = 0;
  for (std::size_t i = 0; i + 1 < lines.size(); i += 30) {
    v1::DecideRequest request;
    EXPECT_TRUE(
        google::protobuf::util::JsonStringToMessage(lines[i], &request, options)
            .ok());
    request.set_compare_native(true);
    for (int number = 0;; ++number) {
      v1::DecideRequest changed = request;
      int left = number;
      Replace(text_in, changed, left);
      if (left >= 0) break;
      v1::DecideResponse response;
      const grpc::Status status = server.Decide(changed, &response);
      check(changed, status, response);
      answered += status.ok() ? 1 : 0;
    }
  }
  return answered;
}

// Calls `visit` with every string of the message, including maps, and its
// field.
template <typename Visit>
void ForEachText(const Message& message, const Visit& visit) {
  const auto& reflection = *message.GetReflection();
  std::vector<const FieldDescriptor*> fields;
  reflection.ListFields(message, &fields);
  for (const FieldDescriptor* field : fields) {
    const bool many = field->is_repeated();
    const int size = many ? reflection.FieldSize(message, field) : 1;
    for (int i = 0; i < size; ++i) {
      if (field->cpp_type() == FieldDescriptor::CPPTYPE_MESSAGE) {
        ForEachText(many ? reflection.GetRepeatedMessage(message, field, i)
                         : reflection.GetMessage(message, field),
                    visit);
      } else if (field->type() == FieldDescriptor::TYPE_STRING) {
        visit(many ? reflection.GetRepeatedString(message, field, i)
                   : reflection.GetString(message, field),
              *field);
      }
    }
  }
}

MATCHER(IsVisible, "has no control characters") { return Visible(arg) == arg; }

TEST(RepairUtf8Test, InvalidTextDoesNotPreventAnswers) {
  const int answered = AskWithEach(
      kInvalid, [](const v1::DecideRequest& request, const grpc::Status& status,
                   const v1::DecideResponse& /*response*/) {
        EXPECT_TRUE(status.ok() ||
                    status.error_code() == grpc::StatusCode::INVALID_ARGUMENT)
            << status.error_message() << "\n"
            << request.DebugString();
      });
  EXPECT_GT(answered, 200);
}

constexpr char kNativeMessage[] = "mulligan.v1.NativeVerdict.message";

// Callers write answers to conditions, terminals and logs.
TEST(RepairUtf8Test, AnswersHaveNoControlCharacters) {
  const int answered =
      AskWithEach(kControl, [](const v1::DecideRequest& /*request*/,
                               const grpc::Status& status,
                               const v1::DecideResponse& response) {
        EXPECT_THAT(status.error_message(), IsVisible());
        EXPECT_THAT(status.error_details(), Not(HasSubstr("\x1b")));
        ForEachText(response, [](const std::string& text, const auto& field) {
          // An operator's message may have several lines.
          const bool multiline = field.full_name() == kNativeMessage;
          EXPECT_THAT(
              multiline ? absl::StrReplaceAll(text, {{"\n", " "}}) : text,
              IsVisible())
              << field.full_name();
        });
      });
  EXPECT_GT(answered, 200);
}

TEST(RepairUtf8Test, RepeatsTheValidPart) {
  TestServer server;
  v1::DecideRequest request;
  request.set_compare_native(true);
  auto& job = *request.mutable_report()->add_jobs();
  job.mutable_metadata()->set_name("train");
  job.mutable_metadata()->set_uid("u-1");
  auto& condition = *job.mutable_status()->add_conditions();
  condition.set_type("Failed");
  condition.set_status("True");
  condition.set_reason("BackoffLimitExceeded");
  condition.set_message(kInvalid);
  v1::DecideResponse response;
  const grpc::Status status = server.Decide(request, &response);
  ASSERT_TRUE(status.ok()) << status.error_message();
  EXPECT_THAT(response.native().message(), HasSubstr("x\xef\xbf\xbdy"));
}

TEST(RepairUtf8Test, RepairsListsAndMaps) {
  v1::DecideRequest request;
  auto& pod = *request.mutable_report()->add_pods();
  pod.mutable_metadata()->set_name(kInvalid);
  pod.mutable_metadata()->add_finalizers(kInvalid);
  (*pod.mutable_metadata()->mutable_labels())[kInvalid] = kInvalid;
  (*pod.mutable_metadata()->mutable_labels())["k"] = "v";
  ReplaceInvalidUtf8(request);
  constexpr char kRepaired[] = "x\xef\xbf\xbdy";
  EXPECT_EQ(pod.metadata().name(), kRepaired);
  EXPECT_THAT(pod.metadata().finalizers(), ::testing::ElementsAre(kRepaired));
  EXPECT_EQ(pod.metadata().labels().size(), 2);
  EXPECT_EQ(pod.metadata().labels().at(kRepaired), kRepaired);
  EXPECT_EQ(pod.metadata().labels().at("k"), "v");
}

}  // namespace
}  // namespace mulligan
