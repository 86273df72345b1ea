#include "client/cli/desk/desk_http.h"

#include <cstddef>
#include <cstdint>
#include <exception>
#include <thread>
#include <utility>
#include <variant>
#include <vector>

#include "absl/strings/str_cat.h"
#include "absl/strings/str_format.h"
#include "civetweb.h"

namespace mulligan::cli {
namespace {

// The page runs its own script, connects only to this server, and sets the
// widths of bars. One function of the script makes HTML.
constexpr char kContentPolicy[] =
    "default-src 'none'; script-src 'self'; style-src 'self'; "
    "style-src-attr 'unsafe-inline'; connect-src 'self'; img-src data:; "
    "base-uri 'none'; form-action 'none'; frame-ancestors 'none'; "
    "require-trusted-types-for 'script'; trusted-types desk";

std::string HeaderOf(mg_connection* connection, const char* name) {
  const char* const value = mg_get_header(connection, name);
  return value == nullptr ? "" : value;
}

DeskCall CallOf(mg_connection* connection) {
  const mg_request_info* const info = mg_get_request_info(connection);
  DeskCall call = {info->request_method,
                   info->request_uri == nullptr ? "" : info->request_uri,
                   HeaderOf(connection, "Host"),
                   HeaderOf(connection, "Origin"),
                   HeaderOf(connection, "Sec-Fetch-Site"),
                   HeaderOf(connection, "Content-Type")};
  // civetweb has already rejected invalid lengths.
  call.length = info->content_length;
  return call;
}

// Returns false if the client left or was silent for too long.
bool ReadBody(mg_connection* connection, std::int64_t length,
              std::string& body) {
  body.resize(static_cast<std::size_t>(length));
  std::size_t read = 0;
  while (read < body.size()) {
    const int got = mg_read(connection, body.data() + read, body.size() - read);
    if (got <= 0) return false;
    read += static_cast<std::size_t>(got);
  }
  return true;
}

void Send(mg_connection* connection, const DeskAnswer& answer) {
  const std::string head = absl::StrFormat(
      "HTTP/1.1 %d %s\r\nContent-Type: %s\r\nContent-Length: %d\r\n"
      "Content-Security-Policy: %s\r\nCache-Control: no-store\r\n"
      "Referrer-Policy: no-referrer\r\nX-Content-Type-Options: nosniff\r\n"
      "Cross-Origin-Opener-Policy: same-origin\r\n"
      "Cross-Origin-Resource-Policy: same-origin\r\n"
      "Connection: close\r\n\r\n",
      answer.status, mg_get_response_code_text(nullptr, answer.status),
      answer.content_type, answer.body.size(), kContentPolicy);
  mg_write(connection, head.data(), head.size());
  mg_write(connection, answer.body.data(), answer.body.size());
  mg_disable_connection_keep_alive(connection);
}

int Quiet(const mg_connection* /*connection*/, const char* /*message*/) {
  return 1;
}

}  // namespace

DeskAnswer DeskHttp::Ask(mg_connection* connection) {
  const DeskCall call = CallOf(connection);
  auto let_in = CheckAccess(call, token_);
  if (auto* refused = std::get_if<DeskAnswer>(&let_in)) {
    return std::move(*refused);
  }
  std::string body;
  if (call.method == "POST" && !ReadBody(connection, call.length, body)) {
    return ErrorAnswer(408, "the body did not come");
  }
  DeskAnswer answer;
  // civetweb's threads have only 100 KiB of stack.
  std::thread([&] {
    try {
      answer = desk_.Answer(call.method, std::get<std::string>(let_in),
                            std::move(body));
    } catch (const std::exception& error) {
      answer = ErrorAnswer(500, error.what());
    }
  }).join();
  return answer;
}

absl::StatusOr<std::unique_ptr<DeskHttp>> DeskHttp::Start(int port,
                                                          Desk& desk) {
  std::string token = NewToken();
  if (token.empty())
    return absl::InternalError("no random numbers for a token");
  std::unique_ptr<DeskHttp> http(new DeskHttp(desk, std::move(token)));
  mg_callbacks callbacks = {};
  callbacks.log_message = Quiet;
  callbacks.begin_request = [](mg_connection* connection) {
    auto* const self =
        static_cast<DeskHttp*>(mg_get_request_info(connection)->user_data);
    const DeskAnswer answer = self->Ask(connection);
    Send(connection, answer);
    return answer.status;
  };
  const std::string listen = absl::StrCat("127.0.0.1:", port);
  const std::pair<const char*, std::string> settings[] = {
      {"listening_ports", listen},
      {"num_threads", absl::StrCat(kThreads)},
      {"connection_queue", absl::StrCat(kWaiting)},
      {"request_timeout_ms", absl::StrCat(kSilenceMs)},
      {"max_request_size", absl::StrCat(kMaxHeadBytes)}};
  std::vector<const char*> options;
  for (const auto& [name, value] : settings) {
    options.insert(options.end(), {name, value.c_str()});
  }
  options.push_back(nullptr);
  char why[256] = "";
  mg_init_data init = {};
  init.callbacks = &callbacks;
  init.user_data = http.get();
  init.configuration_options = options.data();
  mg_error_data error = {};
  error.text = why;
  error.text_buffer_size = sizeof(why);
  http->server_ = mg_start2(&init, &error);
  if (http->server_ == nullptr) {
    return absl::FailedPreconditionError(
        absl::StrFormat("--port: cannot listen on %s: %s", listen, why));
  }
  mg_server_port ports[1] = {};
  mg_get_server_ports(http->server_, 1, ports);
  http->address_ =
      absl::StrFormat("http://127.0.0.1:%d/%s/", ports[0].port, http->token_);
  return http;
}

DeskHttp::~DeskHttp() {
  if (server_ != nullptr) mg_stop(server_);
}

}  // namespace mulligan::cli
