#include "server/net/http2_guard.h"

#include <algorithm>
#include <utility>

namespace mulligan {
namespace {

constexpr std::string_view kPreface = "PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n";

// RFC 9113, section 6.
enum FrameType : std::uint8_t {
  kData = 0,
  kHeaders = 1,
  kReset = 3,
  kSettings = 4,
  kContinuation = 9,
};
constexpr std::uint8_t kAck = 1;
constexpr std::uint8_t kEndStream = 1;

}  // namespace

std::size_t FrameReader::Skip(std::string_view& bytes) {
  const std::size_t skipped = std::min(payload_, bytes.size());
  payload_ -= skipped;
  bytes.remove_prefix(skipped);
  return skipped;
}

std::optional<FrameHead> FrameReader::Next(std::string_view& bytes) {
  Skip(bytes);
  const std::size_t taken = std::min(head_.size() - had_, bytes.size());
  std::copy_n(bytes.begin(), taken, head_.begin() + had_);
  had_ += taken;
  bytes.remove_prefix(taken);
  if (had_ < head_.size()) return std::nullopt;
  had_ = 0;
  payload_ =
      std::size_t{head_[0]} << 16 | std::size_t{head_[1]} << 8 | head_[2];
  return FrameHead{payload_, head_[3], head_[4],
                   (std::uint32_t{head_[5]} & 0x7F) << 24 |
                       std::uint32_t{head_[6]} << 16 |
                       std::uint32_t{head_[7]} << 8 | head_[8]};
}

const char* Http2Guard::Receive(std::string_view bytes, Clock::time_point now) {
  if (!TakePreface(bytes)) return "the bytes received are not HTTP/2";
  while (true) {
    Hold(received_.Skip(bytes));
    const auto frame = received_.Next(bytes);
    if (!frame.has_value()) return CheckHeld();
    if (const char* why = Check(*frame, now); why != nullptr) return why;
  }
}

void Http2Guard::Send(std::string_view bytes, Clock::time_point now) {
  while (const auto frame = sent_.Next(bytes)) {
    switch (frame->type) {
      case kSettings:
        if ((frame->flags & kAck) == 0) announced_ = true;
        break;
      case kReset:
        if (Close(frame->stream)) allowance_ -= kUnansweredPrice;
        break;
      case kHeaders:
      case kData:
        allowance_ = std::min(kAllowance, allowance_ + kRefundPerAnswerFrame);
        quiet_since_ = now;
        answered_ = true;
        if ((frame->flags & kEndStream) != 0) Close(frame->stream);
        break;
      default:
        break;
    }
  }
}

Http2Guard::Clock::time_point Http2Guard::held_since() const {
  const auto first = std::find_if(
      open_.begin(), open_.end(),
      [](const Stream& stream) { return stream.headers + stream.message > 0; });
  return first == open_.end() ? Clock::time_point::max() : first->begun;
}

void Http2Guard::Leave() {
  if (!leaving_) all_.leaving += held_;
  leaving_ = true;
}

void Http2Guard::Forget() {
  while (!open_.empty()) Close(open_.back().id);
}

bool Http2Guard::TakePreface(std::string_view& bytes) {
  const std::string_view expected = kPreface.substr(preface_);
  const std::string_view came = bytes.substr(0, expected.size());
  if (came != expected.substr(0, came.size())) return false;
  preface_ += came.size();
  bytes.remove_prefix(came.size());
  return true;
}

const char* Http2Guard::Check(const FrameHead& frame, Clock::time_point now) {
  holding_ = Holding::kNothing;
  holding_for_ = frame.stream;
  switch (frame.type) {
    case kHeaders:
    case kContinuation:
      return CheckHeaders(frame, now);
    case kData:
      return CheckData(frame, now);
    case kReset:
      return Charge(Close(frame.stream) ? kUnansweredPrice : kControlPrice,
                    now);
    case kSettings:
      has_begun_ = true;
      // An earlier one acknowledges gRPC's first SETTINGS, which have no bound.
      if ((frame.flags & kAck) != 0 && announced_) acknowledged_ = true;
      return Charge(kControlPrice, now);
    default:
      return Charge(kControlPrice, now);
  }
}

const char* Http2Guard::CheckData(const FrameHead& frame,
                                  Clock::time_point now) {
  const Stream* const stream = Find(frame.stream);
  if (stream == nullptr || stream->ended) return Charge(kControlPrice, now);
  if ((frame.flags & kEndStream) != 0) {
    End(frame.stream);
    return nullptr;
  }
  holding_ = Holding::kMessage;
  if (frame.length >= kSmallData) return nullptr;
  return Charge(kControlPrice, now);
}

const char* Http2Guard::CheckHeaders(const FrameHead& frame,
                                     Clock::time_point now) {
  const bool begins = frame.type == kHeaders;
  header_block_ = (begins ? 0 : header_block_) + frame.length;
  if (header_block_ > kMaxHeaderBlock) {
    return "a header block of more than 16 KiB";
  }
  if (!acknowledged_) {
    headers_before_ack_ += frame.length;
    holding_ = Holding::kHeaders;
  }
  if (headers_before_ack_ > kMaxHeadersBeforeAck) {
    return "more than 16 KiB of headers before SETTINGS were acknowledged";
  }
  const char* const why = begins && frame.stream > last_stream_
                              ? Open(frame.stream, now)
                              : Charge(kControlPrice, now);
  if (begins && (frame.flags & kEndStream) != 0) End(frame.stream);
  return why;
}

const char* Http2Guard::Open(std::uint32_t stream, Clock::time_point now) {
  last_stream_ = stream;
  // Resetting calls and starting others does not count as an answer.
  if (open_.empty() && answered_) {
    quiet_since_ = now;
    answered_ = false;
  }
  open_.push_back({stream, now});
  const std::size_t all = ++all_.streams;
  if (open_.size() > kMaxOpenStreams) return "more than 100 streams at once";
  if (open_.size() > kMaxOpenWhenCrowded && all > all_.bounds.streams) {
    return "more than 8 streams at once while there are too many in total";
  }
  return nullptr;
}

const char* Http2Guard::Charge(double price, Clock::time_point now) {
  const std::chrono::duration<double> passed = now - paid_until_;
  paid_until_ = now;
  allowance_ =
      std::min(kAllowance, allowance_ + kAllowancePerSecond * passed.count()) -
      price;
  if (allowance_ >= 0) return nullptr;
  return "too few answers for its resets, pings and other control frames";
}

void Http2Guard::Hold(std::size_t bytes) {
  if (holding_ == Holding::kNothing || bytes == 0) return;
  Stream* const stream = Find(holding_for_);
  if (stream == nullptr) return;
  const bool unpacked = holding_ == Holding::kHeaders;
  if (unpacked) {
    bytes *= kUnpackedHeaderFactor;
    held_headers_ += bytes;
  }
  (unpacked ? stream->headers : stream->message) += bytes;
  held_ += bytes;
  all_.held += bytes;
}

const char* Http2Guard::CheckHeld() const {
  if (held_ <= kMaxHeldWhenCrowded || !all_.ExceedsLimit()) return nullptr;
  if (held_headers_ > kMaxHeldWhenCrowded) {
    return "headers before SETTINGS were acknowledged, while memory is short";
  }
  return all_.ExceedsHardLimit()
             ? "large unfinished calls, while memory is short"
             : nullptr;
}

void Http2Guard::Release(std::size_t Stream::*bytes, Stream& stream) {
  const std::size_t given = std::exchange(stream.*bytes, 0);
  held_ -= given;
  all_.held -= given;
  if (leaving_) all_.leaving -= given;
}

Http2Guard::Stream* Http2Guard::Find(std::uint32_t stream) {
  const auto at =
      std::find_if(open_.begin(), open_.end(),
                   [stream](const Stream& one) { return one.id == stream; });
  return at == open_.end() ? nullptr : &*at;
}

void Http2Guard::End(std::uint32_t stream) {
  Stream* const ended = Find(stream);
  if (ended == nullptr) return;
  ended->ended = true;
  Release(&Stream::message, *ended);
}

bool Http2Guard::Close(std::uint32_t stream) {
  Stream* const closed = Find(stream);
  if (closed == nullptr) return false;
  held_headers_ -= closed->headers;
  Release(&Stream::headers, *closed);
  Release(&Stream::message, *closed);
  open_.erase(open_.begin() + (closed - open_.data()));
  --all_.streams;
  return true;
}

}  // namespace mulligan
