#include "server/net/io_hooks.h"

#include <dlfcn.h>
#include <openssl/crypto.h>
#include <openssl/err.h>
#include <openssl/ssl.h>
#include <sys/socket.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <atomic>
#include <cerrno>
#include <cstddef>
#include <string_view>
#include <utility>

namespace mulligan {
namespace {

using Shared = std::shared_ptr<Connection>;

struct Attachment {
  Wire wire;
  Shared connection;
};

// More than a process can have; unused pages take no memory.
constexpr std::size_t kMaxDescriptors = 1 << 20;
// By descriptor; null if nothing is attached. Closing the descriptor removes
// the entry; gRPC does not use it after that.
std::array<std::atomic<Attachment*>, kMaxDescriptors> attachments;

std::atomic<Attachment*>* EntryOf(int descriptor) {
  const auto index = static_cast<std::size_t>(descriptor);
  return index < attachments.size() ? &attachments[index] : nullptr;
}

Attachment* Of(int descriptor) {
  const std::atomic<Attachment*>* const entry = EntryOf(descriptor);
  return entry == nullptr ? nullptr : entry->load(std::memory_order_acquire);
}

// Returns null for descriptors whose bytes are not checked here.
Connection* PlaintextOf(int descriptor) {
  const Attachment* const of = Of(descriptor);
  return of != nullptr && of->wire == Wire::kPlaintext ? of->connection.get()
                                                       : nullptr;
}

// Calls `check` with the first `size` bytes of `message` until it returns
// false.
template <typename Check>
bool ForEachPiece(const msghdr& message, ssize_t size, Check check) {
  auto left = static_cast<std::size_t>(size);
  for (std::size_t i = 0; i < message.msg_iovlen && left > 0; ++i) {
    const iovec& piece = message.msg_iov[i];
    const std::size_t length = std::min(left, piece.iov_len);
    left -= length;
    if (!check({static_cast<const char*>(piece.iov_base), length}))
      return false;
  }
  return true;
}

// Returns the function that ours replaces.
template <typename Function>
Function* Next(const char* name) {
  return reinterpret_cast<Function*>(dlsym(RTLD_NEXT, name));
}

thread_local Shared sessions_of;

// OpenSSL's storage for data of a session: created with it, on the same thread,
// and freed with it.
int SessionIndex() {
  static const int index = SSL_get_ex_new_index(
      0, nullptr,
      [](void*, void*, CRYPTO_EX_DATA* data, int at, long, void*) {
        if (sessions_of != nullptr) {
          CRYPTO_set_ex_data(data, at, new Shared(sessions_of));
        }
      },
      nullptr,
      [](void*, void* kept, CRYPTO_EX_DATA*, int, long, void*) {
        delete static_cast<Shared*>(kept);
      });
  return index;
}

Connection* ConnectionOf(const SSL* session) {
  const auto* const kept =
      static_cast<Shared*>(SSL_get_ex_data(session, SessionIndex()));
  return kept == nullptr ? nullptr : kept->get();
}

}  // namespace

void AttachConnection(int descriptor, Wire wire, Shared connection) {
  std::atomic<Attachment*>* const entry = EntryOf(descriptor);
  if (entry == nullptr) return;
  delete entry->exchange(new Attachment{wire, std::move(connection)},
                         std::memory_order_acq_rel);
}

TlsSessionScope::TlsSessionScope(Shared connection) {
  SessionIndex();
  sessions_of = std::move(connection);
}

TlsSessionScope::~TlsSessionScope() { sessions_of = nullptr; }

}  // namespace mulligan

// NOLINTBEGIN(readability-identifier-naming): the names are the system's.
extern "C" {

__attribute__((visibility("default"))) int close(int descriptor) {
  static auto* const next = mulligan::Next<int(int)>("close");
  std::atomic<mulligan::Attachment*>* const entry =
      mulligan::EntryOf(descriptor);
  if (entry != nullptr && entry->load(std::memory_order_relaxed) != nullptr) {
    const std::unique_ptr<mulligan::Attachment> gone(
        entry->exchange(nullptr, std::memory_order_acq_rel));
    if (gone != nullptr) gone->connection->Closed();
  }
  return next(descriptor);
}

__attribute__((visibility("default"))) ssize_t recvmsg(int descriptor,
                                                       msghdr* message,
                                                       int flags) {
  static auto* const next =
      mulligan::Next<ssize_t(int, msghdr*, int)>("recvmsg");
  const ssize_t got = next(descriptor, message, flags);
  if (got <= 0 || (flags & (MSG_PEEK | MSG_ERRQUEUE)) != 0) return got;
  mulligan::Connection* const connection = mulligan::PlaintextOf(descriptor);
  if (connection == nullptr ||
      mulligan::ForEachPiece(*message, got,
                             [connection](std::string_view bytes) {
                               return connection->Receive(bytes);
                             })) {
    return got;
  }
  errno = ECONNRESET;
  return -1;
}

__attribute__((visibility("default"))) ssize_t sendmsg(int descriptor,
                                                       const msghdr* message,
                                                       int flags) {
  static auto* const next =
      mulligan::Next<ssize_t(int, const msghdr*, int)>("sendmsg");
  mulligan::Connection* const connection = mulligan::PlaintextOf(descriptor);
  if (connection == nullptr) return next(descriptor, message, flags);
  return connection->Sending([&](const auto& check) {
    const ssize_t sent = next(descriptor, message, flags);
    if (sent <= 0) return sent;
    const int error = errno;
    mulligan::ForEachPiece(*message, sent, [&check](std::string_view bytes) {
      check(bytes);
      return true;
    });
    errno = error;
    return sent;
  });
}

__attribute__((visibility("default"))) int SSL_read(SSL* session, void* buffer,
                                                    int size) {
  static auto* const next = mulligan::Next<int(SSL*, void*, int)>("SSL_read");
  const int got = next(session, buffer, size);
  mulligan::Connection* const connection = mulligan::ConnectionOf(session);
  if (got <= 0 || connection == nullptr ||
      connection->Receive(
          {static_cast<const char*>(buffer), static_cast<std::size_t>(got)})) {
    return got;
  }
  // gRPC ends the connection for any error here.
  ERR_raise_data(ERR_LIB_USER, ERR_R_OPERATION_FAIL,
                 "the connection was ended for misuse of HTTP/2");
  return -1;
}

__attribute__((visibility("default"))) int SSL_write(SSL* session,
                                                     const void* bytes,
                                                     int size) {
  static auto* const next =
      mulligan::Next<int(SSL*, const void*, int)>("SSL_write");
  const int written = next(session, bytes, size);
  mulligan::Connection* const connection = mulligan::ConnectionOf(session);
  if (written > 0 && connection != nullptr) {
    connection->Send(
        {static_cast<const char*>(bytes), static_cast<std::size_t>(written)});
  }
  return written;
}

}  // extern "C"
// NOLINTEND(readability-identifier-naming)
