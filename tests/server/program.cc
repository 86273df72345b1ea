#include "tests/server/program.h"

#include <fcntl.h>
#include <spawn.h>
#include <sys/wait.h>
#include <unistd.h>

#include <csignal>

namespace mulligan::testing {

Program::Program(std::vector<std::string> arguments) {
  int fds[2];
  if (pipe2(fds, O_CLOEXEC) != 0) return;
  posix_spawn_file_actions_t actions;
  posix_spawn_file_actions_init(&actions);
  posix_spawn_file_actions_adddup2(&actions, fds[1], STDOUT_FILENO);
  posix_spawn_file_actions_adddup2(&actions, fds[1], STDERR_FILENO);
  arguments.insert(arguments.begin(), MULLIGAN_SERVER_BINARY);
  std::vector<char*> argv;
  for (std::string& argument : arguments) argv.push_back(argument.data());
  argv.push_back(nullptr);
  posix_spawn(&pid_, argv[0], &actions, nullptr, argv.data(), environ);
  posix_spawn_file_actions_destroy(&actions);
  close(fds[1]);
  out_ = fds[0];
}

Program::~Program() {
  if (pid_ > 0) {
    kill(pid_, SIGKILL);
    waitpid(pid_, nullptr, 0);
  }
  close(out_);
}

bool Program::WaitFor(const std::string& text) {
  while (output_.find(text) == std::string::npos) {
    if (!ReadMore()) return false;
  }
  return true;
}

void Program::Signal(int signal) const { kill(pid_, signal); }

int Program::Wait() {
  while (ReadMore()) {
  }
  int status = 0;
  waitpid(pid_, &status, 0);
  pid_ = -1;
  return WIFEXITED(status) ? WEXITSTATUS(status) : -1;
}

bool Program::ReadMore() {
  char buffer[4096];
  const ssize_t got = read(out_, buffer, sizeof(buffer));
  if (got <= 0) return false;
  output_.append(buffer, static_cast<std::size_t>(got));
  return true;
}

int Program::PortAfter(const std::string& key) {
  if (!WaitFor(key)) return 0;
  const std::size_t at = output_.find(key) + key.size();
  // The number is complete once something follows it.
  while (output_.find_first_not_of("0123456789", at) == std::string::npos) {
    if (!ReadMore()) return 0;
  }
  return std::stoi(output_.substr(at));
}

std::vector<std::string> Serving(const std::vector<std::string>& more) {
  std::vector<std::string> arguments = {
      "--listen-address=127.0.0.1:0", "--admin-address=off", "--drain-delay=0"};
  arguments.insert(arguments.end(), more.begin(), more.end());
  return arguments;
}

}  // namespace mulligan::testing
