// Plain connections to a server on this host, for tests.
#ifndef MULLIGAN_TESTS_SERVER_SOCKETS_H_
#define MULLIGAN_TESTS_SERVER_SOCKETS_H_

#include <string>

#include "server/net/listener.h"

namespace mulligan::testing {

// Invalid if nothing listens or the process has no free descriptor.
OwnedDescriptor Connect(int port);

void Send(const OwnedDescriptor& connection, const std::string& text);

// Reads until the peer closes or sends nothing for ten seconds.
std::string ReadAll(const OwnedDescriptor& connection);

// Returns the HTTP answer including its header; empty if there is none.
std::string Http(int port, const std::string& method, const std::string& path);

}  // namespace mulligan::testing

#endif  // MULLIGAN_TESTS_SERVER_SOCKETS_H_
