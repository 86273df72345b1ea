// Who may ask the playground anything.
#ifndef MULLIGAN_CLIENT_CLI_DESK_DOOR_H_
#define MULLIGAN_CLIENT_CLI_DESK_DOOR_H_

#include <cstdint>
#include <string>
#include <string_view>
#include <variant>

namespace mulligan::cli {

// The head of an HTTP request; headers that it lacks are empty.
struct DeskCall {
  std::string method;
  // As in the first line: path and query.
  std::string target;
  std::string host;
  std::string origin;
  // Sec-Fetch-Site, which browsers set and pages cannot.
  std::string fetch_site;
  std::string content_type;
  // Of Content-Length; -1: there is none.
  std::int64_t length = -1;
};

struct DeskAnswer {
  int status = 200;
  std::string content_type;
  std::string body;
};

// {"error": message}
DeskAnswer ErrorAnswer(int status, std::string_view message);

// Bounds of bodies: of a log, and of all else.
inline constexpr std::int64_t kMostLogBytes = std::int64_t{64} << 20;
inline constexpr std::int64_t kMostBodyBytes = std::int64_t{16} << 20;

// The page of the desk that `call` is for, without token and query ("try"), or
// why it is refused. Let in is who
//
//   knows the token, which the path begins with: other users and programs of
//     the machine do not;
//   asks by a name of the loopback interface: a page of another site whose name
//     was rebound to it has that site's name in Host;
//   comes from nowhere else: Origin is that of Host, and browsers say that no
//     other site asks;
//   sends what only scripts of the page can send, application/json, within the
//     bounds.
std::variant<std::string, DeskAnswer> LetIn(const DeskCall& call,
                                            std::string_view token);

// 128 random bits in hexadecimal digits; empty: the system has none.
std::string NewToken();

}  // namespace mulligan::cli

#endif  // MULLIGAN_CLIENT_CLI_DESK_DOOR_H_
