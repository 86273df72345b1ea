// Inputs that were compressed: `kubectl ... | gzip > pods.json.gz`.
#ifndef MULLIGAN_CLIENT_CLI_INPUT_GZIP_H_
#define MULLIGAN_CLIENT_CLI_INPUT_GZIP_H_

#include <cstddef>
#include <string>
#include <string_view>

#include "absl/status/statusor.h"

namespace mulligan::cli {

// Whether `bytes` begin as gzip's do (RFC 1952).
bool IsGzip(std::string_view bytes);

// For zlib: the largest window, and gzip's header before it.
inline constexpr int kGzipWindow = 15 + 16;

// So many bytes tell how something is compressed.
inline constexpr std::size_t kMostMagicBytes = 6;

// Of other compressions: what reads them, "zstd -dc"; empty: `bytes` begin as
// none of them does.
std::string_view OtherDecompressor(std::string_view bytes);
// What is wrong with a log of such bytes.
std::string OtherCompression(std::string_view bytes);

// What `bytes`, one or more members of gzip, hold. INVALID_ARGUMENT for bytes
// that are damaged or cut off, and for more than `most`.
absl::StatusOr<std::string> Gunzip(std::string_view bytes, std::size_t most);

}  // namespace mulligan::cli

#endif  // MULLIGAN_CLIENT_CLI_INPUT_GZIP_H_
