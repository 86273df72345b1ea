// A real server on a free port, for tests.
#ifndef MULLIGAN_TESTS_SERVER_TEST_SERVER_H_
#define MULLIGAN_TESTS_SERVER_TEST_SERVER_H_

#include <grpcpp/channel.h>

#include <cstdint>
#include <memory>
#include <sstream>
#include <string>
#include <vector>

#include "absl/time/time.h"
#include "google/rpc/error_details.pb.h"
#include "mulligan/v1/policy_service.grpc.pb.h"
#include "mulligan/v1/retry_decision_service.grpc.pb.h"
#include "policy/loader/load.h"
#include "server/server.h"

namespace mulligan::testing {

// 127.0.0.1 port 0, no admin port, no delays, no polling of policies.
ServerOptions TestOptions();
// The same with an admin port.
ServerOptions TestOptionsWithAdmin();

// Serves from construction; aborts the test binary if it cannot start.
class TestServer {
 public:
  explicit TestServer(const ServerOptions& options = TestOptions(),
                      std::vector<PolicyText> policies = {EmbeddedPolicy()});
  TestServer(const ServerOptions& options,
             std::unique_ptr<PolicySource> source);

  Server& operator*() { return *server_; }
  Server* operator->() { return server_.get(); }

  // Returns a channel with a new connection.
  std::shared_ptr<grpc::Channel> NewChannel() const;
  // The channel made at the start.
  const std::shared_ptr<grpc::Channel>& channel() const { return channel_; }

  // Call the three decision methods with a generous deadline.
  grpc::Status Decide(const v1::DecideRequest& request,
                      v1::DecideResponse* response);
  grpc::Status BatchDecide(const v1::BatchDecideRequest& request,
                           v1::BatchDecideResponse* response);
  grpc::Status Demystify(const v1::DemystifyRequest& request,
                         v1::DemystifyResponse* response);

  // Returns the value of a series as in /metrics, such as
  // `mulligan_decisions_total{cause="UNKNOWN",action="FAIL"}`; -1: absent.
  double Metric(const std::string& series) const;

  // Returns the log so far.
  std::string log() const { return log_text_.str(); }

 private:
  std::ostringstream log_text_;
  std::unique_ptr<Log> log_;
  std::unique_ptr<PolicySource> source_;
  std::unique_ptr<Server> server_;
  std::shared_ptr<grpc::Channel> channel_;
  std::unique_ptr<v1::RetryDecisionService::Stub> stub_;
};

// Returns a request whose pod ran out of memory, observed at a fixed time so
// that answers are reproducible.
v1::DecideRequest OutOfMemoryRequest();

inline constexpr char kDecide[] = "/mulligan.v1.RetryDecisionService/Decide";

// Sends `bytes` as the request of a unary method ("/service/Method").
grpc::Status CallWithBytes(const std::shared_ptr<grpc::Channel>& channel,
                           const std::string& method, const std::string& bytes,
                           std::string* response = nullptr);

// Writes `bytes` on a streaming method and reads one answer.
grpc::Status StreamOneMessage(const std::shared_ptr<grpc::Channel>& channel,
                              const std::string& method,
                              const std::string& bytes, std::string* response);

// Returns the BadRequest in the details of `status`; empty without one.
google::rpc::BadRequest BadRequestOf(const grpc::Status& status);

// Returns its field names.
std::vector<std::string> BadFields(const grpc::Status& status);

}  // namespace mulligan::testing

#endif  // MULLIGAN_TESTS_SERVER_TEST_SERVER_H_
