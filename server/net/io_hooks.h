// Checks what gRPC reads and writes.
//
// gRPC has no hook for frames. But it calls recvmsg, sendmsg, close, SSL_read
// and SSL_write of other libraries, and the program's own functions with these
// names take precedence. Ours forward each call and report it to the connection
// (docs/adr/0027).
#ifndef MULLIGAN_SERVER_NET_IO_HOOKS_H_
#define MULLIGAN_SERVER_NET_IO_HOOKS_H_

#include <memory>

#include "server/net/connection.h"

namespace mulligan {

// What a descriptor carries.
enum class Wire { kPlaintext, kTls };

// Reports bytes on `descriptor`, and its closing, to `connection`.
void AttachConnection(int descriptor, Wire wire,
                      std::shared_ptr<Connection> connection);

// While this lives, TLS sessions made on its thread belong to `connection`.
class TlsSessionScope {
 public:
  explicit TlsSessionScope(std::shared_ptr<Connection> connection);
  ~TlsSessionScope();
  TlsSessionScope(const TlsSessionScope&) = delete;
  TlsSessionScope& operator=(const TlsSessionScope&) = delete;
};

}  // namespace mulligan

#endif  // MULLIGAN_SERVER_NET_IO_HOOKS_H_
