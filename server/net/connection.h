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

// The shared totals of a server's connections, and those ended for what was
// sent on them. Safe to share.
class Crowd {
 public:
  // Ends one that holds too much; returns false if there is none.
  using EndOne = std::function<bool()>;

  Crowd(const Together::Bounds& bounds, EndOne end_one)
      : together_(bounds), end_one_(std::move(end_one)) {}
  Together& together() { return together_; }

  // Ends connections until all together are within their bound. REQUIRES: the
  // caller holds no connection's lock.
  void Relieve();

  struct Offences {
    std::size_t count = 0;  // since the start
    // Of the last one.
    std::string source;
    const char* reason = "";
  };

  void AddOffence(const std::string& source, const char* reason);
  Offences offences() const;

 private:
  Together together_;
  const EndOne end_one_;
  std::mutex relieving_;
  mutable std::mutex mutex_;
  Offences offences_;
};

// Shared by the counter, the descriptor and the TLS session.
class Connection {
 public:
  // Takes a connected socket, which gRPC closes.
  Connection(int descriptor, std::string source, std::shared_ptr<Crowd> crowd)
      : descriptor_(descriptor),
        source_(std::move(source)),
        crowd_(std::move(crowd)) {}

  // The source of the connection, as in SourceOf.
  const std::string& source() const { return source_; }

  // Checks received bytes, decrypted. Returns false if they must not be read
  // and the connection has to end.
  bool Receive(std::string_view bytes);
  // Checks bytes about to be sent, before encryption.
  void Send(std::string_view bytes);
  // Calls `write` with a function that checks the bytes sent. Blocks receiving
  // meanwhile: the caller may acknowledge before `write` returns, which would
  // look like a guess.
  template <typename Write>
  auto Sending(const Write& write) {
    const std::lock_guard lock(mutex_);
    return write([this](std::string_view bytes) {
      guard_.Send(bytes, Http2Guard::Clock::now());
    });
  }

  enum class State {
    // In its handshake, or without the start of HTTP/2.
    kBeginning,
    // Without calls, or with none answered for long.
    kIdle,
    kBusy,
    // We ended it; gRPC still has the descriptor.
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
  // Ends it because of what was sent on it.
  void EndFor(const char* why);
  // Must be called before its descriptor may be reused.
  void Closed();

 private:
  // As Receive, for this connection alone.
  bool Look(std::string_view bytes);

  const int descriptor_;
  const std::string source_;
  const std::shared_ptr<Crowd> crowd_;
  mutable std::mutex mutex_;
  Http2Guard guard_{crowd_->together(), Http2Guard::Clock::now()};
  bool ending_ = false;
  bool closed_ = false;
};

// Returns whether the peer is at `port` of this end's own address: a socket of
// this machine.
bool IsFromHere(int connection, int port);

// Returns the peer's IPv4 address, its IPv6 /64, or "unix"; empty if there is
// no peer any more.
std::string SourceOf(int connection);

}  // namespace mulligan

#endif  // MULLIGAN_SERVER_NET_CONNECTION_H_
