// The caller's position in its trace, by W3C Trace Context
// (https://www.w3.org/TR/trace-context/). Passed on unchanged; the service
// creates no spans.
#ifndef MULLIGAN_SERVER_OBSERVE_TRACE_CONTEXT_H_
#define MULLIGAN_SERVER_OBSERVE_TRACE_CONTEXT_H_

#include <string>
#include <string_view>
#include <vector>

namespace mulligan {

inline constexpr char kTraceParent[] = "traceparent";
inline constexpr char kTraceState[] = "tracestate";

// Longer ones are dropped; the standard requires 512 for `tracestate`.
inline constexpr std::size_t kMaxTraceParentBytes = 128;
inline constexpr std::size_t kMaxTraceStateBytes = 512;

struct TraceContext {
  // "00-TRACE-SPAN-FLAGS"; empty if absent or malformed.
  std::string parent;
  // The vendors' part; empty without a parent.
  std::string state;
  // Something malformed was left out.
  bool malformed = false;

  // Returns the 32 digits of the trace; empty without a parent.
  std::string_view trace_id() const;
};

// Reads all values of the metadata `traceparent`, which may occur once, and
// `tracestate`, which form one list.
TraceContext ReadTraceContext(const std::vector<std::string_view>& parents,
                              const std::vector<std::string_view>& states);

}  // namespace mulligan

#endif  // MULLIGAN_SERVER_OBSERVE_TRACE_CONTEXT_H_
