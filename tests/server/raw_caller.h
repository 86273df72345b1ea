// Callers that send arbitrary bytes, with TLS or without.
#ifndef MULLIGAN_TESTS_SERVER_RAW_CALLER_H_
#define MULLIGAN_TESTS_SERVER_RAW_CALLER_H_

#include <openssl/ssl.h>

#include <memory>
#include <string>
#include <string_view>

#include "server/net/listener.h"
#include "tests/server/certificates.h"

namespace mulligan::testing {

// Connects to 127.0.0.1 from `source`, such as 127.0.0.2. Invalid on failure.
OwnedDescriptor ConnectFrom(const std::string& source, int port);

// Resets the connection instead of closing it.
void Reset(OwnedDescriptor connection);

// For plaintext.
inline constexpr const Identity* kNoIdentity = nullptr;

class RawCaller {
 public:
  // Uses TLS with this certificate, or plaintext if `identity` is null.
  RawCaller(int port, const Identity* identity,
            const std::string& source = "127.0.0.1");

  // Returns false if the server ended the connection or read nothing for ten
  // seconds.
  bool Send(std::string_view bytes) const;
  // Returns what the server sent; empty if it ended the connection or sent
  // nothing for ten seconds.
  std::string Read() const;
  // Returns whether the server ends the connection within ten seconds. Ignores
  // what it sends until then.
  bool IsEnded() const;

 private:
  const OwnedDescriptor connection_;
  std::unique_ptr<SSL, decltype(&SSL_free)> session_{nullptr, &SSL_free};
};

// The first bytes of a TLS handshake.
std::string ClientHello();

}  // namespace mulligan::testing

#endif  // MULLIGAN_TESTS_SERVER_RAW_CALLER_H_
