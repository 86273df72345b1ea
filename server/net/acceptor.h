// Takes connections for the gRPC server.
//
// gRPC's own listener does not limit connections and stops for good when
// descriptors run out. This one closes a connection instead.
#ifndef MULLIGAN_SERVER_NET_ACCEPTOR_H_
#define MULLIGAN_SERVER_NET_ACCEPTOR_H_

#include <atomic>
#include <chrono>
#include <cstddef>
#include <functional>
#include <memory>
#include <thread>

#include "server/net/connection.h"
#include "server/net/connection_table.h"
#include "server/net/io_hooks.h"
#include "server/net/listener.h"
#include "server/observe/log.h"

namespace mulligan {

class Acceptor {
 public:
  // Takes over a connected, non-blocking descriptor.
  using Handle = std::function<void(int connection)>;

  struct Bounds {
    // Above this, ConnectionTable ends one; if it cannot, the new one is
    // closed.
    std::size_t connections;
    AggregateUsage::Bounds usage;
  };

  // Takes connections from now on. `log` must outlive the acceptor.
  Acceptor(ListeningSocket socket, Wire wire, const Bounds& bounds,
           Handle handle, const Log& log);
  ~Acceptor();
  Acceptor(const Acceptor&) = delete;
  Acceptor& operator=(const Acceptor&) = delete;

  // Stops listening; the system refuses later connections.
  void Stop();

  // Ends every connection in both directions. Callers get UNAVAILABLE for
  // unanswered calls. REQUIRES: Stop was called.
  void CutConnections();

  // The next connection from this port of the same address is the server's own
  // probe, which does not count as a caller's connection. 0: no probe.
  void ExpectProbe(int port) { probe_port_ = port; }

  // Returns whether the loop has run within the last five seconds.
  bool IsAlive() const;

  std::size_t connections() const { return table_->size(); }
  // Returns the number of open calls, even if their message still arrives.
  std::size_t open_streams() const { return group_->usage().streams.load(); }
  // Connections closed at once since the start.
  std::size_t refused() const { return refused_.load(); }
  // Connections ended since the start because the peer misused HTTP/2.
  std::size_t offences() const { return group_->offences().count; }

 private:
  using Clock = std::chrono::steady_clock;

  void Run();
  // Returns false if no connection waits or there is no room yet.
  bool TakeOne();
  // Returns false if there is no room yet.
  bool Take(OwnedDescriptor& connection);
  bool IsOwn(int connection) const;
  void Refuse(OwnedDescriptor connection, const char* why);
  void LogRefused();
  void LogOffences();

  const ListeningSocket socket_;
  const Wire wire_;
  const Handle handle_;
  const Log& log_;
  // Released to close a connection when no other descriptor is free.
  OwnedDescriptor spare_;
  // A connection for which there is no room yet.
  OwnedDescriptor held_;
  std::atomic<int> probe_port_ = 0;
  std::atomic<std::size_t> refused_ = 0;
  std::atomic<Clock::time_point> last_round_ = Clock::now();
  // Both are logged at most every ten seconds.
  const char* refused_why_ = "";
  std::size_t refused_logged_ = 0;
  std::size_t offences_logged_ = 0;
  Clock::time_point last_logged_ = {};
  // Connections may outlive the acceptor.
  const std::shared_ptr<ConnectionTable> table_;
  const std::shared_ptr<ConnectionGroup> group_;
  // Wakes the loop to end it.
  OwnedDescriptor wake_;
  std::thread thread_;
};

}  // namespace mulligan

#endif  // MULLIGAN_SERVER_NET_ACCEPTOR_H_
