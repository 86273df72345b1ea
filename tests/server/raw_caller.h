// Callers that send bytes of their own choice, with TLS or without.
#ifndef MULLIGAN_TESTS_SERVER_RAW_CALLER_H_
#define MULLIGAN_TESTS_SERVER_RAW_CALLER_H_

#include <openssl/ssl.h>

#include <memory>
#include <string>
#include <string_view>

#include "server/net/listener.h"
#include "tests/server/certificates.h"

namespace mulligan::testing {

// Connects to 127.0.0.1 from `source`, such as 127.0.0.2. Not valid when that
// fails.
OwnedDescriptor ConnectFrom(const std::string& source, int port);

// Resets the connection instead of ending it.
void Reset(OwnedDescriptor connection);

// Of a caller in plaintext.
inline constexpr const Identity* kNoIdentity = nullptr;

class RawCaller {
 public:
  // Speaks plaintext from then on; `identity` not null: TLS, with this
  // certificate.
  RawCaller(int port, const Identity* identity,
            const std::string& source = "127.0.0.1");

  // False: the server has ended the connection, or took nothing for ten
  // seconds.
  bool Send(std::string_view bytes) const;
  // What the server sent; empty when it has ended the connection, or sent
  // nothing for ten seconds.
  std::string Read() const;
  // Whether the server ends the connection; waits for ten seconds. What it
  // sends until then is not looked at.
  bool IsEnded() const;

 private:
  const OwnedDescriptor connection_;
  std::unique_ptr<SSL, decltype(&SSL_free)> session_{nullptr, &SSL_free};
};

// The first bytes of a TLS handshake.
std::string ClientHello();

}  // namespace mulligan::testing

#endif  // MULLIGAN_TESTS_SERVER_RAW_CALLER_H_
