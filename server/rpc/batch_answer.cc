#include "server/rpc/batch_answer.h"

#include <google/protobuf/io/coded_stream.h>
#include <google/protobuf/wire_format_lite.h>
#include <grpc/slice.h>

#include <algorithm>

#include "server/rpc/unary_call.h"

namespace mulligan {
namespace {

using google::protobuf::internal::WireFormatLite;
using google::protobuf::io::CodedOutputStream;

// About a hundred ordinary answers.
constexpr std::size_t kBlockBytes = 64 << 10;

constexpr std::uint32_t kTag =
    WireFormatLite::MakeTag(v1::BatchDecideResponse::kResultsFieldNumber,
                            WireFormatLite::WIRETYPE_LENGTH_DELIMITED);

// Returns the first `size` bytes.
grpc::Slice Start(const grpc::Slice& slice, std::size_t size) {
  grpc_slice whole = slice.c_slice();
  grpc_slice start = grpc_slice_sub(whole, 0, size);
  grpc_slice_unref(whole);
  return {start, grpc::Slice::STEAL_REF};
}

}  // namespace

std::uint8_t* BatchAnswer::Room(std::size_t size) {
  if (blocks_.empty() || blocks_.back().size() - used_ < size) {
    if (!blocks_.empty()) blocks_.back() = Start(blocks_.back(), used_);
    blocks_.emplace_back(std::max(size, kBlockBytes));
    used_ = 0;
  }
  // The block is not shared until it is sent.
  auto* room = const_cast<std::uint8_t*>(blocks_.back().begin()) + used_;
  used_ += size;
  return room;
}

void BatchAnswer::Add(const v1::BatchDecideResult& result) {
  const std::size_t size = result.ByteSizeLong();
  const auto length = static_cast<std::uint32_t>(size);
  std::uint8_t* at = Room(CodedOutputStream::VarintSize32(kTag) +
                          CodedOutputStream::VarintSize32(length) + size);
  at = CodedOutputStream::WriteTagToArray(kTag, at);
  at = CodedOutputStream::WriteVarint32ToArray(length, at);
  WriteMessage(result, at, size);
}

grpc::ByteBuffer BatchAnswer::Take() {
  if (!blocks_.empty()) blocks_.back() = Start(blocks_.back(), used_);
  grpc::ByteBuffer bytes(blocks_.data(), blocks_.size());
  blocks_.clear();
  used_ = 0;
  return bytes;
}

}  // namespace mulligan
