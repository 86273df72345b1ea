#include "server/http2_guard.h"

#include <algorithm>

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

std::optional<FrameHead> FrameReader::Next(std::string_view& bytes) {
  const std::size_t skipped = std::min(payload_, bytes.size());
  payload_ -= skipped;
  bytes.remove_prefix(skipped);
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
  if (!TakePreface(bytes)) return "what came is no HTTP/2";
  while (const auto frame = received_.Next(bytes)) {
    if (const char* why = Judge(*frame, now); why != nullptr) return why;
  }
  return nullptr;
}

void Http2Guard::Send(std::string_view bytes) {
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
        allowance_ = std::min(kAllowance, allowance_ + kGivenByAnswer);
        if ((frame->flags & kEndStream) != 0) Close(frame->stream);
        break;
      default:
        break;
    }
  }
}

bool Http2Guard::TakePreface(std::string_view& bytes) {
  const std::string_view expected = kPreface.substr(preface_);
  const std::string_view came = bytes.substr(0, expected.size());
  if (came != expected.substr(0, came.size())) return false;
  preface_ += came.size();
  bytes.remove_prefix(came.size());
  return true;
}

const char* Http2Guard::Judge(const FrameHead& frame, Clock::time_point now) {
  switch (frame.type) {
    case kHeaders:
    case kContinuation:
      return JudgeHeaders(frame, now);
    case kData:
      if (frame.length >= kSmallData || (frame.flags & kEndStream) != 0) {
        return nullptr;
      }
      return Charge(kControlPrice, now);
    case kReset:
      return Charge(Close(frame.stream) ? kUnansweredPrice : kControlPrice,
                    now);
    case kSettings:
      has_begun_ = true;
      // Sooner it acknowledges what gRPC begins with, which is no bound.
      if ((frame.flags & kAck) != 0 && announced_) acknowledged_ = true;
      return Charge(kControlPrice, now);
    default:
      return Charge(kControlPrice, now);
  }
}

const char* Http2Guard::JudgeHeaders(const FrameHead& frame,
                                     Clock::time_point now) {
  const bool begins = frame.type == kHeaders;
  header_block_ = (begins ? 0 : header_block_) + frame.length;
  if (header_block_ > kMaxHeaderBlock) {
    return "a block of headers of more than 16 KiB";
  }
  if (!acknowledged_) headers_before_ack_ += frame.length;
  if (headers_before_ack_ > kMaxHeadersBeforeAck) {
    return "more than 16 KiB of headers before SETTINGS were acknowledged";
  }
  if (!begins || frame.stream <= last_stream_) {
    return Charge(kControlPrice, now);
  }
  last_stream_ = frame.stream;
  open_.push_back(frame.stream);
  const std::size_t all = ++all_.open;
  if (open_.size() > kMaxOpenStreams) return "more than 100 streams at once";
  if (open_.size() > kMaxOpenInACrowd && all > all_.bound) {
    return "more than 8 streams at once, while all have too many";
  }
  return nullptr;
}

const char* Http2Guard::Charge(double price, Clock::time_point now) {
  const std::chrono::duration<double> passed = now - paid_until_;
  paid_until_ = now;
  allowance_ =
      std::min(kAllowance, allowance_ + kAllowanceASecond * passed.count()) -
      price;
  if (allowance_ >= 0) return nullptr;
  return "resets, pings and the like with too few answers to show for them";
}

bool Http2Guard::Close(std::uint32_t stream) {
  const auto at = std::find(open_.begin(), open_.end(), stream);
  if (at == open_.end()) return false;
  open_.erase(at);
  --all_.open;
  return true;
}

}  // namespace mulligan
