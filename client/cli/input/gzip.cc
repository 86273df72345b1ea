#include "client/cli/input/gzip.h"

#include <zlib.h>

#include <array>
#include <utility>

#include "absl/cleanup/cleanup.h"
#include "absl/status/status.h"
#include "absl/strings/str_format.h"
#include "client/cli/base/errors.h"

namespace mulligan::cli {

bool IsGzip(std::string_view bytes) { return bytes.starts_with("\x1f\x8b"); }

std::string_view OtherDecompressor(std::string_view bytes) {
  using namespace std::string_view_literals;
  static constexpr std::pair<std::string_view, std::string_view> kMagic[] = {
      {"\x28\xb5\x2f\xfd"sv, "zstd -dc"sv},
      {"\xfd\x37zXZ\0"sv, "xz -dc"sv},
      {"\x42Zh"sv, "bzip2 -dc"sv},
      {"\x04\x22\x4d\x18"sv, "lz4 -dc"sv}};
  for (const auto& [magic, reader] : kMagic) {
    if (bytes.starts_with(magic)) return reader;
  }
  return "";
}

std::string OtherCompression(std::string_view bytes) {
  return absl::StrFormat(
      "is compressed, expected text or gzip; what %s writes can be read from "
      "standard input, \"-\"",
      OtherDecompressor(bytes));
}

absl::StatusOr<std::string> Gunzip(std::string_view bytes, std::size_t most) {
  z_stream stream = {};
  if (inflateInit2(&stream, kGzipWindow) != Z_OK) {
    return absl::ResourceExhaustedError("no memory to decompress");
  }
  const absl::Cleanup end = [&stream] { inflateEnd(&stream); };
  // zlib's interface lacks const.
  stream.next_in = reinterpret_cast<Bytef*>(const_cast<char*>(bytes.data()));
  stream.avail_in = static_cast<uInt>(bytes.size());
  std::string text;
  std::array<char, 1 << 16> buffer;
  int code = Z_OK;
  while (code == Z_OK || (code == Z_STREAM_END && stream.avail_in > 0)) {
    if (code == Z_STREAM_END) {
      const std::string_view rest =
          bytes.substr(bytes.size() - stream.avail_in);
      if (!IsGzip(rest)) {
        return Invalid(
            "has %d bytes behind the end of the gzip that are "
            "no gzip, expected "
            "nothing there",
            rest.size());
      }
      inflateReset(&stream);
    }
    stream.next_out = reinterpret_cast<Bytef*>(buffer.data());
    stream.avail_out = static_cast<uInt>(buffer.size());
    code = inflate(&stream, Z_NO_FLUSH);
    text.append(buffer.data(), buffer.size() - stream.avail_out);
    if (text.size() > most) {
      return Invalid("is larger than %d MiB when decompressed", most >> 20);
    }
  }
  if (code == Z_STREAM_END) return text;
  return Invalid("is gzip that is damaged or cut off, expected all of it");
}

}  // namespace mulligan::cli
