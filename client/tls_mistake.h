// Mistakes about TLS, by what gRPC says of them.
#ifndef MULLIGAN_CLIENT_TLS_MISTAKE_H_
#define MULLIGAN_CLIENT_TLS_MISTAKE_H_

#include <string>
#include <string_view>

#include "absl/status/status.h"
#include "client/client.h"

namespace mulligan {

// INVALID_ARGUMENT, with option and file, where a file of `tls` cannot be read
// or is no PEM of what it should hold.
absl::Status CheckTlsFiles(const ClientTls& tls);

// What is probably wrong where a connection with `tls` ended with `message`
// ("Socket closed"): "the server speaks TLS, it seems: tls-ca is needed".
// Empty: nothing about TLS. Options are named as the command line does; those
// of ClientTls have no prefix.
std::string_view TlsMistake(const ClientTls& tls, std::string_view message);

}  // namespace mulligan

#endif  // MULLIGAN_CLIENT_TLS_MISTAKE_H_
