// Takes connections for the gRPC server.
//
// gRPC's own listener has no bound on connections and gives up for good when
// descriptors run out. Here both end in a closed connection and the next one
// is taken.
#ifndef MULLIGAN_SERVER_ACCEPTOR_H_
#define MULLIGAN_SERVER_ACCEPTOR_H_

#include <sys/types.h>

#include <atomic>
#include <chrono>
#include <cstddef>
#include <functional>
#include <mutex>
#include <thread>
#include <vector>

#include "server/listener.h"
#include "server/log.h"

namespace mulligan {

class Acceptor {
 public:
  // Takes over a connected descriptor that does not block.
  using Handle = std::function<void(int connection)>;

  // Takes connections from now on, at most `max_connections` at a time: the
  // oldest from which nothing has come gives way, and where there is none the
  // new one is closed at once. `log` outlives the acceptor.
  Acceptor(ListeningSocket socket, std::size_t max_connections, Handle handle,
           const Log& log);
  ~Acceptor();
  Acceptor(const Acceptor&) = delete;
  Acceptor& operator=(const Acceptor&) = delete;

  // Ends listening: who connects from now on is refused by the system.
  void Stop();

  // Ends every connection in both directions. What gRPC had not answered ends
  // with UNAVAILABLE at the caller. Call after Stop.
  void CutConnections();

  // Whether connections are being taken: the loop came round lately.
  bool IsAlive() const;

  // Open ones, as far as known; a closed one is noticed within a second.
  std::size_t connections() const;
  // Closed at once since the start.
  std::size_t refused() const { return refused_.load(); }

 private:
  using Clock = std::chrono::steady_clock;

  // gRPC closes descriptors without telling; the inode tells whether the number
  // is still the connection's.
  struct Connection {
    int number;
    ino_t inode;
    // Once something has come.
    bool spoke = false;
  };

  void Run();
  // False: nothing waits to be taken.
  bool TakeOne();
  // Ends the oldest connection from which nothing has come. False: there is
  // none.
  bool EndOldestSilent();
  void Refuse(int connection, const char* why);
  void Sweep();

  const ListeningSocket socket_;
  const std::size_t max_connections_;
  const Handle handle_;
  const Log& log_;
  // Given up for the moment it takes to close a connection when there are no
  // more descriptors.
  OwnedDescriptor spare_;
  std::atomic<std::size_t> refused_ = 0;
  std::atomic<Clock::time_point> last_round_ = Clock::now();
  Clock::time_point last_logged_ = {};
  mutable std::mutex mutex_;
  // In the order of their arrival; guarded by mutex_.
  std::vector<Connection> connections_;
  // Wakes the loop to end it.
  OwnedDescriptor wake_;
  std::thread thread_;
};

}  // namespace mulligan

#endif  // MULLIGAN_SERVER_ACCEPTOR_H_
