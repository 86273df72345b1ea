// mulligan-server as a child process, for tests.
#ifndef MULLIGAN_TESTS_SERVER_PROGRAM_H_
#define MULLIGAN_TESTS_SERVER_PROGRAM_H_

#include <sys/types.h>

#include <string>
#include <vector>

namespace mulligan::testing {

// Its output and errors go to one pipe. Killed by the destructor.
class Program {
 public:
  explicit Program(std::vector<std::string> arguments);
  ~Program();
  Program(const Program&) = delete;
  Program& operator=(const Program&) = delete;

  // Reads until `text` was printed; returns false if the output ends before.
  bool WaitFor(const std::string& text);
  void Signal(int signal) const;
  // Reads to the end; returns the exit code, or -1 after a signal.
  int Wait();

  // Return the ports once it serves; 0 if it does not.
  int grpc_port() { return PortAfter("\"grpc_port\":"); }
  int admin_port() { return PortAfter("\"admin_port\":"); }

  pid_t pid() const { return pid_; }
  const std::string& output() const { return output_; }

 private:
  bool ReadMore();
  int PortAfter(const std::string& key);

  pid_t pid_ = -1;
  int out_ = -1;
  std::string output_;
};

// Returns flags for a free port, no delays and no admin port, plus `more`.
std::vector<std::string> Serving(const std::vector<std::string>& more = {});

}  // namespace mulligan::testing

#endif  // MULLIGAN_TESTS_SERVER_PROGRAM_H_
