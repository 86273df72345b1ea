// Bounds what a caller may ask of HTTP/2 in addition to its answered calls.
//
// gRPC 1.51 has no bound on header blocks in CONTINUATION frames, on streams
// opened and reset, nor on PING and SETTINGS that need an answer. Before its
// SETTINGS are acknowledged it bounds no streams or headers. With each, a few
// bytes of the caller cost seconds of a processor or hundreds of megabytes.
#ifndef MULLIGAN_SERVER_NET_HTTP2_GUARD_H_
#define MULLIGAN_SERVER_NET_HTTP2_GUARD_H_

#include <array>
#include <atomic>
#include <chrono>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <string_view>
#include <vector>

namespace mulligan {

// The first nine bytes of a frame (RFC 9113, section 4.1).
struct FrameHead {
  std::size_t length;  // of the payload, in bytes
  std::uint8_t type;
  std::uint8_t flags;
  std::uint32_t stream;  // 0: the connection
};

// Finds frame heads in the bytes of one direction, however they are split.
class FrameReader {
 public:
  // Removes the last head's payload from `bytes`; returns its size.
  std::size_t Skip(std::string_view& bytes);
  // Returns the next complete head and removes what it read from `bytes`. Empty
  // if they are used up.
  std::optional<FrameHead> Next(std::string_view& bytes);

 private:
  std::array<unsigned char, 9> head_;
  std::size_t had_ = 0;      // of the head
  std::size_t payload_ = 0;  // still to come
};

// Totals of all connections, and their bounds. Safe to share.
struct Together {
  struct Bounds {
    std::size_t streams;
    std::size_t held;
  };
  explicit Together(const Bounds& most) : bounds(most) {}

  std::atomic<std::size_t> streams = 0;  // open
  std::atomic<std::size_t> held = 0;     // bytes; see Http2Guard::held
  // Part of that, by connections that are ending.
  std::atomic<std::size_t> leaving = 0;
  const Bounds bounds;

  bool IsTooMuch() const { return held > bounds.held; }
  // Ending connections take time to go.
  bool IsFarTooMuch() const { return held > bounds.held + bounds.held / 2; }
  bool WillBeTooMuch() const { return held > bounds.held + leaving; }
};

// Checks one connection's frame heads before gRPC reads them. Used by one
// thread at a time.
class Http2Guard {
 public:
  using Clock = std::chrono::steady_clock;

  // Bytes of a header block as sent; gRPC answers up to 4 KiB, unpacked.
  static constexpr std::size_t kMaxHeaderBlock = 16 << 10;
  // Bytes of all headers until our SETTINGS are acknowledged; gRPC does not
  // enforce its bounds before.
  static constexpr std::size_t kMaxHeadersBeforeAck = 16 << 10;
  // Streams open at once. We announce 32; clients that have not read that yet
  // assume a hundred (RFC 9113, section 6.5.2).
  static constexpr std::size_t kMaxOpenStreams = 100;
  // The same while all connections together exceed their bound.
  static constexpr std::size_t kMaxOpenInACrowd = 8;
  // Price that may be charged without answers: at once, and again each second.
  // A stream that ends without an answer costs ten, a frame outside messages
  // one.
  static constexpr double kAllowance = 2000;
  static constexpr double kAllowanceASecond = 1000;
  static constexpr double kUnansweredPrice = 10;
  static constexpr double kControlPrice = 1;
  // Refund for each frame of an answer, because callers acknowledge it with
  // WINDOW_UPDATE and PING.
  static constexpr double kGivenByAnswer = 2;
  // Smaller data frames (bytes), and those on ended streams, are control.
  static constexpr std::size_t kSmallData = 64;
  // Bytes that gRPC makes of a header byte (a table reference) until our
  // SETTINGS are acknowledged.
  static constexpr std::size_t kUnpackedHeader = 180;
  // Bytes that one may hold: of headers if all hold too much, of anything if it
  // is far too much.
  static constexpr std::size_t kMaxHeldInACrowd = 128 << 10;
  // No call takes this long to be answered.
  static constexpr std::chrono::seconds kQuiet{10};

  // `all` must outlive it.
  Http2Guard(Together& all, Clock::time_point now)
      : all_(all), paid_until_(now) {}
  ~Http2Guard() { Forget(); }
  Http2Guard(const Http2Guard&) = delete;
  Http2Guard& operator=(const Http2Guard&) = delete;

  // Checks bytes from the caller. Returns null, or the reason as text why the
  // connection must end; then the bytes must not be read.
  const char* Receive(std::string_view bytes, Clock::time_point now);
  // Checks bytes to the caller.
  void Send(std::string_view bytes, Clock::time_point now);

  // Returns whether the caller has sent HTTP/2's preface and SETTINGS.
  bool has_begun() const { return has_begun_; }
  std::size_t open_streams() const { return open_.size(); }
  // Returns whether calls are open and none has been answered for long.
  bool IsQuiet(Clock::time_point now) const {
    return !open_.empty() && now - quiet_since_ > kQuiet;
  }
  // Bytes that gRPC holds for calls still arriving: unfinished messages, and
  // headers as they may be unpacked.
  std::size_t held() const { return held_; }
  // When the first of these calls began. REQUIRES: something is held.
  Clock::time_point held_since() const;
  // The connection is ending: nothing is received any more.
  void Leave();
  // It has ended: no stream is open, nothing is held.
  void Forget();

 private:
  struct Stream {
    std::uint32_t id;
    Clock::time_point begun;
    bool ended = false;  // by the caller
    // Bytes held.
    std::size_t headers = 0;
    std::size_t message = 0;
  };

  // Returns false if this is not HTTP/2.
  bool TakePreface(std::string_view& bytes);
  const char* Judge(const FrameHead& frame, Clock::time_point now);
  const char* JudgeData(const FrameHead& frame, Clock::time_point now);
  const char* JudgeHeaders(const FrameHead& frame, Clock::time_point now);
  const char* Open(std::uint32_t stream, Clock::time_point now);
  const char* Charge(double price, Clock::time_point now);
  // Counts payload of the current frame.
  void Hold(std::size_t bytes);
  const char* JudgeHeld() const;
  void GiveBack(std::size_t Stream::*bytes, Stream& stream);
  // Returns null if it is not open.
  Stream* Find(std::uint32_t stream);
  // The caller sends no more on the stream.
  void End(std::uint32_t stream);
  // Returns false if it was not open.
  bool Close(std::uint32_t stream);

  Together& all_;
  std::size_t preface_ = 0;  // bytes received
  FrameReader received_;
  FrameReader sent_;
  std::vector<Stream> open_;  // in order of their start
  std::size_t held_ = 0;
  std::size_t held_headers_ = 0;  // part of held_
  bool leaving_ = false;
  // Which payload of the current frame is held, and for which stream.
  enum class Holding { kNothing, kHeaders, kMessage };
  Holding holding_ = Holding::kNothing;
  std::uint32_t holding_for_ = 0;
  std::uint32_t last_stream_ = 0;
  std::size_t header_block_ = 0;
  std::size_t headers_before_ack_ = 0;
  double allowance_ = kAllowance;
  Clock::time_point paid_until_;
  // The last answer, or the start of the first call after it.
  Clock::time_point quiet_since_;
  bool answered_ = true;  // since then
  bool has_begun_ = false;
  bool announced_ = false;     // our SETTINGS are sent
  bool acknowledged_ = false;  // and acknowledged
};

}  // namespace mulligan

#endif  // MULLIGAN_SERVER_NET_HTTP2_GUARD_H_
