// Certificate files of the gRPC port.
#ifndef MULLIGAN_SERVER_NET_TLS_FILES_H_
#define MULLIGAN_SERVER_NET_TLS_FILES_H_

#include <string>

namespace mulligan {

// Files in PEM form, read again about every second, so that a certificate can
// be replaced without a restart.
struct TlsFiles {
  // The server's certificate with its chain, and its key.
  std::string certificate;
  std::string key;
  // The CA of callers' certificates; empty if callers need none.
  std::string client_ca;

  bool enabled() const { return !certificate.empty(); }
};

}  // namespace mulligan

#endif  // MULLIGAN_SERVER_NET_TLS_FILES_H_
