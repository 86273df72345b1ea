// UTF-8 as far as reading and showing text files needs it.
#ifndef MULLIGAN_POLICY_LOADER_UTF8_H_
#define MULLIGAN_POLICY_LOADER_UTF8_H_

#include <cstddef>
#include <string_view>

namespace mulligan {

// Offset of the first byte that starts no valid sequence (overlong forms,
// surrogates and values past U+10FFFF are invalid); npos when all is valid.
size_t FindInvalidUtf8(std::string_view text);

// The largest offset up to `offset` that does not cut a sequence.
size_t Utf8Boundary(std::string_view text, size_t offset);

}  // namespace mulligan

#endif  // MULLIGAN_POLICY_LOADER_UTF8_H_
