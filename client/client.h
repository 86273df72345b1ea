// A C++ client of mulligan.v1.RetryDecisionService for controllers.
//
//   auto client = mulligan::Client::Create({.target = "mulligan:8980"});
//   auto answer = (*client)->Decide(request);
//   if (answer.ok()) { /* act on it, store answer->ledger() */ }
//   else if (mulligan::FallbackFor(answer.status()) == ...) { ... }
#ifndef MULLIGAN_CLIENT_CLIENT_H_
#define MULLIGAN_CLIENT_CLIENT_H_

#include <memory>
#include <string>

#include "absl/status/statusor.h"
#include "absl/time/time.h"
#include "mulligan/v1/retry_decision_service.pb.h"

namespace mulligan {

// PEM files. They are read again about every second, so a certificate can be
// replaced without a new client.
struct ClientTls {
  // The certificates that sign the server's. If all files are empty, no TLS.
  std::string ca;
  // The client's certificate with its chain, and its key; both may be empty.
  std::string certificate;
  std::string key;
  // The name in the server's certificate if it is not that of `target`.
  std::string server_name;

  bool enabled() const { return !ca.empty(); }
};

struct ClientOptions {
  // "host:port", or any gRPC target. The balancing policy is round robin, so
  // "dns:///mulligan-headless:8980" spreads calls over all replicas.
  std::string target;
  // For a whole call with its retry. Must be positive.
  absl::Duration deadline = absl::Seconds(5);
  // Pause before the retry, varied by up to half, so that the callers of a
  // restarted server do not return together.
  absl::Duration retry_backoff = absl::Milliseconds(200);
  // The largest accepted answer; a batch of 1,000 may need some MiB.
  int max_response_bytes = 64 << 20;
  ClientTls tls = {};
};

// Calls over one channel. Thread-safe; a process needs only one.
//
// A call that ends with UNAVAILABLE, as from a draining server, is repeated
// once if the deadline allows, which is safe because deciding is idempotent. So
// is a call that an overloaded server refused, after the time that the server
// asks for (google.rpc.RetryInfo). Other codes are returned at once; see
// fallback.h.
class Client {
 public:
  // INVALID_ARGUMENT names the option. Connects with the first call.
  static absl::StatusOr<std::unique_ptr<Client>> Create(ClientOptions options);
  ~Client();

  Client(const Client&) = delete;
  Client& operator=(const Client&) = delete;

  absl::StatusOr<v1::DecideResponse> Decide(
      const v1::DecideRequest& request) const;
  // At most 1,000 requests. Returns one result each, in order.
  absl::StatusOr<v1::BatchDecideResponse> BatchDecide(
      const v1::BatchDecideRequest& request) const;
  absl::StatusOr<v1::DemystifyResponse> Demystify(
      const v1::DemystifyRequest& request) const;

  // Returns OK if the server says that `service` serves, or with "" the server
  // as a whole. UNAVAILABLE if it does not or is unreachable; NOT_FOUND if it
  // does not know the service. Not repeated.
  absl::Status CheckHealth(const std::string& service) const;

 private:
  struct Connection;
  explicit Client(std::unique_ptr<Connection> connection);

  std::unique_ptr<Connection> connection_;
};

}  // namespace mulligan

#endif  // MULLIGAN_CLIENT_CLIENT_H_
