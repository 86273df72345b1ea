// gRPC server reflection that has the schemas' comments.
#ifndef MULLIGAN_SERVER_RPC_REFLECTION_SERVICE_H_
#define MULLIGAN_SERVER_RPC_REFLECTION_SERVICE_H_

#include <grpcpp/impl/codegen/service_type.h>

#include <atomic>
#include <string>
#include <vector>

namespace mulligan {

// grpc.reflection.v1 or v1alpha, which differ only in name.
class ReflectionService final : public grpc::Service {
 public:
  // `package` is "grpc.reflection.v1" or "grpc.reflection.v1alpha"; `services`
  // are the names to list.
  ReflectionService(const std::string& package,
                    std::vector<std::string> services);

 private:
  const std::string method_;
  const std::vector<std::string> services_;
  std::atomic<int> open_ = 0;  // streams
};

}  // namespace mulligan

#endif  // MULLIGAN_SERVER_RPC_REFLECTION_SERVICE_H_
