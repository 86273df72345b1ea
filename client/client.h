// A client of mulligan.v1.RetryDecisionService for controllers in C++.
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

// Files in PEM form. They are read again every second or so, so that a
// certificate is replaced without a new client.
struct ClientTls {
  // Who signs the server's certificate; empty, with the others empty: no TLS.
  std::string ca;
  // The client's own certificate with its chain, and the key; empty: none.
  std::string certificate;
  std::string key;
  // A name in the server's certificate, where it is not that of `target`.
  std::string server_name;

  bool enabled() const { return !ca.empty(); }
};

struct ClientOptions {
  // "host:port", or any gRPC target. "dns:///mulligan-headless:8980" spreads
  // the calls over all replicas: the balancing policy is round robin.
  std::string target;
  // For a whole call, its retry included. Must be positive.
  absl::Duration deadline = absl::Seconds(5);
  // Pause before the retry, varied by up to half either way so that the
  // callers of a restarted server do not come back together.
  absl::Duration retry_backoff = absl::Milliseconds(200);
  // Largest answer accepted; a batch of 1,000 may need some MiB.
  int max_response_bytes = 64 << 20;
  ClientTls tls = {};
};

// Calls over one channel. Thread-safe; a process needs one.
//
// A call that ends with UNAVAILABLE is repeated once if the deadline leaves
// room: deciding is idempotent, and a draining server answers so. So is a call
// that an overloaded server refused, not before the time the server asks for
// (google.rpc.RetryInfo). Other codes
// are returned at once. FallbackFor (fallback.h) says what to do then; server
// details are attached and read by fallback.h, too.
class Client {
 public:
  // INVALID_ARGUMENT names the option. Connects with the first call.
  static absl::StatusOr<std::unique_ptr<Client>> Create(ClientOptions options);
  ~Client();

  Client(const Client&) = delete;
  Client& operator=(const Client&) = delete;

  absl::StatusOr<v1::DecideResponse> Decide(
      const v1::DecideRequest& request) const;
  // At most 1,000 requests; one result each, in order.
  absl::StatusOr<v1::BatchDecideResponse> BatchDecide(
      const v1::BatchDecideRequest& request) const;
  absl::StatusOr<v1::DemystifyResponse> Demystify(
      const v1::DemystifyRequest& request) const;

  // OK when the server says that `service` serves, "" for the server as a
  // whole; UNAVAILABLE when it does not or cannot be reached; NOT_FOUND when it
  // does not know the service. Not repeated.
  absl::Status CheckHealth(const std::string& service) const;

 private:
  struct Connection;
  explicit Client(std::unique_ptr<Connection> connection);

  std::unique_ptr<Connection> connection_;
};

}  // namespace mulligan

#endif  // MULLIGAN_CLIENT_CLIENT_H_
