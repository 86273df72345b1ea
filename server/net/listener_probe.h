// Asks a listener whether it still answers.
#ifndef MULLIGAN_SERVER_NET_LISTENER_PROBE_H_
#define MULLIGAN_SERVER_NET_LISTENER_PROBE_H_

#include <functional>

namespace mulligan {

enum class ProbeResult {
  // It answered, or closed the connection: somebody is there.
  kAnswered,
  kSilent,
  // No descriptor for the probe, which tells nothing about the listener.
  kNotAsked,
};

// Connects to the listening socket `socket` of this process and begins to talk,
// HTTP/2 or TLS, as a client does. Takes two seconds at most. `from` is called
// before, with the port that the connection comes from; not for a unix socket.
ProbeResult ProbeListener(int socket, bool tls,
                          const std::function<void(int port)>& from);

}  // namespace mulligan

#endif  // MULLIGAN_SERVER_NET_LISTENER_PROBE_H_
