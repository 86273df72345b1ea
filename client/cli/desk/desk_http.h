// The HTTP server of the desk, on the loopback interface.
#ifndef MULLIGAN_CLIENT_CLI_DESK_DESK_HTTP_H_
#define MULLIGAN_CLIENT_CLI_DESK_DESK_HTTP_H_

#include <memory>
#include <string>
#include <utility>

#include "absl/status/statusor.h"
#include "client/cli/desk/desk.h"

struct mg_context;
struct mg_connection;

namespace mulligan::cli {

// Serves up to kThreads requests at once until it is destroyed; up to kWaiting
// more wait. A client may be silent for at most kSilenceMs milliseconds.
class DeskHttp {
 public:
  static constexpr int kThreads = 4;
  static constexpr int kWaiting = 32;
  static constexpr int kSilenceMs = 10'000;
  static constexpr int kMaxHeadBytes = 16 << 10;

  // Listens on 127.0.0.1:`port`, for 0 on any free port. FAILED_PRECONDITION if
  // it cannot listen there. `desk` must outlive the result.
  static absl::StatusOr<std::unique_ptr<DeskHttp>> Start(int port, Desk& desk);
  ~DeskHttp();
  DeskHttp(const DeskHttp&) = delete;
  DeskHttp& operator=(const DeskHttp&) = delete;

  // "http://127.0.0.1:PORT/TOKEN/"
  const std::string& address() const { return address_; }

 private:
  DeskHttp(Desk& desk, std::string token)
      : desk_(desk), token_(std::move(token)) {}

  DeskAnswer Ask(mg_connection* connection);

  Desk& desk_;
  const std::string token_;
  mg_context* server_ = nullptr;
  std::string address_;
};

}  // namespace mulligan::cli

#endif  // MULLIGAN_CLIENT_CLI_DESK_DESK_HTTP_H_
