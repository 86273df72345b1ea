// Plain connections to a server on this host, for tests.
#ifndef MULLIGAN_TESTS_SERVER_SOCKETS_H_
#define MULLIGAN_TESTS_SERVER_SOCKETS_H_

#include <string>

#include "server/net/listener.h"

namespace mulligan::testing {

// Not valid when nobody listens or the process has no descriptor left.
OwnedDescriptor Connect(int port);

void Send(const OwnedDescriptor& connection, const std::string& text);

// Until the other side closes, or nothing came for ten seconds.
std::string ReadAll(const OwnedDescriptor& connection);

// The whole HTTP answer, header included; empty when there is none.
std::string Http(int port, const std::string& method, const std::string& path);

}  // namespace mulligan::testing

#endif  // MULLIGAN_TESTS_SERVER_SOCKETS_H_
