#include "client/cli/quick_printer.h"

#include <bit>
#include <charconv>
#include <cmath>
#include <cstdint>
#include <cstdlib>
#include <string_view>

#include "absl/strings/str_format.h"
#include "client/cli/proto_json.h"
#include "client/cli/wire_types.h"
#include "google/protobuf/io/coded_stream.h"
#include "google/protobuf/io/zero_copy_stream_impl_lite.h"
#include "google/protobuf/util/time_util.h"
#include "google/protobuf/wrappers.pb.h"

namespace mulligan::cli {
namespace {

using google::protobuf::util::TimeUtil;

// Reads the wire format of a message that was just written.
class Reader {
 public:
  explicit Reader(std::string_view wire) : wire_(wire) {}

  bool done() const { return wire_.empty(); }

  std::uint64_t Varint() {
    std::uint64_t value = 0;
    for (unsigned shift = 0; !done(); shift += 7) {
      const auto byte = static_cast<std::uint8_t>(wire_.front());
      wire_.remove_prefix(1);
      value |= std::uint64_t{byte & 0x7FU} << shift;
      if (byte < 0x80) break;
    }
    return value;
  }

  std::string_view Bytes(std::size_t size) {
    const std::string_view bytes = wire_.substr(0, size);
    wire_.remove_prefix(bytes.size());
    return bytes;
  }

  std::string_view Delimited() { return Bytes(Varint()); }

  double Double() {
    std::uint64_t bits = 0;
    unsigned shift = 0;
    for (const char byte : Bytes(sizeof(bits))) {
      bits |= std::uint64_t{static_cast<std::uint8_t>(byte)} << shift;
      shift += 8;
    }
    return std::bit_cast<double>(bits);
  }

 private:
  std::string_view wire_;
};

// Whether protobuf writes it as it is.
bool IsPlain(char c) {
  return c >= ' ' && c < 0x7F && c != '"' && c != '\\' && c != '<' && c != '>';
}

// Functions return false for what is rare.
class Printer {
 public:
  explicit Printer(std::string& json) : json_(json) {}

  bool Object(std::string_view wire, const WireType& type) {
    json_.push_back('{');
    Reader reader(wire);
    const WireField* open = nullptr;
    const std::size_t start = json_.size();
    while (!reader.done()) {
      const auto tag = static_cast<std::uint32_t>(reader.Varint());
      const WireField* field = type.Find(tag >> 3U);
      if (field == nullptr) return false;
      // Elements of a list follow one another.
      if (field != open) {
        CloseList(open);
        if (json_.size() > start) json_.push_back(',');
        json_ += field->label;
        if (field->repeated) json_.push_back(field->map ? '{' : '[');
      } else if (field->repeated) {
        json_.push_back(',');
      } else {
        return false;
      }
      open = field;
      if (!Member(reader, *field, tag & 7U)) return false;
    }
    CloseList(open);
    json_.push_back('}');
    return true;
  }

 private:
  void CloseList(const WireField* field) {
    if (field == nullptr || !field->repeated) return;
    json_.push_back(field->map ? '}' : ']');
  }

  bool Member(Reader& reader, const WireField& field, std::uint32_t wire_type) {
    if (field.map) return Entry(reader.Delimited(), field);
    const bool packed = field.repeated && wire_type == kDelimitedWire &&
                        field.kind < WireKind::kString;
    if (!packed) return Value(reader, field);
    Reader elements(reader.Delimited());
    while (!elements.done()) {
      if (!Value(elements, field)) return false;
      if (!elements.done()) json_.push_back(',');
    }
    return true;
  }

  // Key and value are always written, in this order.
  bool Entry(std::string_view wire, const WireField& map) {
    const WireField& key = *map.message->Find(1U);
    const WireField& value = *map.message->Find(2U);
    if (key.kind != WireKind::kString) return false;
    Reader reader(wire);
    if (reader.Varint() >> 3U != 1 || !Value(reader, key)) return false;
    json_.push_back(':');
    return reader.Varint() >> 3U == 2 && Value(reader, value);
  }

  bool Value(Reader& reader, const WireField& field) {
    switch (field.kind) {
      case WireKind::kInt32:
        Integer(static_cast<std::int32_t>(reader.Varint()));
        return true;
      case WireKind::kUint32:
        Integer(static_cast<std::uint32_t>(reader.Varint()));
        return true;
      case WireKind::kInt64:
        // Too large for what reads JSON numbers as doubles.
        json_.push_back('"');
        Integer(static_cast<std::int64_t>(reader.Varint()));
        json_.push_back('"');
        return true;
      case WireKind::kBool:
        json_ += reader.Varint() != 0 ? "true" : "false";
        return true;
      case WireKind::kEnum:
        return Enum(static_cast<std::int32_t>(reader.Varint()), field);
      case WireKind::kDouble:
        return Double(reader.Double());
      case WireKind::kString:
        return Text(reader.Delimited());
      case WireKind::kMessage:
        return Object(reader.Delimited(), *field.message);
      case WireKind::kTimestamp:
        return Time<google::protobuf::Timestamp>(reader.Delimited());
      case WireKind::kDuration:
        return Time<google::protobuf::Duration>(reader.Delimited());
      default:
        return false;
    }
  }

  template <typename Int>
  void Integer(Int value) {
    char digits[24];
    const auto [end, error] =
        std::to_chars(digits, digits + sizeof(digits), value);
    json_.append(digits, end);
  }

  bool Enum(std::int32_t number, const WireField& field) {
    const auto* value = field.names->FindValueByNumber(number);
    if (value == nullptr) {
      Integer(number);
    } else {
      json_.push_back('"');
      json_ += value->name();
      json_.push_back('"');
    }
    return true;
  }

  // Fifteen digits when they say it all, as protobuf prints numbers.
  bool Double(double value) {
    if (!std::isfinite(value)) return false;
    std::string text = absl::StrFormat("%.15g", value);
    if (std::strtod(text.c_str(), nullptr) != value) {
      text = absl::StrFormat("%.17g", value);
    }
    json_ += text;
    return true;
  }

  bool Text(std::string_view text) {
    json_.push_back('"');
    std::size_t copied = 0;
    for (std::size_t at = 0; at < text.size(); ++at) {
      if (IsPlain(text[at])) continue;
      json_.append(text, copied, at - copied);
      if (!Escape(text[at])) return Rare(text.substr(at));
      copied = at + 1;
    }
    json_.append(text, copied);
    json_.push_back('"');
    return true;
  }

  bool Escape(char c) {
    switch (c) {
      case '"':
        json_ += "\\\"";
        return true;
      case '\\':
        json_ += "\\\\";
        return true;
      case '\n':
        json_ += "\\n";
        return true;
      case '\t':
        json_ += "\\t";
        return true;
      case '<':
        json_ += "\\u003c";
        return true;
      case '>':
        json_ += "\\u003e";
        return true;
      default:
        return false;
    }
  }

  // The rest of a text with other characters, of which protobuf escapes some.
  bool Rare(std::string_view rest) {
    google::protobuf::StringValue value;
    value.set_value(std::string(rest));
    const auto printed = PrintProtoJson(value, JsonLayout::kCompact);
    if (!printed.ok()) return false;
    // Without its first quote and its line break.
    json_.append(*printed, 1, printed->size() - 2);
    return true;
  }

  template <typename Message>
  bool Time(std::string_view wire) {
    Message time;
    if (!time.ParseFromArray(wire.data(), static_cast<int>(wire.size())) ||
        !IsPrintable(time)) {
      return false;
    }
    json_.push_back('"');
    json_ += TimeUtil::ToString(time);
    json_.push_back('"');
    return true;
  }

  static bool IsFraction(std::int64_t nanos) {
    return nanos >= 0 && nanos < 1'000'000'000;
  }
  static bool IsPrintable(const google::protobuf::Timestamp& time) {
    return time.seconds() >= TimeUtil::kTimestampMinSeconds &&
           time.seconds() <= TimeUtil::kTimestampMaxSeconds &&
           IsFraction(time.nanos());
  }
  // Those that go back are rare.
  static bool IsPrintable(const google::protobuf::Duration& time) {
    return time.seconds() >= 0 &&
           time.seconds() <= TimeUtil::kDurationMaxSeconds &&
           IsFraction(time.nanos());
  }

  std::string& json_;
};

// Map entries in key order: the same message gives the same text.
void Serialize(const google::protobuf::Message& message, std::string& wire) {
  google::protobuf::io::StringOutputStream stream(&wire);
  google::protobuf::io::CodedOutputStream coded(&stream);
  coded.SetSerializationDeterministic(true);
  message.SerializeToCodedStream(&coded);
}

}  // namespace

bool QuickPrint(const google::protobuf::Message& message, std::string& json) {
  const std::size_t start = json.size();
  std::string wire;
  Serialize(message, wire);
  if (Printer(json).Object(wire, WireType::Of(*message.GetDescriptor()))) {
    return true;
  }
  json.resize(start);
  return false;
}

}  // namespace mulligan::cli
