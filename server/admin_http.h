// The admin port: HTTP for metrics, probes and people.
#ifndef MULLIGAN_SERVER_ADMIN_HTTP_H_
#define MULLIGAN_SERVER_ADMIN_HTTP_H_

#include <memory>

#include "absl/status/statusor.h"
#include "server/address.h"
#include "server/admin_pages.h"
#include "server/log.h"

struct mg_context;

namespace mulligan {

// Serves AdminPages with civetweb on its own few threads.
class AdminHttp {
 public:
  // Listens on `address` (not a unix socket; port 0 picks one). UNAVAILABLE
  // when it cannot; civetweb's reason is in the log. `pages` and `log` outlive
  // the result.
  static absl::StatusOr<std::unique_ptr<AdminHttp>> Start(
      const Address& address, const AdminPages& pages, const Log& log);

  // Blocks until civetweb's threads are gone, up to two seconds: destroy it
  // last.
  ~AdminHttp();
  AdminHttp(const AdminHttp&) = delete;
  AdminHttp& operator=(const AdminHttp&) = delete;

  int port() const { return port_; }

 private:
  AdminHttp(mg_context* context, int port) : context_(context), port_(port) {}

  mg_context* const context_;
  const int port_;
};

}  // namespace mulligan

#endif  // MULLIGAN_SERVER_ADMIN_HTTP_H_
