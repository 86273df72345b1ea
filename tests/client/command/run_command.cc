#include "tests/client/command/run_command.h"

#include <fcntl.h>
#include <poll.h>
#include <sys/inotify.h>
#include <sys/wait.h>
#include <unistd.h>

#include <csignal>
#include <cstdio>
#include <filesystem>
#include <fstream>
#include <sstream>

#include "tests/testing/temp_dir.h"

namespace mulligan::testing {
namespace {

// Replaces the process by `arguments`, with files as standard streams; an empty
// name keeps the stream.
[[noreturn]] void Execute(const std::vector<std::string>& arguments,
                          const std::string& in, const std::string& out,
                          const std::string& err) {
  const auto redirect = [](const std::string& path, int flags, int target) {
    if (path.empty()) return;
    const int file = open(path.c_str(), flags, 0600);
    if (file < 0 || dup2(file, target) < 0) _exit(126);
  };
  redirect(in, O_RDONLY, STDIN_FILENO);
  redirect(out, O_WRONLY | O_CREAT | O_TRUNC, STDOUT_FILENO);
  redirect(err, O_WRONLY | O_CREAT | O_TRUNC, STDERR_FILENO);
  std::vector<char*> argv;
  for (const std::string& argument : arguments) {
    argv.push_back(const_cast<char*>(argument.c_str()));
  }
  argv.push_back(nullptr);
  execv(argv[0], argv.data());
  _exit(127);
}

// Returns the number after "grpcPort" in the server's port file.
std::string GrpcPort(const std::string& ports) {
  const std::string key = "\"grpcPort\":";
  const size_t at = ports.find(key);
  if (at == std::string::npos) return "";
  const size_t start = at + key.size();
  return ports.substr(start,
                      ports.find_first_not_of("0123456789", start) - start);
}

}  // namespace

CommandResult RunMulligan(const std::vector<std::string>& arguments,
                          const std::string& input) {
  const std::string in = WriteTestFile("stdin", input);
  const std::string out = TestFolder() / "stdout";
  const std::string err = TestFolder() / "stderr";
  std::vector<std::string> command = {MULLIGAN_BINARY};
  command.insert(command.end(), arguments.begin(), arguments.end());
  const pid_t pid = fork();
  if (pid == 0) Execute(command, in, out, err);
  int status = 0;
  waitpid(pid, &status, 0);
  return {.code = WIFEXITED(status) ? WEXITSTATUS(status) : -1,
          .out = ReadTestFile(out),
          .err = ReadTestFile(err)};
}

bool ServerProcess::IsBuilt() {
  return access(MULLIGAN_SERVER_BINARY, X_OK) == 0;
}

// Waits for the port file by notification, or until the server dies.
ServerProcess::ServerProcess() {
  const std::string ports = TestFolder() / "ports";
  const int changes = inotify_init1(IN_CLOEXEC);
  inotify_add_watch(changes, TestFolder().c_str(), IN_MOVED_TO);
  pid_ = fork();
  if (pid_ == 0) {
    Execute({MULLIGAN_SERVER_BINARY, "--listen-address=127.0.0.1:0",
             "--admin-address=off", "--drain-delay=0s", "--port-file=" + ports},
            "/dev/null", "/dev/null", TestFolder() / "server.log");
  }
  while (!std::filesystem::exists(ports)) {
    pollfd change = {.fd = changes, .events = POLLIN, .revents = 0};
    if (poll(&change, 1, /*timeout=*/200) > 0) break;
    if (waitpid(pid_, nullptr, WNOHANG) == pid_) {
      pid_ = -1;
      break;
    }
  }
  close(changes);
  const std::string port = GrpcPort(ReadTestFile(ports));
  if (!port.empty()) address_ = "127.0.0.1:" + port;
}

ServerProcess::~ServerProcess() {
  if (pid_ < 0) return;
  kill(pid_, SIGTERM);
  waitpid(pid_, nullptr, 0);
}

std::string ReadTestFile(const std::string& path) {
  std::ostringstream text;
  std::ifstream file(path, std::ios::binary);
  text << file.rdbuf();
  return text.str();
}

}  // namespace mulligan::testing
