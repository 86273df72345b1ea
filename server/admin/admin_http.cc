#include "server/admin/admin_http.h"

#include <poll.h>
#include <sys/eventfd.h>
#include <sys/socket.h>
#include <unistd.h>

#include <cerrno>
#include <cstdint>
#include <iterator>
#include <string_view>
#include <utility>
#include <vector>

#include "absl/strings/str_format.h"

namespace mulligan {
namespace {

constexpr int kAdminRoundMs = 500;
constexpr std::chrono::milliseconds kNoDescriptorPause(10);

const char* ReasonPhrase(int status) {
  switch (status) {
    case 200:
      return "OK";
    case 400:
      return "Bad Request";
    case 404:
      return "Not Found";
    case 405:
      return "Method Not Allowed";
    case 431:
      return "Request Header Fields Too Large";
    case 503:
      return "Service Unavailable";
    default:
      return "Internal Server Error";
  }
}

std::string Format(const AdminResponse& response, bool with_body) {
  std::string text = absl::StrFormat(
      "HTTP/1.1 %d %s\r\nContent-Type: %s\r\nContent-Length: %d\r\n"
      "Cache-Control: no-store\r\nX-Content-Type-Options: nosniff\r\n%s"
      "Connection: close\r\n\r\n",
      response.status, ReasonPhrase(response.status), response.content_type,
      response.body.size(),
      response.status == 405 ? "Allow: GET, HEAD\r\n" : "");
  if (with_body) text += response.body;
  return text;
}

// Returns the answer to a complete header.
std::string Answer(const AdminPages& pages, std::string_view request) {
  const std::string_view line = request.substr(0, request.find("\r\n"));
  const std::size_t method_end = line.find(' ');
  const std::size_t target_end = line.rfind(' ');
  if (method_end == line.npos || target_end <= method_end ||
      line.substr(target_end + 1, 5) != "HTTP/") {
    return Format({400, kPlainText, "not an HTTP/1 request\n"}, true);
  }
  const std::string_view method = line.substr(0, method_end);
  std::string_view path =
      line.substr(method_end + 1, target_end - method_end - 1);
  path = path.substr(0, path.find('?'));
  return Format(pages.Handle(method, path), method != "HEAD");
}

}  // namespace

absl::StatusOr<std::unique_ptr<AdminHttp>> AdminHttp::Start(
    const Address& address, const AdminPages& pages) {
  absl::StatusOr<ListeningSocket> socket = ListenOn(address, "--admin-address");
  if (!socket.ok()) return socket.status();
  return std::unique_ptr<AdminHttp>(new AdminHttp(*std::move(socket), pages));
}

AdminHttp::AdminHttp(ListeningSocket socket, const AdminPages& pages)
    : socket_(std::move(socket)),
      pages_(pages),
      wake_(eventfd(0, EFD_CLOEXEC)),
      thread_([this] { Run(); }) {}

AdminHttp::~AdminHttp() {
  const std::uint64_t one = 1;
  [[maybe_unused]] const ssize_t written =
      write(wake_.number(), &one, sizeof(one));
  thread_.join();
}

void AdminHttp::Run() {
  std::vector<pollfd> waiting;
  while (true) {
    if (!spare_.valid()) spare_ = OpenSpare();
    waiting.assign(
        {{wake_.number(), POLLIN, 0}, {socket_.socket.number(), POLLIN, 0}});
    for (const Connection& one : connections_) {
      const auto events =
          static_cast<short>(one.answer.empty() ? POLLIN : POLLOUT);
      waiting.push_back({one.socket.number(), events, 0});
    }
    poll(waiting.data(), waiting.size(), kAdminRoundMs);
    if (waiting[0].revents != 0) return;
    const Clock::time_point now = Clock::now();
    std::size_t i = 2;
    for (auto one = connections_.begin(); one != connections_.end(); ++i) {
      bool stays = now < one->deadline;
      if (stays && waiting[i].revents != 0) {
        stays = one->answer.empty() ? Read(*one) : Write(*one);
      }
      one = stays ? std::next(one) : connections_.erase(one);
    }
    if (waiting[1].revents != 0) Accept();
  }
}

OwnedDescriptor AdminHttp::TakeWaiting() const {
  return OwnedDescriptor(accept4(socket_.socket.number(), nullptr, nullptr,
                                 SOCK_NONBLOCK | SOCK_CLOEXEC));
}

bool AdminHttp::AcceptOne() {
  // Without a free descriptor accept4 fails whether or not a caller waits.
  pollfd waiting = {socket_.socket.number(), POLLIN, 0};
  if (poll(&waiting, 1, 0) <= 0) return false;
  // Makes room first, so that descriptors of silent callers serve new ones.
  if (connections_.size() >= kMaxConnections) connections_.pop_front();
  OwnedDescriptor socket = TakeWaiting();
  while (!socket.valid() && (errno == EMFILE || errno == ENFILE)) {
    if (spare_.valid()) {
      spare_ = OwnedDescriptor();
    } else if (!connections_.empty()) {
      connections_.pop_front();
    } else {
      // gRPC has all descriptors; the pause avoids a busy loop.
      std::this_thread::sleep_for(kNoDescriptorPause);
      return false;
    }
    socket = TakeWaiting();
  }
  if (!socket.valid()) return false;
  connections_.push_back({std::move(socket), Clock::now() + kTimeout, "", ""});
  // Reads at once, before many silent connections can push this one out.
  if (!Read(connections_.back())) connections_.pop_back();
  return true;
}

void AdminHttp::Accept() {
  // Bounded, because open connections need answers too.
  for (std::size_t i = 0; i < kMaxConnections && AcceptOne(); ++i) {
  }
}

bool AdminHttp::Read(Connection& connection) {
  char buffer[4096];
  const ssize_t got =
      recv(connection.socket.number(), buffer, sizeof(buffer), 0);
  if (got < 0) return errno == EAGAIN || errno == EINTR;
  if (got == 0) return false;
  connection.request.append(buffer, static_cast<std::size_t>(got));
  if (connection.request.find("\r\n\r\n") != std::string::npos) {
    connection.answer = Answer(pages_, connection.request);
  } else if (connection.request.size() > kMaxRequestBytes) {
    connection.answer =
        Format({431, kPlainText, "the header is too long\n"}, true);
  } else {
    return true;
  }
  return Write(connection);
}

bool AdminHttp::Write(Connection& connection) {
  const std::string_view rest =
      std::string_view(connection.answer).substr(connection.sent);
  const ssize_t sent =
      send(connection.socket.number(), rest.data(), rest.size(), MSG_NOSIGNAL);
  if (sent < 0) return errno == EAGAIN || errno == EINTR;
  connection.sent += static_cast<std::size_t>(sent);
  if (connection.sent < connection.answer.size()) return true;
  // Otherwise unread input would make the system drop the answer.
  shutdown(connection.socket.number(), SHUT_WR);
  char ignored[4096];
  recv(connection.socket.number(), ignored, sizeof(ignored), 0);
  return false;
}

}  // namespace mulligan
