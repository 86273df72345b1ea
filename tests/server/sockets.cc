#include "tests/server/sockets.h"

#include <arpa/inet.h>
#include <netinet/in.h>
#include <sys/socket.h>
#include <sys/time.h>

#include <cstdint>

#include "absl/strings/str_format.h"

namespace mulligan::testing {

OwnedDescriptor Connect(int port) {
  OwnedDescriptor connection(socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0));
  const timeval patience = {10, 0};
  setsockopt(connection.number(), SOL_SOCKET, SO_RCVTIMEO, &patience,
             sizeof(patience));
  sockaddr_in address = {};
  address.sin_family = AF_INET;
  address.sin_port = htons(static_cast<std::uint16_t>(port));
  address.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
  if (connect(connection.number(), reinterpret_cast<sockaddr*>(&address),
              sizeof(address)) != 0) {
    return OwnedDescriptor();
  }
  return connection;
}

void Send(const OwnedDescriptor& connection, const std::string& text) {
  send(connection.number(), text.data(), text.size(), MSG_NOSIGNAL);
}

std::string ReadAll(const OwnedDescriptor& connection) {
  std::string text;
  char buffer[4096];
  ssize_t got = 0;
  while ((got = recv(connection.number(), buffer, sizeof(buffer), 0)) > 0) {
    text.append(buffer, static_cast<std::size_t>(got));
  }
  return text;
}

std::string Http(int port, const std::string& method, const std::string& path) {
  const OwnedDescriptor connection = Connect(port);
  Send(connection, absl::StrFormat("%s %s HTTP/1.1\r\nHost: x\r\n"
                                   "Content-Length: 0\r\n"
                                   "Connection: close\r\n\r\n",
                                   method, path));
  return ReadAll(connection);
}

}  // namespace mulligan::testing
