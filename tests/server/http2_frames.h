// HTTP/2 frames, for tests that send what no library would.
#ifndef MULLIGAN_TESTS_SERVER_HTTP2_FRAMES_H_
#define MULLIGAN_TESTS_SERVER_HTTP2_FRAMES_H_

#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>

namespace mulligan::testing {

inline constexpr std::string_view kPreface = "PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n";

// Types and flags of RFC 9113, section 6.
struct FrameKind {
  std::uint8_t type;
  std::uint8_t flags = 0;
};
inline constexpr FrameKind kDataFrame{0};
inline constexpr FrameKind kLastData{0, 1};
inline constexpr FrameKind kWholeHeaders{1, 4};
inline constexpr FrameKind kLastHeaders{1, 5};
inline constexpr FrameKind kBegunHeaders{1};
inline constexpr FrameKind kResetFrame{3};
inline constexpr FrameKind kSettingsFrame{4};
inline constexpr FrameKind kSettingsAck{4, 1};
inline constexpr FrameKind kPingFrame{6};
inline constexpr FrameKind kMoreHeaders{9};
inline constexpr FrameKind kEndOfHeaders{9, 4};

inline std::string Frame(FrameKind kind, std::uint32_t stream,
                         std::string_view payload = "") {
  const std::uint32_t numbers[] = {
      static_cast<std::uint32_t>(payload.size()) << 8 | kind.type,
      std::uint32_t{kind.flags} << 24 | stream >> 8, stream << 24};
  std::string bytes;
  for (const std::uint32_t number : numbers) {
    for (int shift = 24; shift >= 0; shift -= 8) {
      bytes += static_cast<char>(number >> shift & 0xFF);
    }
  }
  bytes.resize(9);
  return bytes.append(payload);
}

// A client's first bytes.
inline std::string Greeting() {
  return std::string(kPreface) + Frame(kSettingsFrame, 0);
}

// Returns an HPACK literal header; `keep` adds it to the dynamic table.
inline std::string Header(std::string_view name, std::string_view value,
                          bool keep = false) {
  std::string bytes(1, keep ? '\x40' : '\0');
  for (const std::string_view text : {name, value}) {
    std::size_t rest = text.size();
    if (rest < 127) {
      bytes += static_cast<char>(rest);
    } else {
      bytes += '\x7F';
      for (rest -= 127; rest >= 128; rest >>= 7) {
        bytes += static_cast<char>((rest & 127) | 128);
      }
      bytes += static_cast<char>(rest);
    }
    bytes += text;
  }
  return bytes;
}

// Returns the headers of a Decide call: literals if `first`, otherwise four
// bytes of references to those.
inline std::string CallHeaders(bool first) {
  const std::string post_http = "\x83\x86";
  if (!first) return post_http + "\xC1\xC0\xBF\xBE";
  return post_http +
         Header(":path", "/mulligan.v1.RetryDecisionService/Decide", true) +
         Header(":authority", "x", true) +
         Header("content-type", "application/grpc", true) +
         Header("te", "trailers", true);
}

}  // namespace mulligan::testing

#endif  // MULLIGAN_TESTS_SERVER_HTTP2_FRAMES_H_
