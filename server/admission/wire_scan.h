// Estimates the memory of a parsed request from its bytes, and checks its
// strings for UTF-8.
//
// Two bytes of a message can become hundreds in memory: an empty member is an
// object, an empty string a string object. The scan walks the wire format with
// the sizes of the generated messages and allocates nothing, so that such a
// request is refused cheaply. It takes a fifth of the time of parsing.
#ifndef MULLIGAN_SERVER_ADMISSION_WIRE_SCAN_H_
#define MULLIGAN_SERVER_ADMISSION_WIRE_SCAN_H_

#include <google/protobuf/descriptor.h>

#include <cstddef>
#include <cstdint>
#include <memory>
#include <string_view>
#include <vector>

namespace mulligan {

// A message type for the scan. Immutable; safe to share.
class WireShape {
 public:
  // Returns the shape of a type and its parts. Built once and never freed.
  static const WireShape& Of(const google::protobuf::Descriptor& type);

  // The memory that another occurrence of a field takes.
  struct Field {
    enum class Kind : std::uint8_t {
      kUnknown,
      kScalar,
      kBytes,
      kText,
      kMessage
    };
    Kind kind = Kind::kUnknown;
    // Bytes per occurrence, without contents; per element if packed.
    std::uint32_t bytes = 0;
    const WireShape* message = nullptr;  // for kMessage
    // For a map: additional bytes of an entry that is not plain (key, then
    // value) or repeats a key. The parser turns it into a message that lives as
    // long as the request.
    std::uint32_t extra_entry_bytes = 0;
  };

  // Returns a field of kUnknown if the type has no such number.
  const Field& Find(std::uint32_t number) const {
    return number < count_ ? fields_[number] : fields_[0];
  }

 private:
  class Builder;
  // By number; 0 is no field.
  std::vector<Field> fields_{1};
  std::size_t count_ = 1;  // of fields_
};

struct WireScan {
  // Bytes of memory that parsing takes; an upper estimate.
  std::size_t parsed_bytes = 0;
  // Whether a string is not UTF-8. The parser accepts that in messages of
  // Kubernetes (proto2), but callers cannot read an answer with such a string.
  bool has_invalid_utf8 = false;
};

// Scans `wire` as a message of `shape`. Stops above `bound` bytes, and at an
// error in malformed bytes, as the parser does.
WireScan ScanWire(const WireShape& shape, std::string_view wire,
                  std::size_t bound);

// Returns the same WireScan.has_invalid_utf8, without the time for the estimate
// and without a bound.
bool HasInvalidUtf8(const WireShape& shape, std::string_view wire);

// Returns whether a message has the field at its top level, up to an error in
// malformed bytes.
bool HasField(std::string_view wire, int number);

}  // namespace mulligan

#endif  // MULLIGAN_SERVER_ADMISSION_WIRE_SCAN_H_
