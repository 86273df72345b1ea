// Bounds on what one call may carry. Bounds on the fields of a report are in
// policy/limits.h. Each has a test at the bound and one past it.
#ifndef MULLIGAN_SERVER_LIMITS_H_
#define MULLIGAN_SERVER_LIMITS_H_

#include <cstddef>

namespace mulligan {

// One request message, in bytes, unless --max-message-bytes says otherwise: a
// gang of 1,000 pods with a few kilobytes each.
inline constexpr int kDefaultMaxMessageBytes = 8 << 20;
// Range of --max-message-bytes.
inline constexpr int kMinMaxMessageBytes = 64 << 10;
inline constexpr int kMaxMaxMessageBytes = 64 << 20;

// Requests in one BatchDecide.
inline constexpr int kMaxBatchItems = 1000;

// CheckPolicy: number of files, and bytes of each.
inline constexpr int kMaxCheckedFiles = 100;
inline constexpr std::size_t kMaxCheckedFileBytes = 256 << 10;

// An error travels in HTTP/2 trailers, which clients cap at 8 KiB after base64;
// beyond that the caller would see a transport error instead of ours.
inline constexpr std::size_t kMaxErrorMessageBytes = 512;
inline constexpr std::size_t kMaxErrorDetailBytes = 3000;

}  // namespace mulligan

#endif  // MULLIGAN_SERVER_LIMITS_H_
