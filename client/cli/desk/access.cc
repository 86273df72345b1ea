#include "client/cli/desk/access.h"

#include <sys/random.h>

#include <algorithm>
#include <cstddef>
#include <iterator>
#include <optional>
#include <utility>

#include "absl/strings/ascii.h"
#include "absl/strings/escaping.h"
#include "absl/strings/str_cat.h"
#include "client/cli/base/json_text.h"

namespace mulligan::cli {
namespace {

constexpr std::string_view kJsonType = "application/json";

// Ignores the port, because a tunnel may end at another one.
bool IsLoopbackName(std::string_view host) {
  const std::size_t port = host.rfind(':');
  if (port != host.npos) {
    const std::string_view digits = host.substr(port + 1);
    if (!std::ranges::all_of(digits, absl::ascii_isdigit)) return false;
    host = host.substr(0, port);
  }
  return host == "127.0.0.1" || host == "localhost";
}

// Compares in constant time.
bool IsToken(std::string_view found, std::string_view token) {
  if (found.size() != token.size()) return false;
  unsigned different = 0;
  for (std::size_t i = 0; i < token.size(); ++i) {
    different |= static_cast<unsigned char>(found[i] ^ token[i]);
  }
  return different == 0;
}

bool ComesFromElsewhere(const DeskCall& call) {
  if (!call.origin.empty() && call.origin != "http://" + call.host) return true;
  return !call.fetch_site.empty() && call.fetch_site != "same-origin" &&
         call.fetch_site != "none";
}

// Returns why a POST for `page` is refused; empty if it is not.
std::optional<DeskAnswer> RefusedBody(const DeskCall& call,
                                      std::string_view page) {
  if (call.content_type != kJsonType) {
    return ErrorAnswer(415, "expected Content-Type: application/json");
  }
  if (call.length < 0) return ErrorAnswer(411, "expected Content-Length");
  const std::int64_t most = page == "log" ? kMaxLogBytes : kMaxBodyBytes;
  if (call.length > most) {
    return ErrorAnswer(413, absl::StrCat("too long: ", call.length,
                                         " bytes, expected at most ", most));
  }
  return std::nullopt;
}

}  // namespace

DeskAnswer ErrorAnswer(int status, std::string_view message) {
  return {status, std::string(kJsonType),
          absl::StrCat("{\"error\":", QuoteJson(message), "}\n")};
}

std::variant<std::string, DeskAnswer> CheckAccess(const DeskCall& call,
                                                  std::string_view token) {
  if (!IsLoopbackName(call.host)) {
    return ErrorAnswer(403, "Host is not a name of the loopback interface");
  }
  if (ComesFromElsewhere(call)) {
    return ErrorAnswer(403, "the question comes from another site");
  }
  std::string_view path = call.target;
  path = path.substr(0, path.find('?'));
  if (!path.starts_with('/')) return ErrorAnswer(400, "expected a path");
  path.remove_prefix(1);
  const std::size_t end = path.find('/');
  if (end == path.npos || !IsToken(path.substr(0, end), token)) {
    return ErrorAnswer(403,
                       "the token is missing or wrong; open the address that "
                       "`mulligan playground` has printed");
  }
  path.remove_prefix(end + 1);
  if (call.method == "POST") {
    if (auto refused = RefusedBody(call, path)) return *std::move(refused);
  } else if (call.method != "GET") {
    return ErrorAnswer(405, "expected GET or POST");
  }
  return std::string(path);
}

std::string NewToken() {
  char bytes[16];
  if (getrandom(bytes, sizeof(bytes), 0) != sizeof(bytes)) return "";
  return absl::BytesToHexString({bytes, std::size(bytes)});
}

}  // namespace mulligan::cli
