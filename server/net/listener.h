// Listening sockets and descriptors.
#ifndef MULLIGAN_SERVER_NET_LISTENER_H_
#define MULLIGAN_SERVER_NET_LISTENER_H_

#include <sys/socket.h>

#include <utility>

#include "absl/status/statusor.h"
#include "server/net/address.h"

namespace mulligan {

// Closes its descriptor.
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

// A socket that listens on `address` (port 0 picks one) and does not block.
// One port belongs to one server. A unix socket that nobody listens on is
// replaced. UNAVAILABLE names `flag` and the reason.
absl::StatusOr<ListeningSocket> ListenOn(const Address& address,
                                         const char* flag);

// Of a socket's name; 0: it is of a family without ports.
int PortOf(const sockaddr_storage& name);

// A descriptor to give up for the moment in which there is no other.
OwnedDescriptor OpenSpare();

// Lets the process use as many descriptors as its hard limit says. Returns the
// limit.
std::size_t RaiseDescriptorLimit();

}  // namespace mulligan

#endif  // MULLIGAN_SERVER_NET_LISTENER_H_
