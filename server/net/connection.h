// A connection that the server took, while its descriptor is open.
#ifndef MULLIGAN_SERVER_NET_CONNECTION_H_
#define MULLIGAN_SERVER_NET_CONNECTION_H_

#include <cstddef>
#include <functional>
#include <memory>
#include <mutex>
#include <string>
#include <string_view>
#include <utility>

#include "server/net/http2_guard.h"

namespace mulligan {

// The totals of a server's connections, and those ended for misuse.
// Thread-safe.
class ConnectionGroup {
 public:
  // Ends one that holds much memory; returns false if none holds any.
  using EndOne = std::function<bool()>;

  ConnectionGroup(const AggregateUsage::Bounds& bounds, EndOne end_one)
      : usage_(bounds), end_one_(std::move(end_one)) {}
  AggregateUsage& usage() { return usage_; }

  // Ends connections until their total is within its bound.
  // REQUIRES: the caller holds no connection's lock.
  void EnforceLimit();

  struct Offences {
    std::size_t count = 0;  // since the start
    // Of the last one.
    std::string source;
    const char* reason = "";
  };

  void AddOffence(const std::string& source, const char* reason);
  Offences offences() const;

 private:
  AggregateUsage usage_;
  const EndOne end_one_;
  std::mutex enforcing_;
  mutable std::mutex mutex_;
  Offences offences_;
};

// Shared by the table, the descriptor and the TLS session.
class Connection {
 public:
  // Takes a connected socket, which gRPC closes.
  Connection(int descriptor, std::string source,
             std::shared_ptr<ConnectionGroup> crowd)
      : descriptor_(descriptor),
        source_(std::move(source)),
        group_(std::move(crowd)) {}

  // The source of the connection, as in SourceOf.
  const std::string& source() const { return source_; }

  // Checks received bytes, decrypted. Returns false if the connection must end
  // without reading them.
  bool Receive(std::string_view bytes);
  // Checks bytes about to be sent, before encryption.
  void Send(std::string_view bytes);
  // Calls `write` with a function that checks the bytes sent. Blocks receiving
  // meanwhile: an acknowledgment that arrives before `write` returns would seem
  // to precede what it acknowledges.
  template <typename Write>
  auto Sending(const Write& write) {
    const std::lock_guard lock(mutex_);
    return write([this](std::string_view bytes) {
      guard_.Send(bytes, Http2Guard::Clock::now());
    });
  }

  enum class State {
    // In its handshake, or HTTP/2 has not begun.
    kBeginning,
    // Has no calls, or none has been answered for Http2Guard::kQuiet.
    kIdle,
    kBusy,
    // Ended by us; gRPC still has the descriptor.
    kEnding,
    kClosed,
  };
  State state(Http2Guard::Clock::time_point now) const;

  // What gRPC holds for arriving calls, and since when; empty if ending.
  struct Held {
    std::size_t bytes = 0;
    Http2Guard::Clock::time_point since;
  };
  Held held() const;

  // Ends it in both directions; gRPC sees the end and closes the descriptor.
  void End();
  // The same, and counts it as an offence.
  void EndFor(const char* why);
  // Must be called before its descriptor may be reused.
  void Closed();

 private:
  // Does the part of Receive that concerns only this connection.
  bool Check(std::string_view bytes);

  const int descriptor_;
  const std::string source_;
  const std::shared_ptr<ConnectionGroup> group_;
  mutable std::mutex mutex_;
  Http2Guard guard_{group_->usage(), Http2Guard::Clock::now()};
  bool ending_ = false;
  bool closed_ = false;
};

// Returns whether the peer's address is this end's own with `port`, so that the
// peer is on this machine.
bool IsFromLocalPort(int connection, int port);

// Returns the peer's IPv4 address, its IPv6 /64, or "unix"; empty if the
// peer is gone.
std::string SourceOf(int connection);

}  // namespace mulligan

#endif  // MULLIGAN_SERVER_NET_CONNECTION_H_
