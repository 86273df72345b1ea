// The admin port: HTTP for metrics and probes.
#ifndef MULLIGAN_SERVER_ADMIN_ADMIN_HTTP_H_
#define MULLIGAN_SERVER_ADMIN_ADMIN_HTTP_H_

#include <chrono>
#include <cstddef>
#include <list>
#include <memory>
#include <string>
#include <thread>

#include "absl/status/statusor.h"
#include "server/admin/admin_pages.h"
#include "server/net/address.h"
#include "server/net/listener.h"

namespace mulligan {

// One thread that waits for no connection alone: who sends nothing, or slowly,
// keeps nobody else waiting. A request is one small header without a body, an
// answer ends its connection. The oldest of too many connections is closed.
class AdminHttp {
 public:
  static constexpr std::size_t kMaxConnections = 128;
  static constexpr std::size_t kMaxRequestBytes = 8 << 10;
  static constexpr std::chrono::seconds kTimeout{5};

  // Serves `pages` from now on. UNAVAILABLE when the address cannot be had.
  // `pages` outlives it.
  static absl::StatusOr<std::unique_ptr<AdminHttp>> Start(
      const Address& address, const AdminPages& pages);
  ~AdminHttp();
  AdminHttp(const AdminHttp&) = delete;
  AdminHttp& operator=(const AdminHttp&) = delete;

  int port() const { return socket_.port; }

 private:
  using Clock = std::chrono::steady_clock;

  struct Connection {
    OwnedDescriptor socket;
    Clock::time_point deadline;
    std::string request;
    // Set once the request is complete.
    std::string answer;
    std::size_t sent = 0;
  };

  AdminHttp(ListeningSocket socket, const AdminPages& pages);

  void Run();
  // The next connection; not valid when there is none or no descriptor for it.
  OwnedDescriptor TakeWaiting() const;
  // Whoever waits to be connected, as long as there are any.
  void Accept();
  // False: nobody waits, or there is no descriptor.
  bool AcceptOne();
  // False: the connection is over.
  bool Read(Connection& connection);
  bool Write(Connection& connection);

  const ListeningSocket socket_;
  const AdminPages& pages_;
  std::list<Connection> connections_;  // the oldest first
  // For the connection that comes when there are no more descriptors.
  OwnedDescriptor spare_ = OpenSpare();
  OwnedDescriptor wake_;
  std::thread thread_;
};

}  // namespace mulligan

#endif  // MULLIGAN_SERVER_ADMIN_ADMIN_HTTP_H_
