// The answer to BatchDecide, written result by result.
#ifndef MULLIGAN_SERVER_RPC_BATCH_ANSWER_H_
#define MULLIGAN_SERVER_RPC_BATCH_ANSWER_H_

#include <grpcpp/support/byte_buffer.h>
#include <grpcpp/support/slice.h>

#include <cstddef>
#include <cstdint>
#include <vector>

#include "mulligan/v1/retry_decision_service.pb.h"

namespace mulligan {

// The bytes of a v1::BatchDecideResponse. The message itself, with the answers
// to a thousand reports, would take five times as much.
class BatchAnswer {
 public:
  // The next result, its maps in the order of their keys.
  void Add(const v1::BatchDecideResult& result);

  // All results, ready to be sent. Last.
  grpc::ByteBuffer Take();

 private:
  // Where `size` bytes go.
  std::uint8_t* Room(std::size_t size);

  // Full but for the last, of which `used_` bytes are written.
  std::vector<grpc::Slice> blocks_;
  std::size_t used_ = 0;
};

}  // namespace mulligan

#endif  // MULLIGAN_SERVER_RPC_BATCH_ANSWER_H_
