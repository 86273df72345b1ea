// Takes connections for the gRPC server.
//
// gRPC's own listener has no bound on connections and gives up for good when
// descriptors run out. Here both end in a closed connection and the next one
// is taken.
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
  // Takes over a connected descriptor that does not block.
  using Handle = std::function<void(int connection)>;

  struct Bounds {
    // Who gives way beyond that says ConnectionTable; where nobody does the new
    // one is closed at once.
    std::size_t connections;
    Together::Bounds together;
  };

  // Takes connections from now on. `log` outlives the acceptor.
  Acceptor(ListeningSocket socket, Wire wire, const Bounds& bounds,
           Handle handle, const Log& log);
  ~Acceptor();
  Acceptor(const Acceptor&) = delete;
  Acceptor& operator=(const Acceptor&) = delete;

  // Ends listening: who connects from now on is refused by the system.
  void Stop();

  // Ends every connection in both directions. What gRPC had not answered ends
  // with UNAVAILABLE at the caller. Call after Stop.
  void CutConnections();

  // The next connection from this port of the same address is the server's own
  // look at its listener: it takes no caller's place. 0: none is.
  void ExpectOwn(int port) { own_port_ = port; }

  // Whether connections are being taken: the loop came round lately.
  bool IsAlive() const;

  std::size_t connections() const { return table_->size(); }
  // Calls that are not ended, those included whose message is still to come.
  std::size_t open_streams() const { return crowd_->together().streams.load(); }
  // Closed at once since the start.
  std::size_t refused() const { return refused_.load(); }
  // Ended since the start for what was sent on them.
  std::size_t offences() const { return crowd_->offences().count; }

 private:
  using Clock = std::chrono::steady_clock;

  void Run();
  // False: nothing waits to be taken, or there is no room yet.
  bool TakeOne();
  // False: there is no room yet.
  bool Take(OwnedDescriptor& connection);
  bool IsOwn(int connection) const;
  void Refuse(OwnedDescriptor connection, const char* why);
  void TellOfRefused();
  void TellOfOffences();

  const ListeningSocket socket_;
  const Wire wire_;
  const Handle handle_;
  const Log& log_;
  // Given up for the moment it takes to close a connection when there are no
  // more descriptors.
  OwnedDescriptor spare_;
  // For what there is no room yet.
  OwnedDescriptor held_;
  std::atomic<int> own_port_ = 0;
  std::atomic<std::size_t> refused_ = 0;
  std::atomic<Clock::time_point> last_round_ = Clock::now();
  // Both told of now and then.
  const char* refused_why_ = "";
  std::size_t refused_told_ = 0;
  std::size_t offences_told_ = 0;
  Clock::time_point last_told_ = {};
  // Connections may outlive this.
  const std::shared_ptr<ConnectionTable> table_;
  const std::shared_ptr<Crowd> crowd_;
  // Wakes the loop to end it.
  OwnedDescriptor wake_;
  std::thread thread_;
};

}  // namespace mulligan

#endif  // MULLIGAN_SERVER_NET_ACCEPTOR_H_
