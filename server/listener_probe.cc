#include "server/listener_probe.h"

#include <openssl/err.h>
#include <openssl/ssl.h>
#include <sys/socket.h>
#include <sys/time.h>

#include <cerrno>
#include <memory>

#include "server/listener.h"

namespace mulligan {
namespace {

constexpr timeval kPatience = {2, 0};
// A client's first bytes in HTTP/2, with an empty SETTINGS frame.
constexpr char kPreface[] =
    "PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n\0\0\0\4\0\0\0\0\0";

// Whether bytes or an end came before the patience was over.
bool Answers(int socket) {
  char first = 0;
  return recv(socket, &first, 1, 0) >= 0 || errno == ECONNRESET;
}

// Who answers a ClientHello is there, whatever it thinks of us.
bool AnswersTls(int socket) {
  const std::unique_ptr<SSL_CTX, decltype(&SSL_CTX_free)> context(
      SSL_CTX_new(TLS_client_method()), &SSL_CTX_free);
  const std::unique_ptr<SSL, decltype(&SSL_free)> ssl(SSL_new(context.get()),
                                                      &SSL_free);
  static constexpr unsigned char kHttp2[] = "\2h2";
  SSL_set_alpn_protos(ssl.get(), kHttp2, sizeof(kHttp2) - 1);
  SSL_set_fd(ssl.get(), socket);
  errno = 0;
  const bool connected = SSL_connect(ssl.get()) == 1;
  const bool timed_out =
      !connected && (errno == EAGAIN || errno == EWOULDBLOCK);
  ERR_clear_error();
  return !timed_out;
}

}  // namespace

ProbeResult ProbeListener(int socket, bool tls) {
  sockaddr_storage name = {};
  socklen_t size = sizeof(name);
  if (getsockname(socket, reinterpret_cast<sockaddr*>(&name), &size) != 0) {
    return ProbeResult::kNotAsked;
  }
  const Descriptor probe(
      ::socket(name.ss_family, SOCK_STREAM | SOCK_CLOEXEC, 0));
  if (!probe.valid()) return ProbeResult::kNotAsked;
  const int fd = probe.number();
  setsockopt(fd, SOL_SOCKET, SO_RCVTIMEO, &kPatience, sizeof(kPatience));
  setsockopt(fd, SOL_SOCKET, SO_SNDTIMEO, &kPatience, sizeof(kPatience));
  if (connect(fd, reinterpret_cast<sockaddr*>(&name), size) != 0) {
    return ProbeResult::kSilent;
  }
  bool answered = false;
  if (tls) {
    answered = AnswersTls(fd);
  } else {
    send(fd, kPreface, sizeof(kPreface) - 1, MSG_NOSIGNAL);
    answered = Answers(fd);
  }
  return answered ? ProbeResult::kAnswered : ProbeResult::kSilent;
}

}  // namespace mulligan
