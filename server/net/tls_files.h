// Where the certificates of the gRPC port are.
#ifndef MULLIGAN_SERVER_NET_TLS_FILES_H_
#define MULLIGAN_SERVER_NET_TLS_FILES_H_

#include <string>

namespace mulligan {

// Files in PEM form. They are read again every second or so, so that a
// certificate is replaced without a restart.
struct TlsFiles {
  // The server's certificate with the chain behind it, and its key.
  std::string certificate;
  std::string key;
  // Who signs the certificates of callers; empty: callers need none.
  std::string client_ca;

  bool enabled() const { return !certificate.empty(); }
};

}  // namespace mulligan

#endif  // MULLIGAN_SERVER_NET_TLS_FILES_H_
