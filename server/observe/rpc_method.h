// The served RPCs, as metric labels.
#ifndef MULLIGAN_SERVER_OBSERVE_RPC_METHOD_H_
#define MULLIGAN_SERVER_OBSERVE_RPC_METHOD_H_

#include <cstddef>
#include <iterator>

namespace mulligan {

enum class RpcMethod {
  kDecide,
  kBatchDecide,
  kDemystify,
  kListPolicies,
  kGetPolicy,
  kCheckPolicy,
  kHealthCheck,
  kHealthWatch,
};

struct RpcMethodInfo {
  const char* service;
  const char* name;
  // Value of the label grpc_type.
  const char* type;
};

inline constexpr char kRetryDecisionServiceName[] =
    "mulligan.v1.RetryDecisionService";
inline constexpr char kPolicyServiceName[] = "mulligan.v1.PolicyService";
inline constexpr char kHealthServiceName[] = "grpc.health.v1.Health";

// Indexed by RpcMethod.
inline constexpr RpcMethodInfo kRpcMethods[] = {
    {kRetryDecisionServiceName, "Decide", "unary"},
    {kRetryDecisionServiceName, "BatchDecide", "unary"},
    {kRetryDecisionServiceName, "Demystify", "unary"},
    {kPolicyServiceName, "ListPolicies", "unary"},
    {kPolicyServiceName, "GetPolicy", "unary"},
    {kPolicyServiceName, "CheckPolicy", "unary"},
    {kHealthServiceName, "Check", "unary"},
    {kHealthServiceName, "Watch", "server_stream"},
};
inline constexpr std::size_t kRpcMethodCount = std::size(kRpcMethods);

constexpr const RpcMethodInfo& InfoOf(RpcMethod method) {
  return kRpcMethods[static_cast<std::size_t>(method)];
}

}  // namespace mulligan

#endif  // MULLIGAN_SERVER_OBSERVE_RPC_METHOD_H_
