#include "server/net/address.h"

#include <arpa/inet.h>
#include <netinet/in.h>

#include <charconv>
#include <utility>

#include "absl/strings/str_format.h"

namespace mulligan {
namespace {

constexpr std::string_view kUnixPrefix = "unix:";

std::optional<int> ParsePort(std::string_view text) {
  int port = 0;
  const char* end = text.data() + text.size();
  const auto [stop, error] = std::from_chars(text.data(), end, port);
  if (error != std::errc() || stop != end || text.empty()) return std::nullopt;
  if (port < 0 || port > 65535) return std::nullopt;
  return port;
}

bool IsIpv6(const std::string& host) {
  in6_addr parsed;
  return inet_pton(AF_INET6, host.c_str(), &parsed) == 1;
}

}  // namespace

std::optional<Address> ParseAddress(std::string_view text) {
  if (text.substr(0, kUnixPrefix.size()) == kUnixPrefix) {
    const std::string_view path = text.substr(kUnixPrefix.size());
    if (path.empty()) return std::nullopt;
    return Address{std::string(path), 0, true};
  }
  const std::size_t colon = text.rfind(':');
  if (colon == std::string_view::npos || colon == 0) return std::nullopt;
  const std::optional<int> port = ParsePort(text.substr(colon + 1));
  if (!port.has_value()) return std::nullopt;
  std::string host(text.substr(0, colon));
  if (host.front() == '[') {
    if (host.back() != ']') return std::nullopt;
    host = host.substr(1, host.size() - 2);
    if (!IsIpv6(host)) return std::nullopt;
  } else if (host.find_first_of(":/[] \t,") != std::string::npos) {
    return std::nullopt;
  }
  return Address{std::move(host), *port, false};
}

bool IsLocal(const Address& address) {
  if (address.unix_socket || address.host == "localhost") return true;
  in_addr v4;
  if (inet_pton(AF_INET, address.host.c_str(), &v4) == 1) {
    return (ntohl(v4.s_addr) >> 24) == 127;
  }
  in6_addr v6;
  return inet_pton(AF_INET6, address.host.c_str(), &v6) == 1 &&
         IN6_IS_ADDR_LOOPBACK(&v6);
}

std::string FormatAddress(const Address& address) {
  if (address.unix_socket) return "unix:" + address.host;
  if (IsIpv6(address.host)) {
    return absl::StrFormat("[%s]:%d", address.host, address.port);
  }
  return absl::StrFormat("%s:%d", address.host, address.port);
}

}  // namespace mulligan
