#include "policy/request/views/views.h"

#include "absl/strings/str_cat.h"
#include "policy/limits.h"

namespace mulligan {

NativeCount MakeNativeCount(std::int64_t failures, std::int64_t counted,
                            const char* counter, std::int32_t value) {
  return {static_cast<std::int32_t>(
              std::clamp<std::int64_t>(failures, 0, kMaxLedgerCount)),
          counted, absl::StrCat(counter, "=", value)};
}

bool Identify(const google::protobuf::Timestamp& time, StableHash& hash) {
  hash.Add(static_cast<std::uint64_t>(time.seconds()))
      .Add(static_cast<std::uint64_t>(time.nanos()));
  return time.seconds() != 0;
}

}  // namespace mulligan
