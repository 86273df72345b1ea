// Limits the HTTP/2 work that a caller can cause beyond its answered calls.
//
// gRPC 1.51 does not limit header blocks in CONTINUATION frames, streams opened
// and reset, or PING and SETTINGS that need an answer. Until its SETTINGS are
// acknowledged, it does not limit streams or headers either. Each lets a few
// bytes from the caller cost seconds of CPU time or hundreds of megabytes.
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

// Totals over all connections, and their bounds. Thread-safe.
struct AggregateUsage {
  struct Bounds {
    std::size_t streams;
    std::size_t held;
  };
  explicit AggregateUsage(const Bounds& most) : bounds(most) {}

  std::atomic<std::size_t> streams = 0;  // open
  std::atomic<std::size_t> held = 0;     // bytes; see Http2Guard::held
  // The part of `held` that belongs to connections that are ending.
  std::atomic<std::size_t> leaving = 0;
  const Bounds bounds;

  bool ExceedsLimit() const { return held > bounds.held; }
  // Ending connections release their memory with a delay.
  bool ExceedsHardLimit() const { return held > bounds.held + bounds.held / 2; }
  bool WillExceedLimit() const { return held > bounds.held + leaving; }
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
  // The same while the total over all connections exceeds its bound.
  static constexpr std::size_t kMaxOpenWhenCrowded = 8;
  // Price that may be charged without answers: at once, and per second. A
  // stream that ends without an answer costs ten, a frame outside messages one.
  static constexpr double kAllowance = 2000;
  static constexpr double kAllowancePerSecond = 1000;
  static constexpr double kUnansweredPrice = 10;
  static constexpr double kControlPrice = 1;
  // Refund for each frame of an answer, because callers acknowledge it with
  // WINDOW_UPDATE and PING.
  static constexpr double kRefundPerAnswerFrame = 2;
  // Data frames below this many bytes, or on ended streams, cost kControlPrice.
  static constexpr std::size_t kSmallData = 64;
  // Bytes that gRPC makes of a header byte (a table reference) until our
  // SETTINGS are acknowledged.
  static constexpr std::size_t kUnpackedHeaderFactor = 180;
  // Bytes that one connection may hold: of headers if the total exceeds its
  // limit, of anything if it exceeds the hard limit.
  static constexpr std::size_t kMaxHeldWhenCrowded = 128 << 10;
  // Answering a call never takes this long.
  static constexpr std::chrono::seconds kQuiet{10};

  // `all` must outlive it.
  Http2Guard(AggregateUsage& all, Clock::time_point now)
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
  // Returns whether calls are open and none has been answered for kQuiet.
  bool IsQuiet(Clock::time_point now) const {
    return !open_.empty() && now - quiet_since_ > kQuiet;
  }
  // Bytes that gRPC holds for calls still arriving: unfinished messages, and
  // headers as they may be unpacked.
  std::size_t held() const { return held_; }
  // When the first of these calls began. REQUIRES: something is held.
  Clock::time_point held_since() const;
  // The connection is ending: nothing more will be received.
  void Leave();
  // The connection has ended: closes all streams and releases what they held.
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
  const char* Check(const FrameHead& frame, Clock::time_point now);
  const char* CheckData(const FrameHead& frame, Clock::time_point now);
  const char* CheckHeaders(const FrameHead& frame, Clock::time_point now);
  const char* Open(std::uint32_t stream, Clock::time_point now);
  const char* Charge(double price, Clock::time_point now);
  // Counts payload of the current frame.
  void Hold(std::size_t bytes);
  const char* CheckHeld() const;
  void Release(std::size_t Stream::*bytes, Stream& stream);
  // Returns null if it is not open.
  Stream* Find(std::uint32_t stream);
  // The caller sends no more on the stream.
  void End(std::uint32_t stream);
  // Returns false if it was not open.
  bool Close(std::uint32_t stream);

  AggregateUsage& all_;
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
