// The connections of a server, and which is ended when there are too many.
#ifndef MULLIGAN_SERVER_NET_CONNECTION_TABLE_H_
#define MULLIGAN_SERVER_NET_CONNECTION_TABLE_H_

#include <cstddef>
#include <memory>
#include <mutex>
#include <string>
#include <utility>
#include <vector>

#include "server/net/connection.h"

namespace mulligan {

// Thread-safe.
class ConnectionTable {
 public:
  // At most `places`, plus a few that we ended but gRPC has not closed.
  explicit ConnectionTable(std::size_t places) : places_(places) {}

  enum class Room {
    kFree,
    // As soon as gRPC has closed some that we ended.
    kSoon,
    kNone,
  };
  // Returns whether there is room for a connection from `source`. If all places
  // are taken, ends the oldest such connection of the source with the most:
  //
  //   1. Beginning connections, if a source has more than a few.
  //   2. Otherwise, if `source` is below its share (an equal part for each):
  //      idle connections of sources above theirs.
  //   3. Beginning connections, if there are no such idle ones.
  //
  // Only a sole source replaces its own beginning connections.
  Room MakeRoom(const std::string& source, Http2Guard::Clock::time_point now);
  void Add(std::shared_ptr<Connection> connection);

  // Picks the source that holds the most memory, and of its connections that
  // hold at least half of their average ends the one whose call has been open
  // longest. Returns false if none holds anything.
  bool EndOneHolder();

  // Returns the number of open connections.
  std::size_t size() const;
  void EndAll();

 private:
  const std::size_t places_;
  mutable std::mutex mutex_;
  // In order of arrival; guarded by mutex_.
  std::vector<std::shared_ptr<Connection>> connections_;
};

}  // namespace mulligan

#endif  // MULLIGAN_SERVER_NET_CONNECTION_TABLE_H_
