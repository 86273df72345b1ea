#include "server/net/listener.h"

#include <fcntl.h>
#include <netdb.h>
#include <netinet/in.h>
#include <sys/resource.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/un.h>
#include <unistd.h>

#include <cerrno>
#include <cstring>
#include <memory>
#include <string>

#include "absl/strings/str_format.h"

namespace mulligan {
namespace {

constexpr int kBacklog = 1024;

absl::Status CannotListen(const Address& address, const char* flag,
                          const char* why) {
  return absl::UnavailableError(absl::StrFormat(
      "%s: cannot listen on \"%s\": in use, or not an address of this machine "
      "(%s)",
      flag, FormatAddress(address), why));
}

absl::StatusOr<ListeningSocket> Listen(const Address& address,
                                       const sockaddr* name, socklen_t size,
                                       const char* flag) {
  ListeningSocket result;
  result.socket = OwnedDescriptor(
      socket(name->sa_family, SOCK_STREAM | SOCK_NONBLOCK | SOCK_CLOEXEC, 0));
  const int fd = result.socket.number();
  const int on = 1;
  // Frees an ended server's port at once; still refuses two listeners.
  setsockopt(fd, SOL_SOCKET, SO_REUSEADDR, &on, sizeof(on));
  if (fd < 0 || bind(fd, name, size) != 0 || listen(fd, kBacklog) != 0) {
    return CannotListen(address, flag, std::strerror(errno));
  }
  sockaddr_storage bound = {};
  socklen_t bound_size = sizeof(bound);
  getsockname(fd, reinterpret_cast<sockaddr*>(&bound), &bound_size);
  result.port = PortOf(bound);
  return result;
}

// Returns whether the file is a socket without a listener.
bool IsAbandoned(const sockaddr_un& name) {
  struct stat file = {};
  if (lstat(name.sun_path, &file) != 0 || !S_ISSOCK(file.st_mode)) return false;
  const OwnedDescriptor probe(socket(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0));
  return connect(probe.number(), reinterpret_cast<const sockaddr*>(&name),
                 sizeof(name)) != 0 &&
         errno == ECONNREFUSED;
}

absl::StatusOr<ListeningSocket> ListenOnUnix(const Address& address,
                                             const char* flag) {
  sockaddr_un name = {};
  name.sun_family = AF_UNIX;
  if (address.host.size() >= sizeof(name.sun_path)) {
    return CannotListen(address, flag, "the path is too long");
  }
  address.host.copy(name.sun_path, address.host.size());
  if (IsAbandoned(name)) unlink(name.sun_path);
  return Listen(address, reinterpret_cast<sockaddr*>(&name), sizeof(name),
                flag);
}

}  // namespace

int PortOf(const sockaddr_storage& name) {
  if (name.ss_family == AF_INET) {
    return ntohs(reinterpret_cast<const sockaddr_in&>(name).sin_port);
  }
  return name.ss_family == AF_INET6
             ? ntohs(reinterpret_cast<const sockaddr_in6&>(name).sin6_port)
             : 0;
}

OwnedDescriptor::~OwnedDescriptor() {
  if (number_ >= 0) close(number_);
}

absl::StatusOr<ListeningSocket> ListenOn(const Address& address,
                                         const char* flag) {
  if (address.unix_socket) return ListenOnUnix(address, flag);
  addrinfo hints = {};
  hints.ai_flags = AI_PASSIVE;
  hints.ai_socktype = SOCK_STREAM;
  addrinfo* found = nullptr;
  const std::string port = std::to_string(address.port);
  if (const int error =
          getaddrinfo(address.host.c_str(), port.c_str(), &hints, &found);
      error != 0) {
    return CannotListen(address, flag, gai_strerror(error));
  }
  const std::unique_ptr<addrinfo, decltype(&freeaddrinfo)> list(found,
                                                                &freeaddrinfo);
  absl::StatusOr<ListeningSocket> result;
  for (const addrinfo* one = found; one != nullptr; one = one->ai_next) {
    result = Listen(address, one->ai_addr, one->ai_addrlen, flag);
    if (result.ok()) break;
  }
  return result;
}

OwnedDescriptor OpenSpare() {
  return OwnedDescriptor(open("/dev/null", O_RDONLY | O_CLOEXEC));
}

std::size_t RaiseDescriptorLimit() {
  rlimit limit = {};
  getrlimit(RLIMIT_NOFILE, &limit);
  limit.rlim_cur = limit.rlim_max;
  setrlimit(RLIMIT_NOFILE, &limit);
  getrlimit(RLIMIT_NOFILE, &limit);
  return limit.rlim_cur;
}

}  // namespace mulligan
