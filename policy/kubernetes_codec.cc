#include "policy/kubernetes_codec.h"

#include <cstddef>
#include <cstdint>
#include <cstring>
#include <limits>
#include <utility>

#include "absl/status/status.h"
#include "absl/strings/str_format.h"
#include "mulligan/kubernetes/meta/v1/unknown.pb.h"

namespace mulligan {
namespace {

constexpr std::string_view kMagic("k8s\0", 4);
constexpr std::string_view kProtobufType =
    "application/vnd.kubernetes.protobuf";
constexpr std::string_view kReplacement = "\xEF\xBF\xBD";

// Length of the run of ASCII at the start of `text`, eight bytes at a time.
std::size_t AsciiPrefix(std::string_view text) {
  std::size_t length = 0;
  for (; text.size() - length >= sizeof(std::uint64_t);
       length += sizeof(std::uint64_t)) {
    std::uint64_t word = 0;
    std::memcpy(&word, text.data() + length, sizeof(word));
    if ((word & 0x8080808080808080U) != 0) break;
  }
  while (length < text.size() &&
         static_cast<unsigned char>(text[length]) < 0x80U) {
    ++length;
  }
  return length;
}

struct Sequence {
  std::size_t length;  // bytes of the character, or of the ill-formed subpart
  bool valid;
};

// What may follow a lead byte: the number of continuation bytes and the range
// of the first of them (Unicode standard, table 3-7).
struct Lead {
  std::size_t continuations;  // 0: not a lead byte
  unsigned char low;
  unsigned char high;
};

Lead LeadOf(unsigned char byte) {
  if (byte >= 0xC2 && byte <= 0xDF) return {1, 0x80, 0xBF};
  if (byte == 0xE0) return {2, 0xA0, 0xBF};
  if (byte == 0xED) return {2, 0x80, 0x9F};
  if (byte >= 0xE1 && byte <= 0xEF) return {2, 0x80, 0xBF};
  if (byte == 0xF0) return {3, 0x90, 0xBF};
  if (byte == 0xF4) return {3, 0x80, 0x8F};
  if (byte >= 0xF1 && byte <= 0xF3) return {3, 0x80, 0xBF};
  return {0, 0, 0};
}

// `text` must begin with a byte outside ASCII.
Sequence NextSequence(std::string_view text) {
  const Lead lead = LeadOf(static_cast<unsigned char>(text.front()));
  if (lead.continuations == 0) return {1, false};
  unsigned char low = lead.low;
  unsigned char high = lead.high;
  std::size_t length = 1;
  for (; length <= lead.continuations; ++length) {
    if (length == text.size()) return {length, false};
    const auto byte = static_cast<unsigned char>(text[length]);
    if (byte < low || byte > high) return {length, false};
    low = 0x80;
    high = 0xBF;
  }
  return {length, true};
}

// Length of the well-formed text at the start of `text`.
std::size_t ValidPrefix(std::string_view text) {
  std::size_t length = 0;
  while (true) {
    length += AsciiPrefix(text.substr(length));
    if (length == text.size()) return length;
    const Sequence sequence = NextSequence(text.substr(length));
    if (!sequence.valid) return length;
    length += sequence.length;
  }
}

}  // namespace

bool HasKubernetesEnvelope(std::string_view bytes) {
  return bytes.substr(0, kMagic.size()) == kMagic;
}

absl::StatusOr<EnvelopedObject> UnwrapKubernetesEnvelope(
    std::string_view bytes) {
  if (!HasKubernetesEnvelope(bytes)) {
    return absl::InvalidArgumentError(
        "no Kubernetes envelope: expected the bytes 6b 38 73 00 first");
  }
  bytes.remove_prefix(kMagic.size());
  kubernetes::meta::v1::Unknown envelope;
  if (bytes.size() > std::numeric_limits<int>::max() ||
      !envelope.ParseFromArray(bytes.data(), static_cast<int>(bytes.size()))) {
    return absl::InvalidArgumentError(
        "the Kubernetes envelope is damaged: expected a runtime.Unknown "
        "message after the bytes 6b 38 73 00");
  }
  if (!envelope.content_encoding().empty()) {
    return absl::UnimplementedError(absl::StrFormat(
        "the Kubernetes envelope has contentEncoding '%s': expected none",
        SanitizeUtf8(envelope.content_encoding())));
  }
  if (!envelope.content_type().empty() &&
      envelope.content_type() != kProtobufType) {
    return absl::UnimplementedError(absl::StrFormat(
        "the Kubernetes envelope has contentType '%s': expected '%s'",
        SanitizeUtf8(envelope.content_type()), kProtobufType));
  }
  return EnvelopedObject{
      .api_version =
          std::move(*envelope.mutable_type_meta()->mutable_api_version()),
      .kind = std::move(*envelope.mutable_type_meta()->mutable_kind()),
      .raw = std::move(*envelope.mutable_raw())};
}

bool IsSet(const google::protobuf::Timestamp& time) {
  return time.seconds() > 0;
}

std::string SanitizeUtf8(std::string_view text) {
  std::size_t valid = ValidPrefix(text);
  if (valid == text.size()) return std::string(text);
  std::string clean;
  clean.reserve(text.size() + kReplacement.size());
  while (true) {
    clean.append(text.substr(0, valid));
    text.remove_prefix(valid);
    if (text.empty()) return clean;
    clean.append(kReplacement);
    text.remove_prefix(NextSequence(text).length);
    valid = ValidPrefix(text);
  }
}

}  // namespace mulligan
