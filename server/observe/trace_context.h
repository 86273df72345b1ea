// The caller's place in its trace, as W3C Trace Context says it
// (https://www.w3.org/TR/trace-context/). Carried, never changed: the service
// makes no spans of its own.
#ifndef MULLIGAN_SERVER_OBSERVE_TRACE_CONTEXT_H_
#define MULLIGAN_SERVER_OBSERVE_TRACE_CONTEXT_H_

#include <string>
#include <string_view>
#include <vector>

namespace mulligan {

inline constexpr char kTraceParent[] = "traceparent";
inline constexpr char kTraceState[] = "tracestate";

// Longer ones are dropped; the standard asks for 512 of `tracestate`.
inline constexpr std::size_t kMaxTraceParentBytes = 128;
inline constexpr std::size_t kMaxTraceStateBytes = 512;

struct TraceContext {
  // "00-TRACE-SPAN-FLAGS"; empty: none came, or none that is well-formed.
  std::string parent;
  // The vendors' part; empty without a parent.
  std::string state;
  // Something came that is not well-formed, and was left out.
  bool malformed = false;

  // The 32 digits of the trace; empty without a parent.
  std::string_view trace_id() const;
};

// From all values of the metadata `traceparent`, of which there may be one, and
// `tracestate`, which are one list.
TraceContext ReadTraceContext(const std::vector<std::string_view>& parents,
                              const std::vector<std::string_view>& states);

}  // namespace mulligan

#endif  // MULLIGAN_SERVER_OBSERVE_TRACE_CONTEXT_H_
