// Runs the mulligan binary and a server.
#ifndef MULLIGAN_TESTS_CLIENT_COMMAND_RUN_COMMAND_H_
#define MULLIGAN_TESTS_CLIENT_COMMAND_RUN_COMMAND_H_

#include <sys/types.h>

#include <string>
#include <vector>

namespace mulligan::testing {

struct CommandResult {
  // Exit code, or -1 if the binary died by a signal.
  int code = -1;
  std::string out;
  std::string err;
};

// Runs mulligan with `input` as its standard input, which is not a terminal.
CommandResult RunMulligan(const std::vector<std::string>& arguments,
                          const std::string& input = "");

// A mulligan-server on a free loopback port during its lifetime.
class ServerProcess {
 public:
  ServerProcess();
  ~ServerProcess();

  ServerProcess(const ServerProcess&) = delete;
  ServerProcess& operator=(const ServerProcess&) = delete;

  // Returns "127.0.0.1:PORT"; empty if it did not start.
  const std::string& address() const { return address_; }

  // Returns whether the binary has been built.
  static bool IsBuilt();

 private:
  pid_t pid_ = -1;
  std::string address_;
};

// Returns the text of a file; empty if it does not exist.
std::string ReadTestFile(const std::string& path);

}  // namespace mulligan::testing

#endif  // MULLIGAN_TESTS_CLIENT_COMMAND_RUN_COMMAND_H_
