#include "tests/benchmark/costly/mutation.h"

#include <google/protobuf/descriptor.h>

#include <algorithm>
#include <cstdint>
#include <limits>
#include <string>
#include <vector>

#include "tests/testing/costly_text.h"

namespace mulligan::testing {
namespace {

using google::protobuf::FieldDescriptor;
using google::protobuf::Message;

constexpr int kMaxDepth = 12;

std::size_t Pick(std::size_t count, Random& random) {
  return std::uniform_int_distribution<std::size_t>(0, count - 1)(random);
}

bool Flip(Random& random) { return Pick(2, random) == 0; }

// Makes every name, uid and long text near the top unique: a text that occurs
// twice is read once.
void Distinguish(Message& message, int number, int depth = 0) {
  constexpr int kNear = 2;
  constexpr std::size_t kLong = 64;
  if (depth > kMaxDepth) return;
  const auto* reflection = message.GetReflection();
  std::vector<const FieldDescriptor*> fields;
  reflection->ListFields(message, &fields);
  for (const FieldDescriptor* field : fields) {
    if (field->is_map()) continue;
    if (field->cpp_type() == FieldDescriptor::CPPTYPE_MESSAGE) {
      if (!field->is_repeated()) {
        Distinguish(*reflection->MutableMessage(&message, field), number,
                    depth + 1);
        continue;
      }
      for (int i = 0; i < reflection->FieldSize(message, field); ++i) {
        Distinguish(*reflection->MutableRepeatedMessage(&message, field, i),
                    number, kNear + 1 + depth);
      }
    } else if (field->cpp_type() == FieldDescriptor::CPPTYPE_STRING &&
               !field->is_repeated()) {
      const std::string text = reflection->GetString(message, field);
      const bool names = field->name() == "name" || field->name() == "uid";
      if ((names && depth <= kNear) || text.size() >= kLong) {
        reflection->SetString(&message, field,
                              text + "-" + std::to_string(number));
      }
    }
  }
}

std::string LongText(Random& random) {
  static constexpr CostlyText kMore[] = {
      {"", "a"}, {"", "ab"},          {"", "{\"a\":"}, {"", "-"},
      {"", "("}, {"", "CUDA error "}, {"", "evict"},   {"", "99"}};
  const std::size_t length = std::size_t{1} << Pick(17, random);
  const CostlyText& text =
      Flip(random) ? kMore[Pick(std::size(kMore), random)]
                   : kCostlyTexts[Pick(std::size(kCostlyTexts), random)];
  return MakeCostly(text, Pick(1000, random), length);
}

void GrowList(Message& message, const FieldDescriptor* field, std::size_t room,
              Random& random) {
  const auto* reflection = message.GetReflection();
  const bool messages = field->cpp_type() == FieldDescriptor::CPPTYPE_MESSAGE;
  int present = reflection->FieldSize(message, field);
  std::size_t bytes = 2;
  if (messages && present == 0) {
    reflection->AddMessage(&message, field);
    present = 1;
  }
  const int from =
      present == 0
          ? 0
          : static_cast<int>(Pick(static_cast<std::size_t>(present), random));
  const bool distinct = Flip(random);
  if (messages) {
    bytes +=
        reflection->GetRepeatedMessage(message, field, from).ByteSizeLong() +
        (distinct ? 16 : 0);
  }
  const std::size_t most =
      std::min<std::size_t>(room / bytes, std::size_t{1} << Pick(19, random));
  for (std::size_t i = 0; i < most; ++i) {
    if (messages) {
      Message* added = reflection->AddMessage(&message, field);
      added->CopyFrom(reflection->GetRepeatedMessage(message, field, from));
      if (distinct) Distinguish(*added, static_cast<int>(i));
    } else if (field->cpp_type() == FieldDescriptor::CPPTYPE_STRING) {
      reflection->AddString(&message, field, distinct ? std::to_string(i) : "");
    } else if (field->cpp_type() == FieldDescriptor::CPPTYPE_INT32) {
      reflection->AddInt32(&message, field, static_cast<std::int32_t>(i));
    } else {
      return;
    }
  }
}

void SetScalar(Message& message, const FieldDescriptor* field, Random& random) {
  const auto* reflection = message.GetReflection();
  switch (field->cpp_type()) {
    case FieldDescriptor::CPPTYPE_STRING:
      return reflection->SetString(&message, field, LongText(random));
    case FieldDescriptor::CPPTYPE_INT32:
      return reflection->SetInt32(
          &message, field,
          Flip(random) ? std::numeric_limits<std::int32_t>::max()
                       : static_cast<std::int32_t>(Pick(5, random)));
    case FieldDescriptor::CPPTYPE_INT64:
      return reflection->SetInt64(
          &message, field,
          Flip(random) ? std::int64_t{1'800'000'000}
                       : static_cast<std::int64_t>(Pick(5, random)));
    case FieldDescriptor::CPPTYPE_BOOL:
      return reflection->SetBool(&message, field, Flip(random));
    case FieldDescriptor::CPPTYPE_ENUM: {
      const auto* type = field->enum_type();
      return reflection->SetEnum(
          &message, field,
          type->value(static_cast<int>(
              Pick(static_cast<std::size_t>(type->value_count()), random))));
    }
    default:
      return;
  }
}

// Descends along a random path and changes the field at its end.
void Descend(Message& message, std::size_t room, int depth, Random& random) {
  const auto* type = message.GetDescriptor();
  const auto* reflection = message.GetReflection();
  std::vector<const FieldDescriptor*> fields;
  reflection->ListFields(message, &fields);
  // Mostly a present field, sometimes a new one.
  if (fields.empty() || Pick(4, random) == 0) {
    if (type->field_count() == 0) return;
    fields = {type->field(static_cast<int>(
        Pick(static_cast<std::size_t>(type->field_count()), random)))};
  }
  const FieldDescriptor* field = fields[Pick(fields.size(), random)];
  const bool deeper = depth < kMaxDepth && Pick(4, random) != 0;
  if (field->is_repeated()) {
    const int size = reflection->FieldSize(message, field);
    if (deeper && size > 0 && !field->is_map() &&
        field->cpp_type() == FieldDescriptor::CPPTYPE_MESSAGE) {
      const auto index =
          static_cast<int>(Pick(static_cast<std::size_t>(size), random));
      return Descend(
          *reflection->MutableRepeatedMessage(&message, field, index), room,
          depth + 1, random);
    }
    return GrowList(message, field, room, random);
  }
  if (field->cpp_type() == FieldDescriptor::CPPTYPE_MESSAGE) {
    return Descend(*reflection->MutableMessage(&message, field), room,
                   depth + 1, random);
  }
  SetScalar(message, field, random);
}

}  // namespace

void Mutate(Message& message, std::size_t max_bytes, Random& random) {
  const std::size_t now = message.ByteSizeLong();
  const std::size_t room = now < max_bytes ? max_bytes - now : 0;
  Descend(message, room, 0, random);
}

}  // namespace mulligan::testing
