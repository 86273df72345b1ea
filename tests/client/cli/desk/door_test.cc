#include <string>
#include <variant>
#include <vector>

#include "client/cli/desk/access.h"
#include "gmock/gmock.h"
#include "gtest/gtest.h"

namespace mulligan::cli {
namespace {

constexpr char kToken[] = "0123456789abcdef0123456789abcdef";

DeskCall Get(const std::string& page = "") {
  DeskCall call;
  call.method = "GET";
  call.target = "/" + std::string(kToken) + "/" + page;
  call.host = "127.0.0.1:40123";
  return call;
}

DeskCall Post(const std::string& page) {
  DeskCall call = Get(page);
  call.method = "POST";
  call.origin = "http://" + call.host;
  call.fetch_site = "same-origin";
  call.content_type = "application/json";
  call.length = 2;
  return call;
}

DeskCall Having(DeskCall call, std::string DeskCall::*header,
                const std::string& value) {
  call.*header = value;
  return call;
}

DeskCall WithLength(DeskCall call, std::int64_t length) {
  call.length = length;
  return call;
}

// Returns the page, or the status of the refusal.
std::string Outcome(const DeskCall& call) {
  const auto let_in = CheckAccess(call, kToken);
  if (const auto* page = std::get_if<std::string>(&let_in)) return *page;
  return std::to_string(std::get<DeskAnswer>(let_in).status);
}

TEST(DoorTest, AcceptsOnlyThePage) {
  const std::string token(kToken);
  struct {
    const char* what;
    DeskCall call;
    std::string outcome;
  } const kCalls[] = {
      {"the page", Get(), ""},
      {"its script, with a query", Get("desk.js?1"), "desk.js"},
      {"a question", Post("try"), "try"},
      {"by name", Having(Get(), &DeskCall::host, "localhost:9000"), ""},
      {"typed into the browser", Having(Get(), &DeskCall::fetch_site, "none"),
       ""},
      {"no token", Having(Get(), &DeskCall::target, "/"), "403"},
      {"a token without its slash",
       Having(Get(), &DeskCall::target, "/" + token), "403"},
      {"half a token",
       Having(Get(), &DeskCall::target, "/" + token.substr(1) + "/"), "403"},
      {"another token",
       Having(Get(), &DeskCall::target, "/" + std::string(32, '0') + "/"),
       "403"},
      {"the token as a query",
       Having(Get(), &DeskCall::target, "/?token=" + token), "403"},
      {"no path", Having(Get(), &DeskCall::target, "http://a/"), "400"},
      {"a name rebound to loopback",
       Having(Get(), &DeskCall::host, "evil.example:40123"), "403"},
      {"a name that begins like one",
       Having(Get(), &DeskCall::host, "localhost.evil.example"), "403"},
      {"no Host", Having(Get(), &DeskCall::host, ""), "403"},
      {"an invalid port", Having(Get(), &DeskCall::host, "localhost:x"), "403"},
      {"a page of another site",
       Having(Post("try"), &DeskCall::origin, "https://evil.example"), "403"},
      {"a page of another port of this machine",
       Having(Post("try"), &DeskCall::origin, "http://127.0.0.1:3000"), "403"},
      {"a page without an origin",
       Having(Post("try"), &DeskCall::origin, "null"), "403"},
      {"a link of another site",
       Having(Get(), &DeskCall::fetch_site, "cross-site"), "403"},
      {"a page of another port, without Origin",
       Having(Get(), &DeskCall::fetch_site, "same-site"), "403"},
      {"a form", Having(Post("try"), &DeskCall::content_type, "text/plain"),
       "415"},
      {"a body without length", WithLength(Post("try"), -1), "411"},
      {"the longest body", WithLength(Post("try"), kMaxBodyBytes), "try"},
      {"too long a body", WithLength(Post("try"), kMaxBodyBytes + 1), "413"},
      {"the longest log", WithLength(Post("log"), kMaxLogBytes), "log"},
      {"too long a log", WithLength(Post("log"), kMaxLogBytes + 1), "413"},
      {"a preflight", Having(Get("try"), &DeskCall::method, "OPTIONS"), "405"},
      {"another method", Having(Get(), &DeskCall::method, "DELETE"), "405"},
  };
  for (const auto& [what, call, outcome] : kCalls) {
    EXPECT_EQ(Outcome(call), outcome) << what;
  }
}

TEST(DoorTest, TokensAreLongAndUnique) {
  const std::string token = NewToken();
  EXPECT_EQ(token.size(), 32U);
  EXPECT_EQ(token.find_first_not_of("0123456789abcdef"), token.npos);
  EXPECT_NE(token, NewToken());
}

}  // namespace
}  // namespace mulligan::cli
