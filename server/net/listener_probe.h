// Probes whether a listener still answers.
#ifndef MULLIGAN_SERVER_NET_LISTENER_PROBE_H_
#define MULLIGAN_SERVER_NET_LISTENER_PROBE_H_

#include <functional>

namespace mulligan {

enum class ProbeResult {
  // It answered or closed the connection, so it works.
  kAnswered,
  kSilent,
  // No descriptor was free, which says nothing about the listener.
  kNotAsked,
};

// Connects to the listening socket `socket` of this process and starts HTTP/2
// or TLS like a client. Takes at most two seconds. Calls `from` first with the
// connection's port, except for a unix socket.
ProbeResult ProbeListener(int socket, bool tls,
                          const std::function<void(int port)>& from);

}  // namespace mulligan

#endif  // MULLIGAN_SERVER_NET_LISTENER_PROBE_H_
