#include "tests/server/raw_caller.h"

#include <arpa/inet.h>
#include <netinet/in.h>
#include <openssl/bio.h>
#include <openssl/err.h>
#include <sys/socket.h>
#include <sys/time.h>

#include <algorithm>
#include <cerrno>
#include <csignal>
#include <cstdint>

namespace mulligan::testing {
namespace {

using Context = std::unique_ptr<SSL_CTX, decltype(&SSL_CTX_free)>;

Context MakeContext(const Identity* identity) {
  Context context(SSL_CTX_new(TLS_client_method()), &SSL_CTX_free);
  static constexpr unsigned char kHttp2[] = {2, 'h', '2'};
  SSL_CTX_set_alpn_protos(context.get(), kHttp2, sizeof(kHttp2));
  if (identity != nullptr) {
    SSL_CTX_use_certificate(context.get(), identity->certificate.get());
    SSL_CTX_use_PrivateKey(context.get(), identity->key.get());
  }
  return context;
}

}  // namespace

OwnedDescriptor ConnectFrom(const std::string& source, int port) {
  OwnedDescriptor connection(socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0));
  sockaddr_in address = {};
  address.sin_family = AF_INET;
  inet_pton(AF_INET, source.c_str(), &address.sin_addr);
  const int on = 1;
  setsockopt(connection.number(), IPPROTO_IP, IP_BIND_ADDRESS_NO_PORT, &on,
             sizeof(on));
  if (bind(connection.number(), reinterpret_cast<sockaddr*>(&address),
           sizeof(address)) != 0) {
    return OwnedDescriptor();
  }
  address.sin_port = htons(static_cast<std::uint16_t>(port));
  address.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
  if (connect(connection.number(), reinterpret_cast<sockaddr*>(&address),
              sizeof(address)) != 0) {
    return OwnedDescriptor();
  }
  return connection;
}

void Reset(OwnedDescriptor connection) {
  const linger none = {1, 0};
  setsockopt(connection.number(), SOL_SOCKET, SO_LINGER, &none, sizeof(none));
}

RawCaller::RawCaller(int port, const Identity* identity,
                     const std::string& source)
    : connection_(ConnectFrom(source, port)) {
  // OpenSSL writes to closed connections without MSG_NOSIGNAL.
  std::signal(SIGPIPE, SIG_IGN);
  const timeval patience = {10, 0};
  for (const int option : {SO_SNDTIMEO, SO_RCVTIMEO}) {
    setsockopt(connection_.number(), SOL_SOCKET, option, &patience,
               sizeof(patience));
  }
  if (identity == nullptr) return;
  session_.reset(SSL_new(MakeContext(identity).get()));
  SSL_set_fd(session_.get(), connection_.number());
  SSL_connect(session_.get());
  ERR_clear_error();
}

bool RawCaller::Send(std::string_view bytes) const {
  while (!bytes.empty()) {
    const std::size_t piece = std::min<std::size_t>(bytes.size(), 1 << 16);
    const ssize_t sent =
        session_ == nullptr
            ? send(connection_.number(), bytes.data(), piece, MSG_NOSIGNAL)
            : SSL_write(session_.get(), bytes.data(), static_cast<int>(piece));
    ERR_clear_error();
    if (sent <= 0) return false;
    bytes.remove_prefix(static_cast<std::size_t>(sent));
  }
  return true;
}

std::string RawCaller::Read() const {
  char bytes[4096];
  const ssize_t got = session_ == nullptr
                          ? recv(connection_.number(), bytes, sizeof(bytes), 0)
                          : SSL_read(session_.get(), bytes, sizeof(bytes));
  ERR_clear_error();
  return {bytes, static_cast<std::size_t>(std::max<ssize_t>(got, 0))};
}

bool RawCaller::IsEnded() const {
  char ignored[4096];
  while (true) {
    const ssize_t got = recv(connection_.number(), ignored, sizeof(ignored), 0);
    if (got == 0) return true;
    if (got < 0) return errno != EAGAIN;
  }
}

std::string ClientHello() {
  const Context context = MakeContext(nullptr);
  const std::unique_ptr<SSL, decltype(&SSL_free)> session(
      SSL_new(context.get()), &SSL_free);
  BIO* const written = BIO_new(BIO_s_mem());
  SSL_set_bio(session.get(), BIO_new(BIO_s_mem()), written);  // owns both
  SSL_connect(session.get());
  ERR_clear_error();
  char* bytes = nullptr;
  const long size = BIO_get_mem_data(written, &bytes);
  return {bytes, static_cast<std::size_t>(size)};
}

}  // namespace mulligan::testing
