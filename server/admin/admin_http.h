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

// A single thread that never blocks on one connection, so silent or slow
// callers do not delay others. A request is a small header without a body; the
// answer ends the connection. If there are too many connections, the oldest is
// closed.
class AdminHttp {
 public:
  static constexpr std::size_t kMaxConnections = 128;
  static constexpr std::size_t kMaxRequestBytes = 8 << 10;
  static constexpr std::chrono::seconds kTimeout{5};

  // Serves `pages`, which must outlive the result. UNAVAILABLE if it cannot
  // listen on the address.
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
  // Returns the next connection; invalid if none waits or accepting fails.
  OwnedDescriptor TakeWaiting() const;
  // Accepts waiting connections, up to kMaxConnections.
  void Accept();
  // Returns false if none waits or no descriptor is free.
  bool AcceptOne();
  // Return false if the connection is over.
  bool Read(Connection& connection);
  bool Write(Connection& connection);

  const ListeningSocket socket_;
  const AdminPages& pages_;
  std::list<Connection> connections_;  // the oldest first
  // Released to accept a connection when no other descriptor is free.
  OwnedDescriptor spare_ = OpenSpare();
  OwnedDescriptor wake_;
  std::thread thread_;
};

}  // namespace mulligan

#endif  // MULLIGAN_SERVER_ADMIN_ADMIN_HTTP_H_
