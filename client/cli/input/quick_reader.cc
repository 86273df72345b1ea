#include "client/cli/input/quick_reader.h"

#include <simdjson.h>

#include <bitset>
#include <charconv>
#include <cstdint>
#include <string>
#include <unordered_map>
#include <utility>

#include "absl/container/flat_hash_map.h"
#include "absl/container/flat_hash_set.h"
#include "absl/strings/ascii.h"
#include "client/cli/base/json_text.h"
#include "client/cli/input/report_builder.h"
#include "google/protobuf/struct.pb.h"
#include "google/protobuf/util/time_util.h"
#include "mulligan/v1/report.pb.h"

namespace mulligan::cli {
namespace {

using google::protobuf::Descriptor;
using google::protobuf::DynamicCastToGenerated;
using google::protobuf::FieldDescriptor;
using google::protobuf::Message;
using google::protobuf::Reflection;
using google::protobuf::util::TimeUtil;
using simdjson::dom::element;

// Deeper requests take the slow path, which has its own bound.
constexpr int kMaxDepth = 50;
constexpr std::size_t kMaxFields = 256;
// Doubles hold integers exactly up to this value.
constexpr std::int64_t kMaxExact = std::int64_t{1} << 53;
// Digits of a duration's seconds; the longest has twelve.
constexpr std::size_t kMaxDurationDigits = 11;

std::string Fold(std::string_view name) {
  std::string folded;
  for (const char c : name) {
    if (c != '_') {
      folded.push_back(absl::ascii_tolower(static_cast<unsigned char>(c)));
    }
  }
  return folded;
}

// Readers differ on half surrogate pairs.
bool MayHaveSurrogates(std::string_view json) {
  return json.find("\\ud") != json.npos || json.find("\\uD") != json.npos;
}

bool IsKind(const element& value, std::string_view kind) {
  std::string_view text;
  return value.get(text) != simdjson::SUCCESS || text.empty() || text == kind;
}

// Accepts an ignored value unless it has duplicate keys.
bool IsPlain(const element& value, int depth) {
  if (depth > kMaxDepth) return false;
  if (simdjson::dom::object object; value.get(object) == simdjson::SUCCESS) {
    KeySet keys;
    for (const auto& [key, member] : object) {
      if (!keys.insert(key).second || !IsPlain(member, depth + 1)) return false;
    }
  }
  if (simdjson::dom::array array; value.get(array) == simdjson::SUCCESS) {
    for (const element item : array) {
      if (!IsPlain(item, depth + 1)) return false;
    }
  }
  return true;
}

// Digits, with up to nine after a point, and "s".
bool IsDuration(std::string_view text) {
  if (text.empty() || text.back() != 's') return false;
  text.remove_suffix(1);
  if (text.substr(0, 1) == "-") text.remove_prefix(1);
  const std::size_t point = text.find('.');
  const std::string_view whole = text.substr(0, point);
  const auto is_number = [](std::string_view digits, std::size_t most) {
    return !digits.empty() && digits.size() <= most &&
           digits.find_first_not_of("0123456789") == digits.npos;
  };
  return is_number(whole, kMaxDurationDigits) &&
         (point == text.npos || is_number(text.substr(point + 1), 9));
}

bool ReadReal(const element& value, double& number) {
  std::int64_t whole = 0;
  if (value.get(whole) != simdjson::SUCCESS) {
    return value.is_double() && value.get(number) == simdjson::SUCCESS;
  }
  number = static_cast<double>(whole);
  return whole <= kMaxExact && whole >= -kMaxExact;
}

// Reads a whole number of this type; 64-bit numbers are printed as strings.
template <typename Whole>
bool ReadWhole(const element& value, Whole& number) {
  std::int64_t whole = 0;
  std::string_view text;
  if (value.get(whole) == simdjson::SUCCESS) {
    number = static_cast<Whole>(whole);
    return std::in_range<Whole>(whole);
  }
  if (sizeof(Whole) < 8 || value.get(text) != simdjson::SUCCESS) return false;
  const char* const end = text.data() + text.size();
  const auto [stopped, error] = std::from_chars(text.data(), end, number);
  return error == std::errc() && stopped == end;
}

bool ReadAmount(const element& value, google::protobuf::Value& amount) {
  std::string_view text;
  double number = 0;
  if (value.get(text) == simdjson::SUCCESS) {
    amount.set_string_value(std::string(text));
    return true;
  }
  const bool is_read = ReadReal(value, number);
  amount.set_number_value(number);
  return is_read;
}

}  // namespace

// Fills messages from JSON. All functions return false for anything unusual.
class QuickReader::Filler {
 public:
  bool Fill(std::string_view json, Message& message) {
    element root;
    return !MayHaveSurrogates(json) &&
           parser_.parse(json.data(), json.size()).get(root) ==
               simdjson::SUCCESS &&
           Object(root, "", 0, message);
  }

 private:
  // The fields of a type.
  struct Fields {
    // By every spelling that protobuf accepts.
    absl::flat_hash_map<std::string_view, const FieldDescriptor*> by_name;
    // Names in lower case without underscores. Protobuf may accept others that
    // fold to one of them.
    absl::flat_hash_set<std::string> folded;
  };

  const Fields& FieldsOf(const Descriptor& type) {
    const auto [place, is_new] = fields_.try_emplace(&type);
    for (int i = 0; is_new && i < type.field_count(); ++i) {
      const FieldDescriptor& field = *type.field(i);
      for (const std::string* name :
           {&field.json_name(), &field.name(), &field.camelcase_name()}) {
        place->second.by_name.emplace(*name, &field);
        place->second.folded.insert(Fold(*name));
      }
    }
    return place->second;
  }

  // If not empty, `kind` is the required kind, if the object has one.
  bool Object(const element& json, std::string_view kind, int depth,
              Message& message) {
    simdjson::dom::object object;
    if (depth > kMaxDepth || json.get(object) != simdjson::SUCCESS) {
      return false;
    }
    const Descriptor& type = *message.GetDescriptor();
    const bool is_report = &type == v1::FailureReport::descriptor();
    const Fields& fields = FieldsOf(type);
    std::bitset<kMaxFields> seen;
    KeySet strange;
    for (const auto& [key, value] : object) {
      if (!kind.empty() && key == "kind" && !IsKind(value, kind)) return false;
      const auto found = fields.by_name.find(key);
      if (found == fields.by_name.end()) {
        // In a report, it may be misplaced.
        if (is_report || fields.folded.contains(Fold(key)) ||
            !strange.insert(key).second || !IsPlain(value, depth)) {
          return false;
        }
        continue;
      }
      const FieldDescriptor& field = *found->second;
      const auto place = static_cast<std::size_t>(field.index());
      if (place >= kMaxFields || seen[place]) return false;
      seen.set(place);
      if (!Field(value, field,
                 is_report ? KindOfReportField(field.json_name()) : "", depth,
                 message)) {
        return false;
      }
    }
    return true;
  }

  bool Field(const element& value, const FieldDescriptor& field,
             std::string_view kind, int depth, Message& message) {
    const auto* const oneof = field.real_containing_oneof();
    if (value.is_null()) return oneof == nullptr;
    if (oneof != nullptr && message.GetReflection()->HasOneof(message, oneof)) {
      return false;
    }
    if (field.is_map()) return Map(value, field, depth, message);
    if (!field.is_repeated()) return Single(value, field, kind, depth, message);
    simdjson::dom::array array;
    if (value.get(array) != simdjson::SUCCESS) return false;
    for (const element item : array) {
      if (!Single(item, field, kind, depth, message)) return false;
    }
    return true;
  }

  bool Map(const element& value, const FieldDescriptor& field, int depth,
           Message& message) {
    simdjson::dom::object object;
    const FieldDescriptor& key_field = *field.message_type()->map_key();
    if (key_field.type() != FieldDescriptor::TYPE_STRING ||
        value.get(object) != simdjson::SUCCESS) {
      return false;
    }
    KeySet keys;
    for (const auto& [key, member] : object) {
      if (!keys.insert(key).second) return false;
      Message& entry = *message.GetReflection()->AddMessage(&message, &field);
      entry.GetReflection()->SetString(&entry, &key_field, std::string(key));
      if (!Single(member, *field.message_type()->map_value(), "", depth + 1,
                  entry)) {
        return false;
      }
    }
    return true;
  }

  // Sets a field, or adds to a list.
  bool Single(const element& value, const FieldDescriptor& field,
              std::string_view kind, int depth, Message& message) {
    const Reflection& reflection = *message.GetReflection();
    const bool in_list = field.is_repeated();
    if (field.message_type() != nullptr) {
      return Inner(value, kind, depth + 1,
                   in_list ? *reflection.AddMessage(&message, &field)
                           : *reflection.MutableMessage(&message, &field));
    }
    std::string_view text;
    std::int32_t number = 0;
    if (field.type() == FieldDescriptor::TYPE_STRING) {
      if (value.get(text) != simdjson::SUCCESS) return false;
      in_list ? reflection.AddString(&message, &field, std::string(text))
              : reflection.SetString(&message, &field, std::string(text));
      return true;
    }
    if (!in_list) return Scalar(value, field, reflection, message);
    // Other lists are too rare.
    if (field.type() != FieldDescriptor::TYPE_INT32 ||
        !ReadWhole(value, number)) {
      return false;
    }
    reflection.AddInt32(&message, &field, number);
    return true;
  }

  static bool Scalar(const element& value, const FieldDescriptor& field,
                     const Reflection& reflection, Message& message) {
    bool truth = false;
    double real = 0;
    std::int32_t number = 0;
    std::uint32_t natural = 0;
    std::int64_t large = 0;
    std::string_view text;
    bool is_read = false;
    switch (field.type()) {
      case FieldDescriptor::TYPE_BOOL:
        is_read = value.get(truth) == simdjson::SUCCESS;
        reflection.SetBool(&message, &field, truth);
        return is_read;
      case FieldDescriptor::TYPE_DOUBLE:
        is_read = ReadReal(value, real);
        reflection.SetDouble(&message, &field, real);
        return is_read;
      case FieldDescriptor::TYPE_INT32:
        is_read = ReadWhole(value, number);
        reflection.SetInt32(&message, &field, number);
        return is_read;
      case FieldDescriptor::TYPE_UINT32:
        is_read = ReadWhole(value, natural);
        reflection.SetUInt32(&message, &field, natural);
        return is_read;
      case FieldDescriptor::TYPE_INT64:
        is_read = ReadWhole(value, large);
        reflection.SetInt64(&message, &field, large);
        return is_read;
      case FieldDescriptor::TYPE_ENUM: {
        if (value.get(text) != simdjson::SUCCESS) return false;
        const auto* const named =
            field.enum_type()->FindValueByName(std::string(text));
        if (named != nullptr) reflection.SetEnum(&message, &field, named);
        return named != nullptr;
      }
      default:
        return false;
    }
  }

  bool Inner(const element& value, std::string_view kind, int depth,
             Message& message) {
    if (message.GetDescriptor()->file()->package() != "google.protobuf") {
      return Object(value, kind, depth, message);
    }
    if (auto* amount =
            DynamicCastToGenerated<google::protobuf::Value>(&message)) {
      return ReadAmount(value, *amount);
    }
    std::string_view text;
    if (value.get(text) != simdjson::SUCCESS) return false;
    if (auto* time =
            DynamicCastToGenerated<google::protobuf::Timestamp>(&message)) {
      return TimeUtil::FromString(std::string(text), time);
    }
    auto* span = DynamicCastToGenerated<google::protobuf::Duration>(&message);
    return span != nullptr && IsDuration(text) &&
           TimeUtil::FromString(std::string(text), span);
  }

  simdjson::dom::parser parser_;
  std::unordered_map<const Descriptor*, Fields> fields_;
};

QuickReader::QuickReader() : filler_(std::make_unique<Filler>()) {}
QuickReader::~QuickReader() = default;

bool QuickReader::Read(std::string_view json, Message& message) {
  if (filler_->Fill(json, message)) {
    // Reflection leaves maps as lists, which the first access would convert.
    return message.ParseFromString(message.SerializeAsString());
  }
  message.Clear();
  return false;
}

}  // namespace mulligan::cli
