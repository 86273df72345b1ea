#include "server/acceptor.h"

#include <linux/tcp.h>  // with tcpi_bytes_received
#include <netinet/in.h>
#include <poll.h>
#include <sys/eventfd.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <cstdint>
#include <optional>
#include <utility>

namespace mulligan {
namespace {

constexpr int kAcceptRoundMs = 500;
constexpr std::chrono::seconds kStillAlive(5);
constexpr std::chrono::seconds kBetweenLogLines(10);
// Unacknowledged data ends a connection after this time, as in gRPC.
constexpr int kUserTimeoutMs = 20'000;

// Nothing when the number is no open socket.
std::optional<ino_t> InodeOf(int descriptor) {
  struct stat file = {};
  if (fstat(descriptor, &file) != 0 || !S_ISSOCK(file.st_mode)) {
    return std::nullopt;
  }
  return file.st_ino;
}

// Whether anything has come. What cannot be asked has spoken.
bool HasSpoken(int connection) {
  tcp_info info = {};
  socklen_t size = sizeof(info);
  return getsockopt(connection, IPPROTO_TCP, TCP_INFO, &info, &size) != 0 ||
         info.tcpi_bytes_received > 0;
}

}  // namespace

Acceptor::Acceptor(ListeningSocket socket, std::size_t max_connections,
                   Handle handle, const Log& log)
    : socket_(std::move(socket)),
      max_connections_(max_connections),
      handle_(std::move(handle)),
      log_(log),
      spare_(OpenSpare()),
      wake_(eventfd(0, EFD_CLOEXEC)),
      thread_([this] { Run(); }) {}

Acceptor::~Acceptor() { Stop(); }

void Acceptor::Stop() {
  if (!thread_.joinable()) return;
  const std::uint64_t one = 1;
  [[maybe_unused]] const ssize_t written =
      write(wake_.number(), &one, sizeof(one));
  thread_.join();
  // Closing it waits for the destructor; nobody may connect before.
  shutdown(socket_.socket.number(), SHUT_RDWR);
}

void Acceptor::CutConnections() {
  Sweep();
  const std::lock_guard lock(mutex_);
  for (const Connection& connection : connections_) {
    shutdown(connection.number, SHUT_RDWR);
  }
}

bool Acceptor::IsAlive() const {
  return Clock::now() - last_round_.load() < kStillAlive;
}

std::size_t Acceptor::connections() const {
  const std::lock_guard lock(mutex_);
  return connections_.size();
}

void Acceptor::Run() {
  pollfd waiting[] = {{socket_.socket.number(), POLLIN, 0},
                      {wake_.number(), POLLIN, 0}};
  while (true) {
    last_round_.store(Clock::now());
    poll(waiting, 2, kAcceptRoundMs);
    if (waiting[1].revents != 0) return;
    Sweep();
    while (TakeOne()) {
    }
  }
}

bool Acceptor::TakeOne() {
  const int number = accept4(socket_.socket.number(), nullptr, nullptr,
                             SOCK_NONBLOCK | SOCK_CLOEXEC);
  if (number < 0 && (errno == EMFILE || errno == ENFILE)) {
    // The connection would wait in the queue for ever, and poll return at once.
    spare_ = OwnedDescriptor();
    Refuse(accept4(socket_.socket.number(), nullptr, nullptr, SOCK_CLOEXEC),
           "no more file descriptors");
    spare_ = OpenSpare();
    return false;
  }
  if (number < 0) return errno == ECONNABORTED || errno == EINTR;
  if (!spare_.valid()) spare_ = OpenSpare();
  if (connections() >= max_connections_ && !EndOldestSilent()) {
    Refuse(number, "--max-connections");
    return true;
  }
  const int on = 1;
  setsockopt(number, IPPROTO_TCP, TCP_NODELAY, &on, sizeof(on));
  setsockopt(number, IPPROTO_TCP, TCP_USER_TIMEOUT, &kUserTimeoutMs,
             sizeof(kUserTimeoutMs));
  {
    const std::lock_guard lock(mutex_);
    connections_.push_back({number, InodeOf(number).value_or(0), false});
  }
  handle_(number);
  return true;
}

bool Acceptor::EndOldestSilent() {
  const std::lock_guard lock(mutex_);
  for (auto it = connections_.begin(); it != connections_.end(); ++it) {
    if (it->spoke || InodeOf(it->number) != it->inode) continue;
    it->spoke = HasSpoken(it->number);
    if (it->spoke) continue;
    // gRPC reads its end and closes the descriptor.
    shutdown(it->number, SHUT_RDWR);
    connections_.erase(it);
    return true;
  }
  return false;
}

void Acceptor::Refuse(int connection, const char* why) {
  if (connection >= 0) close(connection);
  ++refused_;
  const Clock::time_point now = Clock::now();
  if (now - last_logged_ < kBetweenLogLines) return;
  last_logged_ = now;
  log_.Write(LogLevel::kWarning, "connections refused",
             {{"reason", std::string_view(why)},
              {"connections", static_cast<std::int64_t>(connections())},
              {"refused", static_cast<std::int64_t>(refused_.load())}});
}

void Acceptor::Sweep() {
  const std::lock_guard lock(mutex_);
  connections_.erase(std::remove_if(connections_.begin(), connections_.end(),
                                    [](const Connection& connection) {
                                      return InodeOf(connection.number) !=
                                             connection.inode;
                                    }),
                     connections_.end());
}

}  // namespace mulligan
