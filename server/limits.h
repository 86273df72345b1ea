// Bounds of the transport; those on requests are in policy/limits.h. Each has a
// test at the bound and one past it.
#ifndef MULLIGAN_SERVER_LIMITS_H_
#define MULLIGAN_SERVER_LIMITS_H_

#include <cstddef>

#include "policy/limits.h"

namespace mulligan {

// One request message, in bytes, unless --max-message-bytes says otherwise.
inline constexpr int kDefaultMaxMessageBytes =
    static_cast<int>(kMaxRequestBytes);
// Range of --max-message-bytes.
inline constexpr int kMinMaxMessageBytes = 64 << 10;
inline constexpr int kMaxMaxMessageBytes = 64 << 20;

// CheckPolicy: number of files, and bytes of each.
inline constexpr int kMaxCheckedFiles = 100;
inline constexpr std::size_t kMaxCheckedFileBytes = 256 << 10;

// An error travels in HTTP/2 trailers, which clients cap at 8 KiB after base64;
// beyond that the caller would see a transport error instead of ours.
inline constexpr std::size_t kMaxErrorMessageBytes = 512;
inline constexpr std::size_t kMaxErrorDetailBytes = 3000;

}  // namespace mulligan

#endif  // MULLIGAN_SERVER_LIMITS_H_
