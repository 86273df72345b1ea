// Compressed inputs: `kubectl ... | gzip > pods.json.gz`.
#ifndef MULLIGAN_CLIENT_CLI_INPUT_GZIP_H_
#define MULLIGAN_CLIENT_CLI_INPUT_GZIP_H_

#include <cstddef>
#include <string>
#include <string_view>

#include "absl/status/statusor.h"

namespace mulligan::cli {

// Returns whether `bytes` begin like gzip (RFC 1952).
bool IsGzip(std::string_view bytes);

// For zlib: the largest window, with a gzip header.
inline constexpr int kGzipWindow = 15 + 16;

// The number of leading bytes that identify a compression.
inline constexpr std::size_t kMaxMagicBytes = 6;

// Returns the command that decompresses another format, such as "zstd -dc";
// empty if `bytes` are in no known format.
std::string_view OtherDecompressor(std::string_view bytes);
// Returns the error for a log in another compression.
std::string OtherCompression(std::string_view bytes);

// Decompresses `bytes`, one or more gzip members. INVALID_ARGUMENT if they are
// damaged or cut off, or exceed `most` bytes decompressed.
absl::StatusOr<std::string> Gunzip(std::string_view bytes, std::size_t most);

}  // namespace mulligan::cli

#endif  // MULLIGAN_CLIENT_CLI_INPUT_GZIP_H_
