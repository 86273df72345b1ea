// A connection that the server took, as long as its descriptor is open.
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

// What the connections of a server have in common: what they have together,
// and those that ended for what their callers sent. Safe to share.
class Crowd {
 public:
  // Ends one that holds too much; false: there is none.
  using EndOne = std::function<bool()>;

  Crowd(const Together::Bounds& bounds, EndOne end_one)
      : together_(bounds), end_one_(std::move(end_one)) {}
  Together& together() { return together_; }

  // Ends connections until all hold no more than they may. Not for who has
  // one locked.
  void Relieve();

  struct Offences {
    std::size_t count = 0;  // since the start
    // Of the last.
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

// Shared by who counts it, its descriptor and its TLS session.
class Connection {
 public:
  // A connected socket, which is gRPC's to close.
  Connection(int descriptor, std::string source, std::shared_ptr<Crowd> crowd)
      : descriptor_(descriptor),
        source_(std::move(source)),
        crowd_(std::move(crowd)) {}

  // Who is at the other end, as far as shares go: see SourceOf.
  const std::string& source() const { return source_; }

  // Looks at what has come, decrypted. False: nobody may read it, and the
  // connection has to end.
  bool Receive(std::string_view bytes);
  // Looks at what is about to be sent, not yet encrypted.
  void Send(std::string_view bytes);
  // Looks at what `write` has sent, which calls what it is given with that.
  // Nothing is received meanwhile: the caller may acknowledge before `write`
  // returns, and would be taken for one that guesses.
  template <typename Write>
  auto Sending(const Write& write) {
    const std::lock_guard lock(mutex_);
    return write([this](std::string_view bytes) {
      guard_.Send(bytes, Http2Guard::Clock::now());
    });
  }

  enum class State {
    // Still in its handshake, or it has not begun as HTTP/2 does.
    kBeginning,
    // Without a call, or with calls of which none has been answered for long.
    kIdle,
    kBusy,
    // Ended by us; gRPC still has the descriptor.
    kEnding,
    kClosed,
  };
  State state(Http2Guard::Clock::time_point now) const;

  // What gRPC keeps for its calls that are still coming, and since when;
  // nothing when it is ending.
  struct Held {
    std::size_t bytes = 0;
    Http2Guard::Clock::time_point since;
  };
  Held held() const;

  // Ends it in both directions; gRPC reads its end and closes the descriptor.
  void End();
  // Ends it for what was sent on it.
  void EndFor(const char* why);
  // Its descriptor is about to be another's.
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

// Whether the other end is at `port` of the address that this end has, too: a
// socket of this machine.
bool IsFromHere(int connection, int port);

// The other end's address of IPv4, its /64 of IPv6, or "unix". Empty: there is
// no other end any more.
std::string SourceOf(int connection);

}  // namespace mulligan

#endif  // MULLIGAN_SERVER_NET_CONNECTION_H_
