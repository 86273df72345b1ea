#include "client/cli/input/quick_reader.h"

#include <simdjson.h>

#include <array>
#include <bit>
#include <bitset>
#include <charconv>
#include <cstdint>

#include "client/cli/base/json_text.h"
#include "client/cli/input/report_builder.h"
#include "google/protobuf/util/time_util.h"
#include "mulligan/v1/report.pb.h"

namespace mulligan::cli {
namespace {

using google::protobuf::util::TimeUtil;
using simdjson::dom::element;

// Deeper requests take the slow path, which has its own bound.
constexpr int kMaxDepth = 50;
constexpr std::size_t kMaxFields = 256;
// Doubles hold integers exactly up to this value.
constexpr std::int64_t kMaxExact = std::int64_t{1} << 53;
// Digits of a duration's seconds; the longest has twelve.
constexpr std::size_t kMaxDurationDigits = 11;

// Encodes a message from its JSON. All functions return false for anything
// unusual.
class Writer {
 public:
  explicit Writer(std::string& wire) : wire_(wire) {}

  // If not empty, `kind` is the required kind, if the object has one.
  bool Object(const element& json, const WireType& type, std::string_view kind,
              int depth) {
    simdjson::dom::object object;
    if (depth > kMaxDepth || json.get(object) != simdjson::SUCCESS) {
      return false;
    }
    const bool is_report =
        &type.descriptor() == v1::FailureReport::descriptor();
    std::bitset<kMaxFields> seen;
    std::bitset<kMaxFields> taken;
    KeySet strange;
    for (const auto& [key, value] : object) {
      if (!kind.empty() && key == "kind" && !IsKind(value, kind)) return false;
      const WireField* field = type.Find(key);
      if (field == nullptr) {
        // In a report, it may be misplaced.
        if (is_report || type.MayMean(key) || !strange.insert(key).second ||
            !Unknown(value, depth)) {
          return false;
        }
        continue;
      }
      if (Repeats(field->index, seen) ||
          (field->oneof >= 0 && Repeats(field->oneof, taken))) {
        return false;
      }
      const std::string_view expected =
          is_report ? KindOfReportField(field->name) : std::string_view();
      if (!Field(value, *field, expected, depth)) return false;
    }
    return true;
  }

 private:
  static bool Repeats(int index, std::bitset<kMaxFields>& seen) {
    const auto place = static_cast<std::size_t>(index);
    if (place >= kMaxFields || seen[place]) return true;
    seen.set(place);
    return false;
  }

  static bool IsKind(const element& value, std::string_view kind) {
    std::string_view text;
    return value.get(text) != simdjson::SUCCESS || text.empty() || text == kind;
  }

  // Accepts an ignored value unless it has duplicate keys.
  static bool Unknown(const element& value, int depth) {
    if (depth > kMaxDepth) return false;
    if (simdjson::dom::object object; value.get(object) == simdjson::SUCCESS) {
      KeySet keys;
      for (const auto& [key, member] : object) {
        if (!keys.insert(key).second || !Unknown(member, depth + 1))
          return false;
      }
    }
    if (simdjson::dom::array array; value.get(array) == simdjson::SUCCESS) {
      for (const element item : array) {
        if (!Unknown(item, depth + 1)) return false;
      }
    }
    return true;
  }

  bool Field(const element& value, const WireField& field,
             std::string_view kind, int depth) {
    if (field.kind == WireKind::kOther) return false;
    if (value.is_null()) return field.oneof < 0;
    if (field.map) return Map(value, field, depth);
    if (!field.repeated) return Single(value, field, kind, depth);
    simdjson::dom::array array;
    if (value.get(array) != simdjson::SUCCESS) return false;
    for (const element item : array) {
      if (!Single(item, field, kind, depth)) return false;
    }
    return true;
  }

  bool Map(const element& value, const WireField& field, int depth) {
    simdjson::dom::object object;
    const WireField& key_field = *field.message->Find("key");
    const WireField& value_field = *field.message->Find("value");
    if (key_field.kind != WireKind::kString ||
        value.get(object) != simdjson::SUCCESS) {
      return false;
    }
    KeySet keys;
    for (const auto& [key, member] : object) {
      if (!keys.insert(key).second) return false;
      const std::size_t start = Open(field);
      Text(key_field.number, key);
      if (!Single(member, value_field, "", depth + 1)) return false;
      Close(start);
    }
    return true;
  }

  bool Single(const element& value, const WireField& field,
              std::string_view kind, int depth) {
    std::string_view text;
    switch (field.kind) {
      case WireKind::kString:
        if (value.get(text) != simdjson::SUCCESS) return false;
        Text(field.number, text);
        return true;
      case WireKind::kMessage: {
        const std::size_t start = Open(field);
        if (!Object(value, *field.message, kind, depth + 1)) return false;
        Close(start);
        return true;
      }
      case WireKind::kTimestamp:
        return Time<google::protobuf::Timestamp>(value, field);
      case WireKind::kDuration:
        return value.get(text) == simdjson::SUCCESS && IsDuration(text) &&
               Time<google::protobuf::Duration>(value, field);
      case WireKind::kAmount:
        return Amount(value, field);
      case WireKind::kDouble:
        return Double(value, field.number);
      default:
        return Number(value, field);
    }
  }

  // Digits, with up to nine after a point, and "s".
  static bool IsDuration(std::string_view text) {
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

  // Timestamp and Duration have the same encoding.
  template <typename Message>
  bool Time(const element& value, const WireField& field) {
    std::string_view text;
    Message time;
    if (value.get(text) != simdjson::SUCCESS ||
        !TimeUtil::FromString(std::string(text), &time)) {
      return false;
    }
    const std::size_t start = Open(field);
    Tag(1, kVarintWire);
    Varint(static_cast<std::uint64_t>(time.seconds()));
    Tag(2, kVarintWire);
    Varint(static_cast<std::uint64_t>(std::int64_t{time.nanos()}));
    Close(start);
    return true;
  }

  // 2 and 3 are fields of google.protobuf.Value.
  bool Amount(const element& value, const WireField& field) {
    const std::size_t start = Open(field);
    std::string_view text;
    if (value.get(text) == simdjson::SUCCESS) {
      Text(3, text);
    } else if (!Double(value, 2)) {
      return false;
    }
    Close(start);
    return true;
  }

  bool Double(const element& value, std::uint32_t field) {
    double number = 0;
    std::int64_t whole = 0;
    if (value.get(whole) == simdjson::SUCCESS) {
      if (whole > kMaxExact || whole < -kMaxExact) return false;
      number = static_cast<double>(whole);
    } else if (!value.is_double() || value.get(number) != simdjson::SUCCESS) {
      return false;
    }
    Tag(field, kFixed64Wire);
    const auto bits = std::bit_cast<std::array<char, sizeof(number)>>(number);
    wire_.append(bits.data(), bits.size());
    return true;
  }

  bool Number(const element& value, const WireField& field) {
    const std::optional<std::int64_t> number = VarintOf(value, field);
    if (!number.has_value()) return false;
    Tag(field.number, kVarintWire);
    Varint(static_cast<std::uint64_t>(*number));
    return true;
  }

  // Returns the value of a varint; empty for anything unusual.
  static std::optional<std::int64_t> VarintOf(const element& value,
                                              const WireField& field) {
    bool truth = false;
    std::int64_t number = 0;
    std::string_view text;
    const bool is_whole = value.get(number) == simdjson::SUCCESS;
    const bool is_text = value.get(text) == simdjson::SUCCESS;
    switch (field.kind) {
      case WireKind::kBool:
        if (value.get(truth) == simdjson::SUCCESS) return truth ? 1 : 0;
        break;
      case WireKind::kEnum: {
        const auto* found =
            is_text ? field.names->FindValueByName(std::string(text)) : nullptr;
        if (found != nullptr) return found->number();
        break;
      }
      case WireKind::kInt32:
        if (is_whole && std::in_range<std::int32_t>(number)) return number;
        break;
      case WireKind::kUint32:
        if (is_whole && std::in_range<std::uint32_t>(number)) return number;
        break;
      case WireKind::kInt64:
        if (is_whole || (is_text && IsNumber(text, number))) return number;
        break;
      default:
        break;
    }
    return std::nullopt;
  }

  // 64-bit numbers are printed as strings.
  static bool IsNumber(std::string_view text, std::int64_t& number) {
    const char* const end = text.data() + text.size();
    const auto [stopped, error] = std::from_chars(text.data(), end, number);
    return error == std::errc() && stopped == end;
  }

  void Tag(std::uint32_t number, std::uint32_t wire_type) {
    Varint(number << 3U | wire_type);
  }

  void Varint(std::uint64_t value) {
    while (value >= 0x80) {
      wire_.push_back(static_cast<char>(value | 0x80U));
      value >>= 7U;
    }
    wire_.push_back(static_cast<char>(value));
  }

  void Text(std::uint32_t field, std::string_view text) {
    Tag(field, kDelimitedWire);
    Varint(text.size());
    wire_.append(text);
  }

  // Begins a nested message, with a length of always four bytes.
  std::size_t Open(const WireField& field) {
    Tag(field.number, kDelimitedWire);
    wire_.append(4, '\0');
    return wire_.size();
  }

  void Close(std::size_t start) {
    std::size_t length = wire_.size() - start;
    for (std::size_t i = start - 4; i < start; ++i) {
      wire_[i] =
          static_cast<char>((length & 0x7FU) | (i + 1 < start ? 0x80U : 0U));
      length >>= 7U;
    }
  }

  std::string& wire_;
};

// Readers differ on half surrogate pairs.
bool MayHaveSurrogates(std::string_view json) {
  return json.find("\\ud") != json.npos || json.find("\\uD") != json.npos;
}

}  // namespace

struct QuickReader::Parser {
  simdjson::dom::parser json;
};

QuickReader::QuickReader() : parser_(std::make_unique<Parser>()) {}
QuickReader::~QuickReader() = default;

bool QuickReader::Read(std::string_view json,
                       google::protobuf::Message& message) {
  element root;
  if (MayHaveSurrogates(json) ||
      parser_->json.parse(json.data(), json.size()).get(root) !=
          simdjson::SUCCESS) {
    return false;
  }
  wire_.clear();
  const WireType& type = WireType::Of(*message.GetDescriptor());
  if (Writer(wire_).Object(root, type, "", 0) &&
      message.ParseFromString(wire_)) {
    return true;
  }
  message.Clear();
  return false;
}

}  // namespace mulligan::cli
