#include "server/net/listener_probe.h"

#include <openssl/bio.h>
#include <openssl/err.h>
#include <openssl/ssl.h>
#include <sys/socket.h>
#include <sys/time.h>

#include <cerrno>
#include <memory>
#include <string>

#include "server/net/listener.h"

namespace mulligan {
namespace {

constexpr timeval kPatience = {2, 0};
// A client's first bytes in HTTP/2, with an empty SETTINGS frame.
constexpr char kPreface[] =
    "PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n\0\0\0\4\0\0\0\0\0";

// Returns whether bytes or an end came in time.
bool Answers(int socket) {
  char first = 0;
  return recv(socket, &first, 1, 0) >= 0 || errno == ECONNRESET;
}

// Returns the port that connections from `socket` will have; 0 if none.
int BindAnyPort(int socket, sa_family_t family) {
  if (family != AF_INET && family != AF_INET6) return 0;
  sockaddr_storage any = {};
  any.ss_family = family;
  socklen_t size = sizeof(any);
  auto* const name = reinterpret_cast<sockaddr*>(&any);
  if (bind(socket, name, size) != 0 || getsockname(socket, name, &size) != 0) {
    return 0;
  }
  return PortOf(any);
}

// Returns a client's first bytes in TLS. A handshake without a certificate
// would fail and be logged as an error each time.
std::string ClientHello() {
  const std::unique_ptr<SSL_CTX, decltype(&SSL_CTX_free)> context(
      SSL_CTX_new(TLS_client_method()), &SSL_CTX_free);
  const std::unique_ptr<SSL, decltype(&SSL_free)> ssl(SSL_new(context.get()),
                                                      &SSL_free);
  static constexpr unsigned char kHttp2[] = "\2h2";
  SSL_set_alpn_protos(ssl.get(), kHttp2, sizeof(kHttp2) - 1);
  BIO* const written = BIO_new(BIO_s_mem());
  SSL_set_bio(ssl.get(), BIO_new(BIO_s_mem()), written);  // owns both
  SSL_connect(ssl.get());
  ERR_clear_error();
  char* bytes = nullptr;
  const long size = BIO_get_mem_data(written, &bytes);
  return {bytes, static_cast<std::size_t>(size)};
}

}  // namespace

ProbeResult ProbeListener(int socket, bool tls,
                          const std::function<void(int port)>& from) {
  sockaddr_storage name = {};
  socklen_t size = sizeof(name);
  if (getsockname(socket, reinterpret_cast<sockaddr*>(&name), &size) != 0) {
    return ProbeResult::kNotAsked;
  }
  const OwnedDescriptor probe(
      ::socket(name.ss_family, SOCK_STREAM | SOCK_CLOEXEC, 0));
  if (!probe.valid()) return ProbeResult::kNotAsked;
  const int fd = probe.number();
  setsockopt(fd, SOL_SOCKET, SO_RCVTIMEO, &kPatience, sizeof(kPatience));
  setsockopt(fd, SOL_SOCKET, SO_SNDTIMEO, &kPatience, sizeof(kPatience));
  if (const int port = BindAnyPort(fd, name.ss_family); port > 0) from(port);
  if (connect(fd, reinterpret_cast<sockaddr*>(&name), size) != 0) {
    return ProbeResult::kSilent;
  }
  const std::string hello =
      tls ? ClientHello() : std::string(kPreface, sizeof(kPreface) - 1);
  send(fd, hello.data(), hello.size(), MSG_NOSIGNAL);
  const bool answered = Answers(fd);
  return answered ? ProbeResult::kAnswered : ProbeResult::kSilent;
}

}  // namespace mulligan
