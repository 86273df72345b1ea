// Listening sockets and descriptors.
#ifndef MULLIGAN_SERVER_NET_LISTENER_H_
#define MULLIGAN_SERVER_NET_LISTENER_H_

#include <sys/socket.h>

#include <utility>

#include "absl/status/statusor.h"
#include "server/net/address.h"

namespace mulligan {

// A descriptor that it closes.
class OwnedDescriptor {
 public:
  explicit OwnedDescriptor(int number = -1) : number_(number) {}
  OwnedDescriptor(OwnedDescriptor&& other) noexcept
      : number_(std::exchange(other.number_, -1)) {}
  OwnedDescriptor& operator=(OwnedDescriptor&& other) noexcept {
    std::swap(number_, other.number_);
    return *this;
  }
  ~OwnedDescriptor();

  int number() const { return number_; }
  bool valid() const { return number_ >= 0; }
  int Release() { return std::exchange(number_, -1); }

 private:
  int number_;
};

struct ListeningSocket {
  OwnedDescriptor socket;
  // 0 for a unix socket.
  int port = 0;
};

// Returns a non-blocking socket that listens on `address` (port 0 picks a
// port). A port belongs to one server. A unix socket without a listener is
// replaced. UNAVAILABLE names `flag` and the reason.
absl::StatusOr<ListeningSocket> ListenOn(const Address& address,
                                         const char* flag);

// Returns the port of a socket's name; 0 if its family has none.
int PortOf(const sockaddr_storage& name);

// Returns a descriptor to release when no other is free.
OwnedDescriptor OpenSpare();

// Raises the number of descriptors to the hard limit and returns it.
std::size_t RaiseDescriptorLimit();

}  // namespace mulligan

#endif  // MULLIGAN_SERVER_NET_LISTENER_H_
