// What a caller may ask of HTTP/2 beside the calls that it is answered.
//
// gRPC 1.51 has no bound on a header block in CONTINUATION frames, on streams
// that are opened and reset, on PING and SETTINGS that it has to answer, nor on
// streams and headers before its SETTINGS are acknowledged: each makes a few
// bytes of the caller seconds of a processor or hundreds of megabytes here.
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

// Finds the heads in the bytes of one direction, however they are cut.
class FrameReader {
 public:
  // How much of `bytes` belongs to the frame of the last head; they lose it.
  std::size_t Skip(std::string_view& bytes);
  // The next head, once it is complete; `bytes` loses what was read. Nothing
  // when they are used up.
  std::optional<FrameHead> Next(std::string_view& bytes);

 private:
  std::array<unsigned char, 9> head_;
  std::size_t had_ = 0;      // of the head
  std::size_t payload_ = 0;  // still to come
};

// What all connections have together, and may have. Safe to share.
struct Together {
  struct Bounds {
    std::size_t streams;
    std::size_t held;
  };
  explicit Together(const Bounds& most) : bounds(most) {}

  std::atomic<std::size_t> streams = 0;  // open
  std::atomic<std::size_t> held = 0;     // see Http2Guard::held
  // Of that, by connections that are ending.
  std::atomic<std::size_t> leaving = 0;
  const Bounds bounds;

  bool IsTooMuch() const { return held > bounds.held; }
  // What is leaving takes its time to go.
  bool IsFarTooMuch() const { return held > bounds.held + bounds.held / 2; }
  bool WillBeTooMuch() const { return held > bounds.held + leaving; }
};

// One connection. It looks at heads of frames alone, before gRPC reads them.
// Used by one thread at a time.
class Http2Guard {
 public:
  using Clock = std::chrono::steady_clock;

  // Bytes of a block of headers as sent; gRPC answers up to 4 KiB, unpacked.
  static constexpr std::size_t kMaxHeaderBlock = 16 << 10;
  // Bytes of all headers until our SETTINGS are acknowledged: until then gRPC
  // keeps to none of its bounds.
  static constexpr std::size_t kMaxHeadersBeforeAck = 16 << 10;
  // Streams open at once. 32 are announced; clients that have not read that
  // yet take a hundred for granted (RFC 9113, section 6.5.2).
  static constexpr std::size_t kMaxOpenStreams = 100;
  // The same while all connections together have more than their bound.
  static constexpr std::size_t kMaxOpenInACrowd = 8;
  // What may be asked without an answer to show for it: at once, and again each
  // second. A stream that ends without an answer takes ten of it, a frame that
  // belongs to no message one.
  static constexpr double kAllowance = 2000;
  static constexpr double kAllowanceASecond = 1000;
  static constexpr double kUnansweredPrice = 10;
  static constexpr double kControlPrice = 1;
  // What each frame of an answer gives back: callers acknowledge them with
  // WINDOW_UPDATE and PING.
  static constexpr double kGivenByAnswer = 2;
  // Smaller pieces of a message count as control, as does what is sent on a
  // stream that takes no more.
  static constexpr std::size_t kSmallData = 64;
  // What gRPC makes of a byte of headers until our SETTINGS are acknowledged: a
  // reference to a table.
  static constexpr std::size_t kUnpackedHeader = 180;
  // What one may hold, of headers when all hold too much, and of anything when
  // it is far too much.
  static constexpr std::size_t kMaxHeldInACrowd = 128 << 10;
  // No call of ours takes as long as this to be answered.
  static constexpr std::chrono::seconds kQuiet{10};

  // `all` outlives it.
  Http2Guard(Together& all, Clock::time_point now)
      : all_(all), paid_until_(now) {}
  ~Http2Guard() { Forget(); }
  Http2Guard(const Http2Guard&) = delete;
  Http2Guard& operator=(const Http2Guard&) = delete;

  // Looks at what the caller has sent. Not null: why the connection has to end,
  // for people; then nobody may read these bytes.
  const char* Receive(std::string_view bytes, Clock::time_point now);
  // Looks at what the caller is sent.
  void Send(std::string_view bytes, Clock::time_point now);

  // Whether the caller has begun as HTTP/2 does: with its preface and SETTINGS.
  bool has_begun() const { return has_begun_; }
  std::size_t open_streams() const { return open_.size(); }
  // Whether calls are open and none has been answered for long.
  bool IsQuiet(Clock::time_point now) const {
    return !open_.empty() && now - quiet_since_ > kQuiet;
  }
  // Bytes that gRPC keeps for calls that are still coming: messages that have
  // not ended, and headers as they may be unpacked.
  std::size_t held() const { return held_; }
  // When the first of these calls began; only where something is held.
  Clock::time_point held_since() const;
  // The connection is ending: nothing is received any more.
  void Leave();
  // It has ended: no stream is open, nothing held.
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

  // False: this is no HTTP/2.
  bool TakePreface(std::string_view& bytes);
  const char* Judge(const FrameHead& frame, Clock::time_point now);
  const char* JudgeData(const FrameHead& frame, Clock::time_point now);
  const char* JudgeHeaders(const FrameHead& frame, Clock::time_point now);
  const char* Open(std::uint32_t stream, Clock::time_point now);
  const char* Charge(double price, Clock::time_point now);
  // Counts payload of the frame that is coming.
  void Hold(std::size_t bytes);
  const char* JudgeHeld() const;
  void GiveBack(std::size_t Stream::*bytes, Stream& stream);
  // Null: it is not open.
  Stream* Find(std::uint32_t stream);
  // The caller sends no more on it.
  void End(std::uint32_t stream);
  // False: it was not open.
  bool Close(std::uint32_t stream);

  Together& all_;
  std::size_t preface_ = 0;  // of its bytes, those that came
  FrameReader received_;
  FrameReader sent_;
  std::vector<Stream> open_;  // in the order of their beginning
  std::size_t held_ = 0;
  std::size_t held_headers_ = 0;  // of these
  bool leaving_ = false;
  // What of the payload that is coming is held, and for which stream.
  enum class Holding { kNothing, kHeaders, kMessage };
  Holding holding_ = Holding::kNothing;
  std::uint32_t holding_for_ = 0;
  std::uint32_t last_stream_ = 0;
  std::size_t header_block_ = 0;
  std::size_t headers_before_ack_ = 0;
  double allowance_ = kAllowance;
  Clock::time_point paid_until_;
  // The last answer, or the beginning of the first call after it.
  Clock::time_point quiet_since_;
  bool answered_ = true;  // since then
  bool has_begun_ = false;
  bool announced_ = false;     // our SETTINGS are sent
  bool acknowledged_ = false;  // and acknowledged
};

}  // namespace mulligan

#endif  // MULLIGAN_SERVER_NET_HTTP2_GUARD_H_
