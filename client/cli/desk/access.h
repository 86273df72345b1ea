// Access control of the playground.
#ifndef MULLIGAN_CLIENT_CLI_DESK_ACCESS_H_
#define MULLIGAN_CLIENT_CLI_DESK_ACCESS_H_

#include <cstdint>
#include <string>
#include <string_view>
#include <variant>

namespace mulligan::cli {

// The head of an HTTP request. Absent headers are empty.
struct DeskCall {
  std::string method;
  // Path and query, as in the request line.
  std::string target;
  std::string host;
  std::string origin;
  // Sec-Fetch-Site, set by browsers and not by pages.
  std::string fetch_site;
  std::string content_type;
  // Content-Length in bytes; -1 if absent.
  std::int64_t length = -1;
};

struct DeskAnswer {
  int status = 200;
  std::string content_type;
  std::string body;
};

// {"error": message}
DeskAnswer ErrorAnswer(int status, std::string_view message);

// The most bytes of a body with a log, and of other bodies.
inline constexpr std::int64_t kMaxLogBytes = std::int64_t{64} << 20;
inline constexpr std::int64_t kMaxBodyBytes = std::int64_t{16} << 20;

// Returns the desk's page that `call` asks for, without token and query
// ("try"), or why it is refused. Admits a call if all of these hold:
//
//   1. Its path begins with the token. Other users and programs on the machine
//      do not know it.
//   2. Host is a name of the loopback interface. A page of another site, whose
//      name was rebound to it, sends that site's name.
//   3. Origin matches Host, and the browser reports no other site.
//   4. The body is application/json, which only scripts of the page can send,
//      and within the bounds.
std::variant<std::string, DeskAnswer> CheckAccess(const DeskCall& call,
                                                  std::string_view token);

// Returns 128 random bits in hexadecimal; empty if the system has none.
std::string NewToken();

}  // namespace mulligan::cli

#endif  // MULLIGAN_CLIENT_CLI_DESK_ACCESS_H_
