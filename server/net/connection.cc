#include "server/net/connection.h"

#include <arpa/inet.h>
#include <netinet/in.h>
#include <sys/socket.h>

#include <algorithm>
#include <iterator>

#include "server/net/listener.h"

namespace mulligan {

void ConnectionGroup::AddOffence(const std::string& source,
                                 const char* reason) {
  const std::lock_guard lock(mutex_);
  offences_ = {offences_.count + 1, source, reason};
}

ConnectionGroup::Offences ConnectionGroup::offences() const {
  const std::lock_guard lock(mutex_);
  return offences_;
}

void ConnectionGroup::EnforceLimit() {
  if (!usage_.WillExceedLimit()) return;
  const std::unique_lock lock(enforcing_, std::try_to_lock);
  if (!lock.owns_lock()) return;
  while (usage_.WillExceedLimit() && end_one_()) {
  }
}

bool Connection::Receive(std::string_view bytes) {
  if (!Check(bytes)) return false;
  group_->EnforceLimit();
  return true;
}

bool Connection::Check(std::string_view bytes) {
  const std::lock_guard lock(mutex_);
  if (ending_) return false;
  const char* const why = guard_.Receive(bytes, Http2Guard::Clock::now());
  if (why == nullptr) return true;
  ending_ = true;
  guard_.Leave();
  group_->AddOffence(source_, why);
  return false;
}

void Connection::Send(std::string_view bytes) {
  const std::lock_guard lock(mutex_);
  guard_.Send(bytes, Http2Guard::Clock::now());
}

Connection::State Connection::state(Http2Guard::Clock::time_point now) const {
  const std::lock_guard lock(mutex_);
  if (closed_) return State::kClosed;
  if (ending_) return State::kEnding;
  if (!guard_.has_begun()) return State::kBeginning;
  return guard_.open_streams() == 0 || guard_.IsQuiet(now) ? State::kIdle
                                                           : State::kBusy;
}

Connection::Held Connection::held() const {
  const std::lock_guard lock(mutex_);
  if (ending_) return {};
  return {guard_.held(), guard_.held_since()};
}

void Connection::End() {
  const std::lock_guard lock(mutex_);
  ending_ = true;
  guard_.Leave();
  if (!closed_) shutdown(descriptor_, SHUT_RDWR);
}

void Connection::EndFor(const char* why) {
  End();
  group_->AddOffence(source_, why);
}

void Connection::Closed() {
  const std::lock_guard lock(mutex_);
  closed_ = true;
  guard_.Forget();
}

bool IsFromLocalPort(int connection, int port) {
  sockaddr_storage mine = {};
  sockaddr_storage other = {};
  socklen_t size = sizeof(mine);
  socklen_t other_size = sizeof(other);
  if (getsockname(connection, reinterpret_cast<sockaddr*>(&mine), &size) != 0 ||
      getpeername(connection, reinterpret_cast<sockaddr*>(&other),
                  &other_size) != 0 ||
      mine.ss_family != other.ss_family || PortOf(other) != port) {
    return false;
  }
  if (mine.ss_family == AF_INET) {
    return reinterpret_cast<sockaddr_in&>(mine).sin_addr.s_addr ==
           reinterpret_cast<sockaddr_in&>(other).sin_addr.s_addr;
  }
  return mine.ss_family == AF_INET6 &&
         IN6_ARE_ADDR_EQUAL(&reinterpret_cast<sockaddr_in6&>(mine).sin6_addr,
                            &reinterpret_cast<sockaddr_in6&>(other).sin6_addr);
}

std::string SourceOf(int connection) {
  sockaddr_storage name = {};
  socklen_t size = sizeof(name);
  char text[INET6_ADDRSTRLEN] = "";
  if (getpeername(connection, reinterpret_cast<sockaddr*>(&name), &size) != 0) {
    return text;
  }
  if (name.ss_family == AF_INET) {
    const auto& four = reinterpret_cast<const sockaddr_in&>(name).sin_addr;
    return inet_ntop(AF_INET, &four, text, sizeof(text));
  }
  if (name.ss_family != AF_INET6) return "unix";
  in6_addr six = reinterpret_cast<const sockaddr_in6&>(name).sin6_addr;
  constexpr int kNetwork = 8;  // bytes; the caller can choose the rest
  if (IN6_IS_ADDR_V4MAPPED(&six)) {
    return inet_ntop(AF_INET, &six.s6_addr[12], text, sizeof(text));
  }
  std::fill(std::begin(six.s6_addr) + kNetwork, std::end(six.s6_addr), 0);
  return std::string(inet_ntop(AF_INET6, &six, text, sizeof(text))) + "/64";
}

}  // namespace mulligan
