#include "server/net/connection_table.h"

#include <algorithm>
#include <functional>
#include <string_view>
#include <unordered_map>

namespace mulligan {
namespace {

using State = Connection::State;

// The maximum of connections that we ended and gRPC has yet to close;
// MaxConnections in server.cc reserves their descriptors.
constexpr std::size_t kMaxEnding = 128;
// Up to this many beginning connections, a source loses none to others.
constexpr std::size_t kFewBeginning = 8;

constexpr char kHoldsTooMuch[] =
    "unfinished calls, while memory is short (--max-memory)";

// The connections of one source.
struct SourceStats {
  std::size_t all = 0;  // including those that are ending
  std::size_t beginning = 0;
  std::size_t idle = 0;
  // The oldest of each; null if there is none.
  Connection* oldest_beginning = nullptr;
  Connection* oldest_idle = nullptr;
};
using StatsBySource = std::unordered_map<std::string_view, SourceStats>;

void Count(Connection& connection, State state, SourceStats& stats) {
  ++stats.all;
  if (state == State::kBeginning) {
    ++stats.beginning;
    if (stats.oldest_beginning == nullptr) {
      stats.oldest_beginning = &connection;
    }
  } else if (state == State::kIdle) {
    ++stats.idle;
    if (stats.oldest_idle == nullptr) stats.oldest_idle = &connection;
  }
}

// Returns `oldest` of the source with the highest `count`.
Connection* OldestOfMost(const StatsBySource& by_source,
                         std::size_t SourceStats::*count,
                         Connection* SourceStats::*oldest) {
  Connection* found = nullptr;
  std::size_t most = 0;
  for (const auto& [source, stats] : by_source) {
    if (stats.*count <= most) continue;
    most = stats.*count;
    found = stats.*oldest;
  }
  return found;
}

// Returns the connection that makes room for a new one from `source`, or null.
Connection* ChooseConnectionToEnd(StatsBySource& by_source,
                                  const std::string& source,
                                  std::size_t share) {
  Connection* const beginning = OldestOfMost(by_source, &SourceStats::beginning,
                                             &SourceStats::oldest_beginning);
  const bool alone = by_source.size() == 1;
  const bool many = beginning != nullptr &&
                    by_source[beginning->source()].beginning > kFewBeginning;
  // Replacing its own connections, a source could cause handshakes endlessly.
  const bool own = beginning != nullptr && beginning->source() == source;
  if (many || alone) return own && !alone ? nullptr : beginning;
  if (by_source[source].all >= share) return nullptr;
  std::erase_if(by_source, [share](const auto& of_one) {
    return of_one.second.all <= share;
  });
  Connection* const idle =
      OldestOfMost(by_source, &SourceStats::idle, &SourceStats::oldest_idle);
  return idle != nullptr || own ? idle : beginning;
}

}  // namespace

ConnectionTable::Room ConnectionTable::MakeRoom(
    const std::string& source, Http2Guard::Clock::time_point now) {
  const std::lock_guard lock(mutex_);
  if (connections_.size() < places_) return Room::kFree;
  StatsBySource by_source;
  std::size_t ending = 0;
  std::erase_if(connections_, [&](const auto& connection) {
    const State state = connection->state(now);
    if (state == State::kClosed) return true;
    if (state == State::kEnding) ++ending;
    Count(*connection, state, by_source[connection->source()]);
    return false;
  });
  const std::size_t own = by_source[source].all;
  const std::size_t share = places_ / by_source.size();
  if (ending >= kMaxEnding) {
    // Connections of one source must not make others wait.
    return by_source.size() > 1 && own > share ? Room::kNone : Room::kSoon;
  }
  if (connections_.size() - ending < places_) return Room::kFree;
  Connection* const leaves = ChooseConnectionToEnd(by_source, source, share);
  if (leaves == nullptr) return Room::kNone;
  leaves->End();
  return Room::kFree;
}

void ConnectionTable::Add(std::shared_ptr<Connection> connection) {
  const std::lock_guard lock(mutex_);
  connections_.push_back(std::move(connection));
}

bool ConnectionTable::EndOneHolder() {
  struct Sum {
    std::size_t bytes = 0;
    std::size_t connections = 0;
  };
  const std::lock_guard lock(mutex_);
  std::unordered_map<std::string_view, Sum> sums;
  std::string_view most;
  for (const auto& connection : connections_) {
    const Connection::Held held = connection->held();
    if (held.bytes == 0) continue;
    Sum& sum = sums[connection->source()];
    sum.bytes += held.bytes;
    ++sum.connections;
    if (sum.bytes >= sums[most].bytes) most = connection->source();
  }
  const Sum all = sums[most];
  Connection* longest = nullptr;
  auto since = Http2Guard::Clock::time_point::max();
  for (const auto& connection : connections_) {
    const Connection::Held held = connection->held();
    if (held.bytes == 0 || connection->source() != most ||
        2 * held.bytes * all.connections < all.bytes || held.since >= since) {
      continue;
    }
    since = held.since;
    longest = connection.get();
  }
  if (longest != nullptr) longest->EndFor(kHoldsTooMuch);
  return longest != nullptr;
}

std::size_t ConnectionTable::size() const {
  const auto now = Http2Guard::Clock::now();
  const std::lock_guard lock(mutex_);
  return static_cast<std::size_t>(std::count_if(
      connections_.begin(), connections_.end(), [now](const auto& connection) {
        return connection->state(now) != State::kClosed;
      }));
}

void ConnectionTable::EndAll() {
  const std::lock_guard lock(mutex_);
  for (const auto& connection : connections_) connection->End();
}

}  // namespace mulligan
