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

// The bytes of a v1::BatchDecideResponse, a fifth of the size of the message
// with a thousand answers.
class BatchAnswer {
 public:
  // Adds the next result, with maps in the order of their keys.
  void Add(const v1::BatchDecideResult& result);

  // Returns all results, ready to be sent. Call last.
  grpc::ByteBuffer Take();

 private:
  // Returns room for `size` bytes.
  std::uint8_t* Room(std::size_t size);

  // Full except for the last, which has `used_` bytes.
  std::vector<grpc::Slice> blocks_;
  std::size_t used_ = 0;
};

}  // namespace mulligan

#endif  // MULLIGAN_SERVER_RPC_BATCH_ANSWER_H_
