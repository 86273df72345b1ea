#include "server/admission/wire_scan.h"

#include <google/protobuf/descriptor.h>
#include <google/protobuf/descriptor.pb.h>
#include <google/protobuf/message.h>

#include <algorithm>
#include <functional>
#include <map>
#include <mutex>
#include <string>

#include "policy/base/utf8.h"

namespace mulligan {
namespace {

using google::protobuf::Descriptor;
using google::protobuf::FieldDescriptor;

// A pointer in a list that doubles its size and keeps the old memory.
constexpr std::size_t kListEntry = 2 * sizeof(void*);
// Scalars in such a list, as a multiple of their size.
constexpr std::size_t kScalarGrowth = 3;
// A map's node and its share of the table, without key and value.
constexpr std::size_t kMapNode = 32;
// A map's entry as a message, without key and value.
constexpr std::size_t kMapEntry = 64;
// An unknown field in its set, or a nested set.
constexpr std::size_t kUnknownField = 48;
// Longest string stored inside the string object.
constexpr std::size_t kInlineText = 15;
constexpr std::size_t kHeapHeader = 16;
// As in protobuf, whose parser refuses deeper messages.
constexpr std::size_t kMaxDepth = 100;

enum WireType : std::uint8_t {
  kVarint = 0,
  kFixed64 = 1,
  kDelimited = 2,
  kGroupStart = 3,
  kGroupEnd = 4,
  kFixed32 = 5,
};

std::size_t ValueSize(const FieldDescriptor& field);

// Returns an object's size. A map's node includes key and value.
std::size_t SizeOf(const Descriptor& type) {
  if (type.options().map_entry()) {
    return kMapNode + ValueSize(*type.field(0)) + ValueSize(*type.field(1));
  }
  const google::protobuf::Message* prototype =
      google::protobuf::MessageFactory::generated_factory()->GetPrototype(
          &type);
  return prototype == nullptr ? kUnknownField : prototype->SpaceUsedLong();
}

std::size_t ScalarSize(const FieldDescriptor& field) {
  switch (field.cpp_type()) {
    case FieldDescriptor::CPPTYPE_INT64:
    case FieldDescriptor::CPPTYPE_UINT64:
    case FieldDescriptor::CPPTYPE_DOUBLE:
      return 8;
    case FieldDescriptor::CPPTYPE_BOOL:
      return 1;
    default:
      return 4;
  }
}

std::size_t ValueSize(const FieldDescriptor& field) {
  switch (field.cpp_type()) {
    case FieldDescriptor::CPPTYPE_MESSAGE:
      return SizeOf(*field.message_type());
    case FieldDescriptor::CPPTYPE_STRING:
      return sizeof(std::string);
    default:
      return ScalarSize(field);
  }
}

class Reader {
 public:
  explicit Reader(std::string_view wire)
      : at_(wire.data()), end_(wire.data() + wire.size()) {}

  const char* at() const { return at_; }
  bool done() const { return at_ >= end_; }
  std::size_t left() const { return static_cast<std::size_t>(end_ - at_); }

  bool Varint(std::uint64_t& value) {
    if (at_ < end_ && static_cast<std::uint8_t>(*at_) < 0x80) {
      value = static_cast<std::uint8_t>(*at_++);
      return true;
    }
    value = 0;
    for (unsigned shift = 0; shift < 64 && at_ < end_; shift += 7) {
      const auto byte = static_cast<std::uint8_t>(*at_++);
      value |= std::uint64_t{byte & 0x7FU} << shift;
      if (byte < 0x80) return true;
    }
    return false;
  }

  bool Skip(std::uint64_t bytes) {
    if (bytes > left()) return false;
    at_ += bytes;
    return true;
  }

 private:
  const char* at_;
  const char* const end_;
};

// Returns whether a map's entry is exactly its key and then its value; sets
// `key` to the key's bytes. Only string keys count.
bool IsPlainEntry(std::string_view entry, std::string_view& key) {
  constexpr char kKeyTag = (1 << 3) | kDelimited;
  constexpr unsigned char kValueNumber = 2;
  Reader reader(entry);
  std::uint64_t length = 0;
  if (!reader.Skip(1) || entry[0] != kKeyTag || !reader.Varint(length)) {
    return false;
  }
  key = std::string_view(reader.at(),
                         std::min<std::size_t>(length, reader.left()));
  if (!reader.Skip(length) || reader.done()) return false;
  const auto tag = static_cast<unsigned char>(*reader.at());
  if (tag >> 3U != kValueNumber || !reader.Skip(1)) return false;
  const bool read =
      reader.Varint(length) && ((tag & 7U) == kVarint || reader.Skip(length));
  return read && reader.done();
}

// Walks messages. Without kMeasures, only looks for invalid UTF-8.
template <bool kMeasures>
class Scan {
 public:
  explicit Scan(std::size_t bound) : bound_(bound) {}

  WireScan result() const { return {total_, has_invalid_utf8_}; }

  // Reads the fields of a message or, if `shape` is null, of an unknown one; a
  // group ends with its mark. Returns false where the scan ends.
  bool ReadMessage(const WireShape* shape, Reader& reader, std::size_t depth,
                   bool is_group) {
    static constexpr WireShape::Field kNone;
    if (depth == kMaxDepth) return false;
    Keys keys = 0;
    std::uint64_t tag = 0;
    std::uint64_t value = 0;
    while (!reader.done()) {
      if (!reader.Varint(tag)) return false;
      const auto number = static_cast<std::uint32_t>(
          std::min<std::uint64_t>(tag >> 3U, UINT32_MAX));
      const WireShape::Field& field =
          shape != nullptr ? shape->Find(number) : kNone;
      const auto type = static_cast<std::uint8_t>(tag & 7U);
      if (type == kGroupEnd) return is_group;
      Take(field.kind == Kind::kUnknown ? kUnknownField : field.bytes);
      bool read = false;
      switch (type) {
        case kVarint:
          read = reader.Varint(value);
          break;
        case kFixed64:
          read = reader.Skip(8);
          break;
        case kFixed32:
          read = reader.Skip(4);
          break;
        case kGroupStart:
          read = ReadMessage(nullptr, reader, depth + 1, /*is_group=*/true);
          break;
        case kDelimited: {
          if (!reader.Varint(value)) return false;
          const std::string_view contents(reader.at(), value);
          read =
              reader.Skip(value) && ReadContents(contents, field, depth, keys);
          break;
        }
        default:
          break;
      }
      if (!read || total_ > bound_) return false;
    }
    return !is_group;
  }

 private:
  using Kind = WireShape::Field::Kind;
  // The hashes of a message's map keys modulo 64; collisions count as repeated
  // keys.
  using Keys = std::uint64_t;

  void Take(std::size_t bytes) {
    if constexpr (kMeasures) total_ += bytes;
  }

  // Returns the bytes that a map's entry takes in addition to its node.
  static std::size_t ExtraEntryBytes(std::string_view entry,
                                     const WireShape::Field& field,
                                     Keys& keys) {
    std::string_view key;
    if (!IsPlainEntry(entry, key)) return field.extra_entry_bytes;
    const Keys bit = Keys{1} << (std::hash<std::string_view>()(key) % 64);
    const bool repeated = (keys & bit) != 0;
    keys |= bit;
    return repeated ? field.extra_entry_bytes : 0;
  }

  bool ReadContents(std::string_view contents, const WireShape::Field& field,
                    std::size_t depth, Keys& keys) {
    switch (field.kind) {
      case Kind::kMessage: {
        if (kMeasures && field.extra_entry_bytes > 0) {
          total_ += ExtraEntryBytes(contents, field, keys);
        }
        Reader part(contents);
        return ReadMessage(field.message, part, depth + 1, /*is_group=*/false);
      }
      case Kind::kScalar:
        Take(contents.size() * field.bytes);
        return true;
      case Kind::kText:
        has_invalid_utf8_ = has_invalid_utf8_ ||
                            FindInvalidUtf8(contents) != std::string_view::npos;
        [[fallthrough]];
      default:
        if (contents.size() > kInlineText) {
          Take(contents.size() + kHeapHeader);
        }
        return true;
    }
  }

  const std::size_t bound_;
  std::size_t total_ = 0;
  bool has_invalid_utf8_ = false;
};

template <bool kMeasures>
WireScan ScanAs(const WireShape& shape, std::string_view wire,
                std::size_t bound) {
  Scan<kMeasures> scan(bound);
  Reader reader(wire);
  scan.ReadMessage(&shape, reader, 0, /*is_group=*/false);
  return scan.result();
}

}  // namespace

class WireShape::Builder {
 public:
  const WireShape& Of(const Descriptor& type) {
    const auto [place, is_new] = shapes_.try_emplace(&type);
    if (!is_new) return *place->second;
    place->second = std::make_unique<WireShape>();
    // The map may move its nodes, but not the shape.
    WireShape& shape = *place->second;
    for (int i = 0; i < type.field_count(); ++i) Add(*type.field(i), shape);
    return shape;
  }

 private:
  void Add(const FieldDescriptor& field, WireShape& shape) {
    const auto number = static_cast<std::size_t>(field.number());
    if (number >= shape.count_) {
      shape.count_ = number + 1;
      shape.fields_.resize(shape.count_);
    }
    Field made;
    std::size_t bytes = 0;
    const bool in_node = field.containing_type()->options().map_entry();
    if (field.cpp_type() == FieldDescriptor::CPPTYPE_MESSAGE) {
      made.kind = Field::Kind::kMessage;
      made.message = &Of(*field.message_type());
      if (field.is_map()) {
        made.extra_entry_bytes = static_cast<std::uint32_t>(
            kMapEntry + ValueSize(*field.message_type()->field(0)) +
            ValueSize(*field.message_type()->field(1)));
      }
      bytes = ValueSize(field) + (field.is_repeated() ? kListEntry : 0);
    } else if (field.cpp_type() == FieldDescriptor::CPPTYPE_STRING) {
      made.kind = field.type() == FieldDescriptor::TYPE_BYTES
                      ? Field::Kind::kBytes
                      : Field::Kind::kText;
      bytes = ValueSize(field) + (field.is_repeated() ? kListEntry : 0);
    } else {
      made.kind = Field::Kind::kScalar;
      bytes = field.is_repeated() ? ScalarSize(field) * kScalarGrowth : 0;
    }
    made.bytes = in_node ? 0 : static_cast<std::uint32_t>(bytes);
    shape.fields_[number] = made;
  }

  std::map<const Descriptor*, std::unique_ptr<WireShape>> shapes_;
};

const WireShape& WireShape::Of(const Descriptor& type) {
  static std::mutex mutex;
  static auto* const builder = new Builder;  // used until the process ends
  const std::lock_guard lock(mutex);
  return builder->Of(type);
}

WireScan ScanWire(const WireShape& shape, std::string_view wire,
                  std::size_t bound) {
  return ScanAs</*kMeasures=*/true>(shape, wire, bound);
}

bool HasInvalidUtf8(const WireShape& shape, std::string_view wire) {
  return ScanAs</*kMeasures=*/false>(shape, wire, 0).has_invalid_utf8;
}

bool HasField(std::string_view wire, int number) {
  Reader reader(wire);
  std::uint64_t tag = 0;
  std::uint64_t length = 0;
  while (reader.Varint(tag)) {
    if (tag >> 3U == static_cast<std::uint64_t>(number)) return true;
    bool skipped = false;
    switch (tag & 7U) {
      case kVarint:
        skipped = reader.Varint(length);
        break;
      case kFixed64:
        skipped = reader.Skip(8);
        break;
      case kFixed32:
        skipped = reader.Skip(4);
        break;
      case kDelimited:
        skipped = reader.Varint(length) && reader.Skip(length);
        break;
      case kGroupStart:
      case kGroupEnd:
        // Group marks have no contents.
        skipped = true;
        break;
      default:
        break;
    }
    if (!skipped) return false;
  }
  return false;
}

}  // namespace mulligan
