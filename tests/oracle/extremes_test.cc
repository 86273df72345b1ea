// The recorded requests with one number of an operator's object at a time set
// to an extreme: an answer or a refusal must come quickly and with little
// memory, whatever the number.
#include <sys/resource.h>

#include <array>
#include <cstdint>
#include <ctime>
#include <limits>
#include <map>
#include <memory>
#include <string>
#include <vector>

#include "google/protobuf/descriptor.h"
#include "google/protobuf/message.h"
#include "gtest/gtest.h"
#include "policy/decide.h"
#include "policy/loader/load.h"
#include "tests/oracle/recorded.h"
#include "tests/testing/files.h"
#include "tests/testing/status_matchers.h"

namespace mulligan::oracle {
namespace {

using google::protobuf::FieldDescriptor;
using google::protobuf::Message;

constexpr std::array<std::int32_t, 4> kExtremes = {
    0, -1, std::numeric_limits<std::int32_t>::max(),
    std::numeric_limits<std::int32_t>::min()};
// Requests in which each field is tried.
constexpr int kTries = 40;
constexpr double kMaxSeconds = 2;
constexpr std::int64_t kMaxKibibytes = 64 * 1024;
// Bytes of a long list, requests in which each is tried, and the bounds of an
// answer: kMaxAnswerBytes bytes, and kMaxGrowth times the request.
constexpr std::size_t kLongList = 60'000;
constexpr int kListTries = 6;
constexpr std::size_t kMaxAnswerBytes = 256 << 10;
constexpr std::size_t kMaxGrowth = 1;

// Peak memory of this process in KiB.
std::int64_t PeakMemory() {
  rusage usage = {};
  getrusage(RUSAGE_SELF, &usage);
  return usage.ru_maxrss;
}

// A number or a list of an object, and the message that holds it.
struct Number {
  Message* holder;
  const FieldDescriptor* field;
};

bool IsObject(const Message& message) {
  return message.GetDescriptor()->full_name().find("mulligan.kubernetes.") == 0;
}

// Collects the lists under `message` that have an element.
void CollectLists(Message& message, std::vector<Number>& lists) {
  const auto& reflection = *message.GetReflection();
  std::vector<const FieldDescriptor*> fields;
  reflection.ListFields(message, &fields);
  for (const FieldDescriptor* field : fields) {
    if (field->is_map()) continue;
    if (field->is_repeated() && IsObject(message)) {
      lists.push_back({&message, field});
    }
    if (field->cpp_type() != FieldDescriptor::CPPTYPE_MESSAGE) continue;
    if (!field->is_repeated()) {
      CollectLists(*reflection.MutableMessage(&message, field), lists);
      continue;
    }
    for (int i = 0; i < reflection.FieldSize(message, field); ++i) {
      CollectLists(*reflection.MutableRepeatedMessage(&message, field, i),
                   lists);
    }
  }
}

// Repeats the first element of a list until the list has `bytes`.
void Lengthen(const Number& list, std::size_t bytes) {
  const FieldDescriptor& field = *list.field;
  const auto& reflection = *list.holder->GetReflection();
  switch (field.cpp_type()) {
    case FieldDescriptor::CPPTYPE_MESSAGE: {
      const Message& first =
          reflection.GetRepeatedMessage(*list.holder, &field, 0);
      const std::unique_ptr<Message> member(first.New());
      member->CopyFrom(first);
      for (std::size_t size = 0; size < bytes;
           size += member->ByteSizeLong() + 2) {
        reflection.AddMessage(list.holder, &field)->CopyFrom(*member);
      }
      return;
    }
    case FieldDescriptor::CPPTYPE_STRING: {
      const std::string text =
          reflection.GetRepeatedString(*list.holder, &field, 0);
      for (std::size_t size = 0; size < bytes; size += text.size() + 2) {
        reflection.AddString(list.holder, &field, text);
      }
      return;
    }
    case FieldDescriptor::CPPTYPE_INT32: {
      const std::int32_t value =
          reflection.GetRepeatedInt32(*list.holder, &field, 0);
      for (std::size_t size = 0; size < bytes; ++size) {
        reflection.AddInt32(list.holder, &field, value);
      }
      return;
    }
    default:
      ADD_FAILURE() << field.full_name() << ": a list of what?";
  }
}

bool IsInteger(const FieldDescriptor& field) {
  return !field.is_repeated() &&
         (field.cpp_type() == FieldDescriptor::CPPTYPE_INT32 ||
          field.cpp_type() == FieldDescriptor::CPPTYPE_INT64);
}

// Collects all numbers of the objects under `message`, even if unset.
void Collect(Message& message, std::vector<Number>& numbers) {
  const auto& descriptor = *message.GetDescriptor();
  const auto& reflection = *message.GetReflection();
  const bool is_object = IsObject(message) ||
                         descriptor.full_name() == "google.protobuf.Timestamp";
  for (int i = 0; i < descriptor.field_count(); ++i) {
    const FieldDescriptor& field = *descriptor.field(i);
    if (is_object && IsInteger(field)) numbers.push_back({&message, &field});
    if (field.cpp_type() != FieldDescriptor::CPPTYPE_MESSAGE ||
        field.is_map()) {
      continue;
    }
    if (field.is_repeated()) {
      for (int j = 0; j < reflection.FieldSize(message, &field); ++j) {
        Collect(*reflection.MutableRepeatedMessage(&message, &field, j),
                numbers);
      }
    } else if (reflection.HasField(message, &field)) {
      Collect(*reflection.MutableMessage(&message, &field), numbers);
    }
  }
}

void Set(const Number& number, std::int32_t value) {
  const auto& reflection = *number.holder->GetReflection();
  if (number.field->cpp_type() == FieldDescriptor::CPPTYPE_INT32) {
    reflection.SetInt32(number.holder, number.field, value);
  } else {
    reflection.SetInt64(number.holder, number.field, value);
  }
}

class ExtremesTest : public ::testing::TestWithParam<const char*> {
 protected:
  ExtremesTest() : policies_(LoadPolicies({EmbeddedPolicy()}, issues_)) {}

  // Asks, and fails if that takes more time or memory than allowed.
  void Ask(const v1::DecideRequest& request, const std::string& what) {
    const std::int64_t memory = PeakMemory();
    const std::clock_t start = std::clock();
    v1::DecideResponse response;
    const absl::Status status = Decide(request, *policies_, {}, response);
    const double seconds =
        static_cast<double>(std::clock() - start) / CLOCKS_PER_SEC;
    EXPECT_LT(seconds, kMaxSeconds) << what;
    EXPECT_LT(PeakMemory() - memory, kMaxKibibytes) << what;
  }

  // Lengthens each list of the request that has not been tried often enough.
  void TryLists(const Recorded& recorded) {
    v1::DecideRequest request = recorded.request;
    std::vector<Number> lists;
    CollectLists(*request.mutable_report(), lists);
    for (std::size_t i = 0; i < lists.size(); ++i) {
      const std::string name = lists[i].field->full_name();
      if (++tries_[name] > kListTries) continue;
      Lengthen(lists[i], kLongList);
      v1::DecideResponse response;
      if (Decide(request, *policies_, {}, response).ok()) {
        EXPECT_LT(response.ByteSizeLong(),
                  kMaxAnswerBytes + kMaxGrowth * request.ByteSizeLong())
            << recorded.id << " " << name;
      }
      request = recorded.request;
      lists.clear();
      CollectLists(*request.mutable_report(), lists);
    }
  }

  // Sets each number of the request that has not been tried often enough.
  void TryAll(const Recorded& recorded) {
    v1::DecideRequest request = recorded.request;
    std::vector<Number> numbers;
    Collect(*request.mutable_report(), numbers);
    for (const Number& number : numbers) {
      int& tried = tries_[number.field->full_name()];
      if (tried >= kTries) continue;
      ++tried;
      const std::unique_ptr<Message> before(number.holder->New());
      before->CopyFrom(*number.holder);
      for (const std::int32_t value : kExtremes) {
        Set(number, value);
        const std::string what = recorded.id + " " + number.field->full_name() +
                                 " " + std::to_string(value);
        Ask(request, what);
      }
      // Clears only this field: pointers into submessages stay valid.
      const auto& reflection = *number.holder->GetReflection();
      if (number.field->has_presence() &&
          !reflection.HasField(*before, number.field)) {
        reflection.ClearField(number.holder, number.field);
      } else if (number.field->cpp_type() == FieldDescriptor::CPPTYPE_INT32) {
        Set(number, reflection.GetInt32(*before, number.field));
      } else {
        reflection.SetInt64(number.holder, number.field,
                            reflection.GetInt64(*before, number.field));
      }
    }
  }

  Issues issues_;
  std::unique_ptr<const PolicySet> policies_;
  std::map<std::string, int> tries_;
};

TEST_P(ExtremesTest, NumbersAreCheap) {
  ASSERT_OK_AND_ASSIGN(const std::vector<Recorded> all,
                       ReadRecorded(testing::SourcePath("tests/oracle/data") /
                                    (std::string(GetParam()) + ".jsonl.gz")));
  for (const Recorded& recorded : all) TryAll(recorded);
  EXPECT_FALSE(tries_.empty());
}

// A list of numbers used to become 134 times its size, with a warning for each.
TEST_P(ExtremesTest, LongListsDoNotMakeLongAnswers) {
  ASSERT_OK_AND_ASSIGN(const std::vector<Recorded> all,
                       ReadRecorded(testing::SourcePath("tests/oracle/data") /
                                    (std::string(GetParam()) + ".jsonl.gz")));
  for (const Recorded& recorded : all) TryLists(recorded);
  EXPECT_FALSE(tries_.empty());
}

INSTANTIATE_TEST_SUITE_P(Operators, ExtremesTest,
                         ::testing::Values("job", "jobset", "kuberay", "kueue",
                                           "training_operator", "flyte",
                                           "flyte_kubeflow"),
                         [](const auto& file) {
                           return std::string(file.param);
                         });

}  // namespace
}  // namespace mulligan::oracle
