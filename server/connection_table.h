// The connections of a server, and who gives way when there are too many.
#ifndef MULLIGAN_SERVER_CONNECTION_TABLE_H_
#define MULLIGAN_SERVER_CONNECTION_TABLE_H_

#include <cstddef>
#include <memory>
#include <mutex>
#include <string>
#include <utility>
#include <vector>

#include "server/connection.h"

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
  // another one is ended for it: one that is still beginning, else one without
  // a call of a source that has more than its share, which is an equal part for
  // each source; each time of the source that has most of these, its oldest.
  // No source but the only one replaces its own that are beginning.
  Room MakeRoom(const std::string& source);
  void Add(std::shared_ptr<Connection> connection);

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

#endif  // MULLIGAN_SERVER_CONNECTION_TABLE_H_
