// The usual request, read in one pass, and the tables of fields that it reads
// by.
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

// Reads JSON a tenth as long as the careful way does (checks in json_text.h and
// report_builder.h, then protobuf), for lines by the million.
// Not thread-safe: memory is kept for the next request.
class QuickReader {
 public:
  QuickReader();
  ~QuickReader();
  QuickReader(const QuickReader&) = delete;
  QuickReader& operator=(const QuickReader&) = delete;

  // True: `message`, empty before, is what the careful way makes of `json`,
  // which has nothing to warn of. False: something about it is wrong, worth a
  // warning, or just rare; `message` is empty, and the careful way is to tell.
  bool Read(std::string_view json, google::protobuf::Message& message);

 private:
  struct Parser;
  const std::unique_ptr<Parser> parser_;
  // The message on the wire.
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
  // google.protobuf.Value that is a string or a number: an amount.
  kAmount,
  // Bytes, Struct, Any, fixed and unsigned long numbers: too rare for a quick
  // way.
  kOther,
};

// As it stands in the low bits of a tag.
inline constexpr std::uint32_t kVarintWire = 0;
inline constexpr std::uint32_t kFixed64Wire = 1;
inline constexpr std::uint32_t kDelimitedWire = 2;

class WireType;

struct WireField {
  std::uint32_t number = 0;
  WireKind kind = WireKind::kOther;
  bool repeated = false;
  // A repeated message of key (1) and value (2) that JSON shows as an object.
  bool map = false;
  // Place among the type's fields, and among its oneofs; -1: in none.
  int index = 0;
  int oneof = -1;
  // As JSON has it.
  std::string name;
  const WireType* message = nullptr;                        // of kMessage
  const google::protobuf::EnumDescriptor* names = nullptr;  // of kEnum
};

// Immutable once built; lives for ever.
class WireType {
 public:
  static const WireType& Of(const google::protobuf::Descriptor& type);

  const google::protobuf::Descriptor& descriptor() const { return *type_; }

  // By any spelling protobuf knows; null: not a field.
  const WireField* Find(std::string_view name) const {
    const auto found = by_name_.find(name);
    return found == by_name_.end() ? nullptr : found->second;
  }
  // Whether `name`, which is not a field, differs from one in case and
  // underscores only: protobuf may take it.
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
  // In lower case and without underscores.
  std::unordered_set<std::string> folded_;
};

}  // namespace mulligan::cli

#endif  // MULLIGAN_CLIENT_CLI_INPUT_QUICK_READER_H_
