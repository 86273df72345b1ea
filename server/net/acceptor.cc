#include "server/net/acceptor.h"

#include <netinet/in.h>
#include <netinet/tcp.h>
#include <poll.h>
#include <sys/eventfd.h>
#include <sys/socket.h>
#include <unistd.h>

#include <cerrno>
#include <cstdint>
#include <utility>

namespace mulligan {
namespace {

constexpr int kAcceptRoundMs = 500;
// Milliseconds until the next check for room.
constexpr int kSoonMs = 1;
// Connections taken between two checks for the stop.
constexpr int kAcceptsPerRound = 64;
constexpr std::chrono::seconds kStillAlive(5);
constexpr std::chrono::seconds kBetweenLogLines(10);
// Milliseconds after which unacknowledged data ends a connection, as in gRPC.
constexpr int kUserTimeoutMs = 20'000;

// Returns whether the peer has closed the connection.
bool IsGone(int connection) {
  char first = 0;
  const ssize_t got =
      recv(connection, &first, sizeof(first), MSG_PEEK | MSG_DONTWAIT);
  return got == 0 || (got < 0 && errno != EAGAIN && errno != EINTR);
}

}  // namespace

Acceptor::Acceptor(ListeningSocket socket, Wire wire, const Bounds& bounds,
                   Handle handle, const Log& log)
    : socket_(std::move(socket)),
      wire_(wire),
      handle_(std::move(handle)),
      log_(log),
      spare_(OpenSpare()),
      table_(std::make_shared<ConnectionTable>(bounds.connections)),
      group_(std::make_shared<ConnectionGroup>(
          bounds.usage,
          [table = std::weak_ptr(table_)] {
            const auto there = table.lock();
            return there != nullptr && there->EndOneHolder();
          })),
      wake_(eventfd(0, EFD_CLOEXEC)),
      thread_([this] { Run(); }) {}

Acceptor::~Acceptor() { Stop(); }

void Acceptor::Stop() {
  if (!thread_.joinable()) return;
  const std::uint64_t one = 1;
  [[maybe_unused]] const ssize_t written =
      write(wake_.number(), &one, sizeof(one));
  thread_.join();
  // The destructor closes the descriptor; refuse connections until then.
  shutdown(socket_.socket.number(), SHUT_RDWR);
}

void Acceptor::CutConnections() { table_->EndAll(); }

bool Acceptor::IsAlive() const {
  return Clock::now() - last_round_.load() < kStillAlive;
}

void Acceptor::Run() {
  pollfd waiting[] = {{socket_.socket.number(), POLLIN, 0},
                      {wake_.number(), POLLIN, 0}};
  while (true) {
    last_round_.store(Clock::now());
    // While a connection waits for room, no others are taken.
    waiting[0].fd = held_.valid() ? -1 : socket_.socket.number();
    poll(waiting, 2, held_.valid() ? kSoonMs : kAcceptRoundMs);
    if (waiting[1].revents != 0) return;
    for (int i = 0; i < kAcceptsPerRound && TakeOne(); ++i) {
    }
    if (Clock::now() - last_logged_ < kBetweenLogLines) continue;
    LogRefused();
    LogOffences();
  }
}

bool Acceptor::TakeOne() {
  if (held_.valid()) return Take(held_);
  OwnedDescriptor connection(accept4(socket_.socket.number(), nullptr, nullptr,
                                     SOCK_NONBLOCK | SOCK_CLOEXEC));
  if (!connection.valid() && (errno == EMFILE || errno == ENFILE)) {
    // Otherwise it would stay in the queue and make poll return at once.
    spare_ = OwnedDescriptor();
    Refuse(OwnedDescriptor(accept4(socket_.socket.number(), nullptr, nullptr,
                                   SOCK_CLOEXEC)),
           "no more file descriptors");
    spare_ = OpenSpare();
    return false;
  }
  if (!connection.valid()) return errno == ECONNABORTED || errno == EINTR;
  if (!spare_.valid()) spare_ = OpenSpare();
  if (Take(connection)) return true;
  held_ = std::move(connection);
  return false;
}

bool Acceptor::Take(OwnedDescriptor& connection) {
  const int number = connection.number();
  const std::string source = SourceOf(number);
  if (source.empty() || IsGone(number)) {
    connection = OwnedDescriptor();
    return true;
  }
  const bool is_own = IsOwn(number);
  const ConnectionTable::Room room =
      is_own ? ConnectionTable::Room::kFree
             : table_->MakeRoom(source, Clock::now());
  if (room == ConnectionTable::Room::kSoon) return false;
  if (room == ConnectionTable::Room::kNone) {
    Refuse(std::move(connection), "--max-connections");
    return true;
  }
  const int on = 1;
  setsockopt(number, IPPROTO_TCP, TCP_NODELAY, &on, sizeof(on));
  setsockopt(number, IPPROTO_TCP, TCP_USER_TIMEOUT, &kUserTimeoutMs,
             sizeof(kUserTimeoutMs));
  const auto taken = std::make_shared<Connection>(number, source, group_);
  AttachConnection(number, wire_, taken);
  if (!is_own) table_->Add(taken);
  const TlsSessionScope sessions(taken);
  handle_(connection.Release());
  return true;
}

bool Acceptor::IsOwn(int connection) const {
  const int port = probe_port_.load();
  return port != 0 && IsFromLocalPort(connection, port);
}

void Acceptor::Refuse(OwnedDescriptor, const char* why) {
  ++refused_;
  refused_why_ = why;
}

void Acceptor::LogRefused() {
  const std::size_t refused = refused_.load();
  if (refused == refused_logged_) return;
  refused_logged_ = refused;
  last_logged_ = Clock::now();
  log_.Write(LogLevel::kWarning, "connections refused",
             {{"reason", std::string_view(refused_why_)},
              {"connections", static_cast<std::int64_t>(connections())},
              {"refused", static_cast<std::int64_t>(refused)}});
}

void Acceptor::LogOffences() {
  const ConnectionGroup::Offences offences = group_->offences();
  if (offences.count == offences_logged_) return;
  offences_logged_ = offences.count;
  last_logged_ = Clock::now();
  log_.Write(LogLevel::kWarning, "connections ended for misuse of HTTP/2",
             {{"reason", std::string_view(offences.reason)},
              {"source", std::string_view(offences.source)},
              {"ended", static_cast<std::int64_t>(offences.count)}});
}

}  // namespace mulligan
