#include "server/observe/trace_context.h"

#include <algorithm>
#include <cstddef>

namespace mulligan {
namespace {

// version "-" trace "-" span "-" flags
constexpr std::size_t kVersionAt = 0;
constexpr std::size_t kTraceAt = 3;
constexpr std::size_t kSpanAt = 36;
constexpr std::size_t kFlagsAt = 53;
constexpr std::size_t kVersion0Bytes = 55;

bool IsHex(std::string_view text) {
  return std::all_of(text.begin(), text.end(), [](char c) {
    return (c >= '0' && c <= '9') || (c >= 'a' && c <= 'f');
  });
}

bool IsZero(std::string_view text) {
  return text.find_first_not_of('0') == std::string_view::npos;
}

bool IsTraceParent(std::string_view text) {
  if (text.size() < kVersion0Bytes || text.size() > kMaxTraceParentBytes) {
    return false;
  }
  const std::string_view version = text.substr(kVersionAt, 2);
  const std::string_view trace = text.substr(kTraceAt, 32);
  const std::string_view span = text.substr(kSpanAt, 16);
  if (!IsHex(version) || version == "ff" || !IsHex(trace) || IsZero(trace) ||
      !IsHex(span) || IsZero(span) || !IsHex(text.substr(kFlagsAt, 2)) ||
      text[kTraceAt - 1] != '-' || text[kSpanAt - 1] != '-' ||
      text[kFlagsAt - 1] != '-') {
    return false;
  }
  if (text.size() == kVersion0Bytes) return true;
  // Later versions may be longer.
  return version != "00" && text[kVersion0Bytes] == '-' &&
         std::all_of(text.begin(), text.end(),
                     [](char c) { return c > ' ' && c < 0x7F; });
}

bool IsPrintable(std::string_view text) {
  return std::all_of(text.begin(), text.end(), [](char c) {
    return (c >= ' ' && c < 0x7F) || c == '\t';
  });
}

}  // namespace

std::string_view TraceContext::trace_id() const {
  return parent.empty() ? std::string_view()
                        : std::string_view(parent).substr(kTraceAt, 32);
}

TraceContext ReadTraceContext(const std::vector<std::string_view>& parents,
                              const std::vector<std::string_view>& states) {
  TraceContext context;
  if (parents.empty()) return context;
  if (parents.size() > 1 || !IsTraceParent(parents.front())) {
    context.malformed = true;
    return context;
  }
  context.parent = parents.front();
  std::string state;
  for (const std::string_view part : states) {
    if (!state.empty()) state += ',';
    state += part.substr(0, kMaxTraceStateBytes + 1);
  }
  if (state.size() > kMaxTraceStateBytes || !IsPrintable(state)) {
    context.malformed = true;
  } else {
    context.state = std::move(state);
  }
  return context;
}

}  // namespace mulligan
