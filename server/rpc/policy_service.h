// mulligan.v1.PolicyService over the loaded policies.
#ifndef MULLIGAN_SERVER_RPC_POLICY_SERVICE_H_
#define MULLIGAN_SERVER_RPC_POLICY_SERVICE_H_

#include <grpcpp/support/byte_buffer.h>
#include <grpcpp/support/server_callback.h>

#include "mulligan/v1/policy_service.grpc.pb.h"
#include "server/policies/snapshot.h"
#include "server/rpc/unary_call.h"

namespace mulligan {

// Fills the answer of ListPolicies and of the admin page /policy.
void ListPolicies(const Snapshot& snapshot, v1::ListPoliciesResponse& response);

using RawPolicyService = v1::PolicyService::WithRawCallbackMethod_ListPolicies<
    v1::PolicyService::WithRawCallbackMethod_GetPolicy<
        v1::PolicyService::WithRawCallbackMethod_CheckPolicy<
            v1::PolicyService::Service>>>;

// Stateless. Answers in the pool, because it reads files and policies are long.
class PolicyService final : public RawPolicyService {
 public:
  explicit PolicyService(CallEnvironment environment)
      : environment_(environment) {}

  grpc::ServerUnaryReactor* ListPolicies(grpc::CallbackServerContext* context,
                                         const grpc::ByteBuffer* request,
                                         grpc::ByteBuffer* response) override;
  grpc::ServerUnaryReactor* GetPolicy(grpc::CallbackServerContext* context,
                                      const grpc::ByteBuffer* request,
                                      grpc::ByteBuffer* response) override;
  grpc::ServerUnaryReactor* CheckPolicy(grpc::CallbackServerContext* context,
                                        const grpc::ByteBuffer* request,
                                        grpc::ByteBuffer* response) override;

 private:
  const CallEnvironment environment_;
};

}  // namespace mulligan

#endif  // MULLIGAN_SERVER_RPC_POLICY_SERVICE_H_
