#include "policy/base/stable_hash.h"

#include <string>

#include "absl/strings/str_cat.h"

namespace mulligan {

void AppendHex(std::uint64_t value, std::string& text) {
  absl::StrAppend(&text, absl::Hex(value, absl::kZeroPad16));
}

}  // namespace mulligan
