#include "server/admin_http.h"

#include <civetweb.h>

#include <string>

#include "absl/strings/str_format.h"

namespace mulligan {
namespace {

constexpr char kThreads[] = "4";
constexpr char kRequestTimeoutMs[] = "5000";

const char* ReasonPhrase(int status) {
  switch (status) {
    case 200:
      return "OK";
    case 404:
      return "Not Found";
    case 405:
      return "Method Not Allowed";
    case 503:
      return "Service Unavailable";
    default:
      return "Internal Server Error";
  }
}

int HandleRequest(mg_connection* connection, void* data) {
  const mg_request_info* request = mg_get_request_info(connection);
  const std::string_view method = request->request_method;
  const AdminResponse response =
      static_cast<const AdminPages*>(data)->Handle(method, request->local_uri);
  std::string text = absl::StrFormat(
      "HTTP/1.1 %d %s\r\nContent-Type: %s\r\nContent-Length: %d\r\n"
      "Cache-Control: no-store\r\nX-Content-Type-Options: nosniff\r\n%s"
      "Connection: close\r\n\r\n",
      response.status, ReasonPhrase(response.status), response.content_type,
      response.body.size(),
      response.status == 405 ? "Allow: GET, HEAD\r\n" : "");
  if (method != "HEAD") text += response.body;
  mg_write(connection, text.data(), text.size());
  return response.status;
}

int LogMessage(const mg_connection* connection, const char* message) {
  const auto* log =
      static_cast<const Log*>(mg_get_user_data(mg_get_context(connection)));
  log->Write(LogLevel::kWarning, message, {{"component", "civetweb"}});
  return 1;
}

}  // namespace

absl::StatusOr<std::unique_ptr<AdminHttp>> AdminHttp::Start(
    const Address& address, const AdminPages& pages, const Log& log) {
  const std::string listen = FormatAddress(address);
  const char* options[] = {"listening_ports",
                           listen.c_str(),
                           "num_threads",
                           kThreads,
                           "request_timeout_ms",
                           kRequestTimeoutMs,
                           "enable_directory_listing",
                           "no",
                           nullptr};
  mg_callbacks callbacks = {};
  callbacks.log_message = LogMessage;
  mg_context* context = mg_start(&callbacks, const_cast<Log*>(&log), options);
  if (context == nullptr) {
    return absl::UnavailableError(
        absl::StrFormat("--admin-address: cannot listen on \"%s\": in use, or "
                        "not an address of "
                        "this machine",
                        listen));
  }
  mg_set_request_handler(context, "/", HandleRequest,
                         const_cast<AdminPages*>(&pages));
  mg_server_port port = {};
  mg_get_server_ports(context, 1, &port);
  return std::unique_ptr<AdminHttp>(new AdminHttp(context, port.port));
}

AdminHttp::~AdminHttp() { mg_stop(context_); }

}  // namespace mulligan
