// Looks at what gRPC reads and writes.
//
// gRPC has no place to look at frames from. But it calls recvmsg, sendmsg,
// close, SSL_read and SSL_write of other libraries, and the program's own
// functions of these names come first: ours pass on what they are asked, and
// tell a connection of ours of it (docs/adr/0027).
#ifndef MULLIGAN_SERVER_NET_IO_HOOKS_H_
#define MULLIGAN_SERVER_NET_IO_HOOKS_H_

#include <memory>

#include "server/net/connection.h"

namespace mulligan {

// What a descriptor carries.
enum class Wire { kPlaintext, kTls };

// From now on until `descriptor` is closed, `connection` is told what passes
// through it, and that it is closed.
void TellOf(int descriptor, Wire wire, std::shared_ptr<Connection> connection);

// While this lives, TLS sessions that its thread makes are `connection`'s.
class SessionsOf {
 public:
  explicit SessionsOf(std::shared_ptr<Connection> connection);
  ~SessionsOf();
  SessionsOf(const SessionsOf&) = delete;
  SessionsOf& operator=(const SessionsOf&) = delete;
};

}  // namespace mulligan

#endif  // MULLIGAN_SERVER_NET_IO_HOOKS_H_
