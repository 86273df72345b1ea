// What a request would take once it is parsed, and whether its texts are
// UTF-8, told from its bytes.
//
// Two bytes of a message can become hundreds: an empty member is an object, an
// empty text a string. The scan walks the wire format with the sizes of the
// generated messages and allocates nothing, so that such a request is refused
// before it costs what it is after. It takes a fifth of the time of parsing.
#ifndef MULLIGAN_SERVER_ADMISSION_WIRE_SCAN_H_
#define MULLIGAN_SERVER_ADMISSION_WIRE_SCAN_H_

#include <google/protobuf/descriptor.h>

#include <cstddef>
#include <cstdint>
#include <memory>
#include <string_view>
#include <vector>

namespace mulligan {

// A message type as the scan sees it. Immutable; safe to share.
class WireShape {
 public:
  // Of a type and all it contains. Built once for a type, kept for ever.
  static const WireShape& Of(const google::protobuf::Descriptor& type);

  // What one field takes when it occurs once more.
  struct Field {
    enum class Kind : std::uint8_t {
      kUnknown,
      kScalar,
      kBytes,
      kText,
      kMessage
    };
    Kind kind = Kind::kUnknown;
    // Bytes in memory for an occurrence, without contents; for packed scalars
    // for an element.
    std::uint32_t bytes = 0;
    const WireShape* message = nullptr;  // of kMessage
    // Of a map: bytes that an entry takes besides when it is no plain one (key
    // and value, in this order) or its key came before. The parser makes a
    // message of it first, which stays until the request goes.
    std::uint32_t odd_entry = 0;
  };

  // kUnknown for a number the type does not have.
  const Field& Find(std::uint32_t number) const {
    return number < fields_.size() ? fields_[number] : fields_[0];
  }

 private:
  class Builder;
  // By number; 0 is no field.
  std::vector<Field> fields_{1};
};

struct WireScan {
  // Of memory that parsing takes, rather too many than too few.
  std::size_t parsed_bytes = 0;
  // Some text is not UTF-8. The parser lets it pass in messages of Kubernetes
  // (proto2), and no answer that holds such a text can be read.
  bool has_odd_text = false;
};

// Of `wire` as a message of `shape`. Stops where more than `bound` bytes are
// counted. Of malformed bytes what stands before the fault is looked at, as
// parsing goes no further.
WireScan ScanWire(const WireShape& shape, std::string_view wire,
                  std::size_t bound);

// Whether some text of `wire` is not UTF-8, or could be: a quarter of the time
// of ScanWire. Bytes that no encoder writes count as if one were.
bool MayHaveOddText(const WireShape& shape, std::string_view wire);

// Whether a message has the field at its top level. Of malformed bytes those
// before the fault count.
bool HasField(std::string_view wire, int number);

}  // namespace mulligan

#endif  // MULLIGAN_SERVER_ADMISSION_WIRE_SCAN_H_
