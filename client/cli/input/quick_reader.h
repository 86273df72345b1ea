// Reads common requests in one pass, by tables of fields.
#ifndef MULLIGAN_CLIENT_CLI_INPUT_QUICK_READER_H_
#define MULLIGAN_CLIENT_CLI_INPUT_QUICK_READER_H_

#include <cstdint>
#include <functional>
#include <memory>
#include <string>
#include <string_view>
#include <unordered_map>
#include <unordered_set>
#include <vector>

#include "google/protobuf/descriptor.h"
#include "google/protobuf/message.h"

namespace mulligan::cli {

// Reads JSON ten times as fast as the slow path (the checks in json_text.h and
// report_builder.h, then protobuf), for millions of lines. Not thread-safe,
// because it reuses memory.
class QuickReader {
 public:
  QuickReader();
  ~QuickReader();
  QuickReader(const QuickReader&) = delete;
  QuickReader& operator=(const QuickReader&) = delete;

  // Returns true if `message` equals the result of the slow path, without
  // warnings. Returns false, with `message` empty, if `json` is invalid,
  // deserves a warning or is unusual; then use the slow path. REQUIRES:
  // `message` is empty.
  bool Read(std::string_view json, google::protobuf::Message& message);

 private:
  struct Parser;
  const std::unique_ptr<Parser> parser_;
  // The encoded message.
  std::string wire_;
};

enum class WireKind : std::uint8_t {
  kInt32,
  kInt64,
  kUint32,
  kBool,
  kEnum,
  kDouble,
  kString,
  kMessage,
  kTimestamp,
  kDuration,
  // A google.protobuf.Value with a string or number.
  kAmount,
  // Bytes, Struct, Any, fixed and unsigned 64-bit numbers: too rare to be fast.
  kOther,
};

// Wire types, the low bits of a tag.
inline constexpr std::uint32_t kVarintWire = 0;
inline constexpr std::uint32_t kFixed64Wire = 1;
inline constexpr std::uint32_t kDelimitedWire = 2;

class WireType;

struct WireField {
  std::uint32_t number = 0;
  WireKind kind = WireKind::kOther;
  bool repeated = false;
  // A repeated message of key (1) and value (2), an object in JSON.
  bool map = false;
  // Index among the type's fields, and among its oneofs (-1 if in none).
  int index = 0;
  int oneof = -1;
  // The JSON name.
  std::string name;
  const WireType* message = nullptr;                        // of kMessage
  const google::protobuf::EnumDescriptor* names = nullptr;  // of kEnum
};

// Immutable once built; never destroyed.
class WireType {
 public:
  static const WireType& Of(const google::protobuf::Descriptor& type);

  const google::protobuf::Descriptor& descriptor() const { return *type_; }

  // Finds a field by any spelling that protobuf accepts; null if unknown.
  const WireField* Find(std::string_view name) const {
    const auto found = by_name_.find(name);
    return found == by_name_.end() ? nullptr : found->second;
  }
  // Returns whether `name`, which is not a field, differs from one only in case
  // and underscores. Protobuf may accept it.
  bool MayMean(std::string_view name) const;

 private:
  class Builder;
  struct Hash : std::hash<std::string_view> {
    using is_transparent = void;
  };

  const google::protobuf::Descriptor* type_ = nullptr;
  std::vector<WireField> fields_;
  std::unordered_map<std::string, const WireField*, Hash, std::equal_to<>>
      by_name_;
  // Names in lower case without underscores.
  std::unordered_set<std::string> folded_;
};

}  // namespace mulligan::cli

#endif  // MULLIGAN_CLIENT_CLI_INPUT_QUICK_READER_H_
