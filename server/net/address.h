// Addresses to listen on.
#ifndef MULLIGAN_SERVER_NET_ADDRESS_H_
#define MULLIGAN_SERVER_NET_ADDRESS_H_

#include <optional>
#include <string>
#include <string_view>

namespace mulligan {

// "host:port", "[ipv6]:port" or "unix:/path". For a unix socket `host` is the
// path and `port` is 0.
struct Address {
  std::string host;
  int port = 0;
  bool unix_socket = false;
};

// Returns the parsed address; empty if `text` has none of these forms. The host
// must not be empty: use 0.0.0.0 or [::] for all interfaces.
std::optional<Address> ParseAddress(std::string_view text);

// Returns whether only this machine can reach it: 127.0.0.0/8, ::1, localhost,
// a unix socket.
bool IsLocal(const Address& address);

// Returns "host:port", with an IPv6 host in brackets, or "unix:/path".
std::string FormatAddress(const Address& address);

}  // namespace mulligan

#endif  // MULLIGAN_SERVER_NET_ADDRESS_H_
