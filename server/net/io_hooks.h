// Checks what gRPC reads and writes.
//
// gRPC has no hook for frames. But it calls recvmsg, sendmsg, close, SSL_read
// and SSL_write of other libraries, and functions of the program with these
// names take precedence. Ours pass the calls on and report them to our
// connection (docs/adr/0027).
#ifndef MULLIGAN_SERVER_NET_IO_HOOKS_H_
#define MULLIGAN_SERVER_NET_IO_HOOKS_H_

#include <memory>

#include "server/net/connection.h"

namespace mulligan {

// What a descriptor carries.
enum class Wire { kPlaintext, kTls };

// Reports bytes on `descriptor`, and its closing, to `connection`.
void TellOf(int descriptor, Wire wire, std::shared_ptr<Connection> connection);

// While this lives, TLS sessions made on its thread belong to `connection`.
class SessionsOf {
 public:
  explicit SessionsOf(std::shared_ptr<Connection> connection);
  ~SessionsOf();
  SessionsOf(const SessionsOf&) = delete;
  SessionsOf& operator=(const SessionsOf&) = delete;
};

}  // namespace mulligan

#endif  // MULLIGAN_SERVER_NET_IO_HOOKS_H_
