// The connections of a server, and who gives way when there are too many.
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

// Safe to share.
class ConnectionTable {
 public:
  // At most so many, beside few that we have ended and gRPC has not closed.
  explicit ConnectionTable(std::size_t places) : places_(places) {}

  enum class Room {
    kFree,
    // As soon as gRPC has closed some that we have ended.
    kSoon,
    kNone,
  };
  // Whether one more connection from `source` has a place. Where all are taken,
  // another one is ended for it: one that is still beginning, where a source
  // has more than a few of these; else, for a source that has less than its
  // share, which is an equal part for each, an idle one of a source that has
  // more, and without any one that is beginning; each time of the source that
  // has most of these, its oldest. No source but the only one replaces its own
  // that are beginning.
  Room MakeRoom(const std::string& source, Http2Guard::Clock::time_point now);
  void Add(std::shared_ptr<Connection> connection);

  // Ends one that holds too much, as connections do together: of the source
  // that holds most, among those that do not hold much less than its others,
  // the one whose call is the longest under way. False: nobody holds anything.
  bool EndOneThatHolds();

  // Open ones.
  std::size_t size() const;
  // Ends all.
  void EndAll();

 private:
  const std::size_t places_;
  mutable std::mutex mutex_;
  // In the order of their arrival; guarded by mutex_.
  std::vector<std::shared_ptr<Connection>> connections_;
};

}  // namespace mulligan

#endif  // MULLIGAN_SERVER_NET_CONNECTION_TABLE_H_
