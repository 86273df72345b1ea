// Runs the mulligan binary, and a server for it.
#ifndef MULLIGAN_TESTS_CLIENT_COMMAND_RUN_COMMAND_H_
#define MULLIGAN_TESTS_CLIENT_COMMAND_RUN_COMMAND_H_

#include <sys/types.h>

#include <string>
#include <vector>

namespace mulligan::testing {

struct CommandResult {
  // Exit code, or -1 when the binary died by a signal.
  int code = -1;
  std::string out;
  std::string err;
};

// Runs mulligan with `arguments`; `input` is its standard input, no terminal.
CommandResult RunMulligan(const std::vector<std::string>& arguments,
                          const std::string& input = "");

// A mulligan-server on a free port of the loopback interface, from its
// construction to its destruction.
class ServerProcess {
 public:
  ServerProcess();
  ~ServerProcess();

  ServerProcess(const ServerProcess&) = delete;
  ServerProcess& operator=(const ServerProcess&) = delete;

  // "127.0.0.1:PORT"; empty when it did not start.
  const std::string& address() const { return address_; }

  // Whether the binary has been built.
  static bool IsBuilt();

 private:
  pid_t pid_ = -1;
  std::string address_;
};

// The text of a file; empty when there is none.
std::string ReadTestFile(const std::string& path);

}  // namespace mulligan::testing

#endif  // MULLIGAN_TESTS_CLIENT_COMMAND_RUN_COMMAND_H_
