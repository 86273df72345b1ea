// mulligan.v1.RetryDecisionService over policy/decide.h.
#ifndef MULLIGAN_SERVER_RPC_RETRY_DECISION_SERVICE_H_
#define MULLIGAN_SERVER_RPC_RETRY_DECISION_SERVICE_H_

#include <grpcpp/support/byte_buffer.h>
#include <grpcpp/support/server_callback.h>

#include "mulligan/v1/retry_decision_service.grpc.pb.h"
#include "server/rpc/unary_call.h"

namespace mulligan {

using RawRetryDecisionService =
    v1::RetryDecisionService::WithRawCallbackMethod_Decide<
        v1::RetryDecisionService::WithRawCallbackMethod_BatchDecide<
            v1::RetryDecisionService::WithRawCallbackMethod_Demystify<
                v1::RetryDecisionService::Service>>>;

// Stateless. Cheap calls run on gRPC's threads, others in the pool.
class RetryDecisionService final : public RawRetryDecisionService {
 public:
  explicit RetryDecisionService(CallEnvironment environment)
      : environment_(environment) {}

  grpc::ServerUnaryReactor* Decide(grpc::CallbackServerContext* context,
                                   const grpc::ByteBuffer* request,
                                   grpc::ByteBuffer* response) override;
  grpc::ServerUnaryReactor* BatchDecide(grpc::CallbackServerContext* context,
                                        const grpc::ByteBuffer* request,
                                        grpc::ByteBuffer* response) override;
  grpc::ServerUnaryReactor* Demystify(grpc::CallbackServerContext* context,
                                      const grpc::ByteBuffer* request,
                                      grpc::ByteBuffer* response) override;

 private:
  const CallEnvironment environment_;
};

}  // namespace mulligan

#endif  // MULLIGAN_SERVER_RPC_RETRY_DECISION_SERVICE_H_
