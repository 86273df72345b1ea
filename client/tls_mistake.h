// Explains TLS mistakes from gRPC's messages.
#ifndef MULLIGAN_CLIENT_TLS_MISTAKE_H_
#define MULLIGAN_CLIENT_TLS_MISTAKE_H_

#include <string>
#include <string_view>

#include "absl/status/status.h"
#include "client/client.h"

namespace mulligan {

// Returns INVALID_ARGUMENT, with option and file, if a file of `tls` is
// unreadable or is not PEM of the expected type.
absl::Status CheckTlsFiles(const ClientTls& tls);

// Returns the probable mistake if a connection with `tls` ended with `message`
// ("Socket closed"): "the server speaks TLS, it seems: give --tls-ca, ...".
// Empty if it is not about TLS. Options are named as on the command line.
std::string_view TlsMistake(const ClientTls& tls, std::string_view message);

}  // namespace mulligan

#endif  // MULLIGAN_CLIENT_TLS_MISTAKE_H_
