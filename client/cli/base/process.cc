#include "client/cli/base/process.h"

#include <fcntl.h>
#include <poll.h>
#include <spawn.h>
#include <sys/ioctl.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <sys/signalfd.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <climits>
#include <csignal>
#include <cstdio>
#include <cstring>
#include <fstream>
#include <string_view>
#include <utility>

#include "absl/strings/ascii.h"
#include "absl/strings/str_cat.h"
#include "absl/time/clock.h"
#include "client/cli/base/utf8.h"
#include "policy/limits.h"

extern char** environ;

namespace mulligan::cli {
namespace {

// The first four stop a command.
constexpr std::array kPassedOn = {SIGTERM, SIGINT,  SIGHUP,
                                  SIGQUIT, SIGUSR1, SIGUSR2};

bool Stops(int signal) {
  const auto* end = kPassedOn.begin() + 4;
  return std::find(kPassedOn.begin(), end, signal) != end;
}

// How long output of background processes is passed on after a command ended.
constexpr absl::Duration kDrainTime = absl::Milliseconds(500);

sigset_t OwnSignals() {
  sigset_t set;
  sigemptyset(&set);
  for (const int signal : kPassedOn) sigaddset(&set, signal);
  sigaddset(&set, SIGCHLD);
  sigaddset(&set, SIGIO);
  return set;
}

class Fd {
 public:
  Fd() = default;
  explicit Fd(int fd) : fd_(fd) {}
  Fd(Fd&& other) noexcept : fd_(std::exchange(other.fd_, -1)) {}
  Fd& operator=(Fd&& other) noexcept {
    std::swap(fd_, other.fd_);
    return *this;
  }
  ~Fd() { Close(); }
  void Close() {
    if (fd_ >= 0) close(fd_);
    fd_ = -1;
  }
  int get() const { return fd_; }
  bool open() const { return fd_ >= 0; }

 private:
  int fd_ = -1;
};

struct Pipe {
  Fd read;
  Fd write;
};

Pipe MakePipe() {
  int ends[2] = {-1, -1};
  if (pipe2(ends, O_CLOEXEC) != 0) return {};
  return {Fd(ends[0]), Fd(ends[1])};
}

// Starts `command` with `out` and `err` as its output; -1 keeps the caller's
// stream. Returns the process id, or the negative errno.
pid_t Start(const std::vector<std::string>& command,
            const std::vector<std::string>& variables, int out, int err) {
  std::vector<char*> words;
  for (const std::string& word : command) {
    words.push_back(const_cast<char*>(word.c_str()));
  }
  words.push_back(nullptr);
  std::vector<char*> environment;
  for (char** one = environ; *one != nullptr; ++one) {
    const std::string_view name(*one, std::strcspn(*one, "=") + 1);
    if (std::ranges::none_of(variables, [name](const std::string& own) {
          return own.starts_with(name);
        })) {
      environment.push_back(*one);
    }
  }
  for (const std::string& own : variables) {
    environment.push_back(const_cast<char*>(own.c_str()));
  }
  environment.push_back(nullptr);
  posix_spawn_file_actions_t files;
  posix_spawn_file_actions_init(&files);
  if (out >= 0) posix_spawn_file_actions_adddup2(&files, out, STDOUT_FILENO);
  if (err >= 0) posix_spawn_file_actions_adddup2(&files, err, STDERR_FILENO);
  posix_spawnattr_t attributes;
  posix_spawnattr_init(&attributes);
  posix_spawnattr_setflags(&attributes,
                           POSIX_SPAWN_SETSIGMASK | POSIX_SPAWN_SETSIGDEF);
  sigset_t none;
  sigemptyset(&none);
  posix_spawnattr_setsigmask(&attributes, &none);
  // Other ignored signals (nohup) stay ignored; SIGPIPE is ignored only here.
  sigset_t pipe;
  sigemptyset(&pipe);
  sigaddset(&pipe, SIGPIPE);
  posix_spawnattr_setsigdefault(&attributes, &pipe);
  pid_t child = -1;
  const int error = posix_spawnp(&child, words[0], &files, &attributes,
                                 words.data(), environment.data());
  posix_spawnattr_destroy(&attributes);
  posix_spawn_file_actions_destroy(&files);
  return error == 0 ? child : -error;
}

// Passes one stream of the command on to ours.
class OutputPipe {
 public:
  OutputPipe(Fd from, int to) : from_(std::move(from)), to_(to) {}

  bool open() const { return from_.open() || !waiting_.empty(); }
  // Reads only after it has written, so that a slow reader slows the command
  // and signals are handled without delay.
  pollfd Waits() const {
    if (!waiting_.empty()) return {to_, POLLOUT, 0};
    return {from_.get(), POLLIN, 0};
  }
  void Step(const pollfd& ready, std::string& tail) {
    if (ready.revents == 0) return;
    waiting_.empty() ? Read(tail) : Write();
  }
  // Why our stream cannot be written; 0 if it can.
  int error() const { return error_; }
  const char* name() const {
    return to_ == STDOUT_FILENO ? "standard output" : "standard error";
  }

 private:
  void Read(std::string& tail) {
    // A write of this size to a ready pipe does not block.
    char buffer[PIPE_BUF];
    const ssize_t size = read(from_.get(), buffer, sizeof(buffer));
    if (size < 0 && errno == EINTR) return;
    if (size <= 0) return from_.Close();
    waiting_.assign(buffer, static_cast<std::size_t>(size));
    tail.append(waiting_);
    if (tail.size() > 2 * kMaxTextBytes) {
      tail.erase(0, tail.size() - kMaxTextBytes);
    }
  }
  void Write() {
    const ssize_t size = write(to_, waiting_.data(), waiting_.size());
    if (size < 0 && (errno == EINTR || errno == EAGAIN)) return;
    if (size < 0) {
      // Closing lets the command notice.
      waiting_.clear();
      error_ = errno;
      return from_.Close();
    }
    waiting_.erase(0, static_cast<std::size_t>(size));
  }

  Fd from_;
  int to_;
  std::string waiting_;
  int error_ = 0;
};

void SetEnd(int status, const rusage& used, ProcessResult& ended) {
  ended.ended_at = absl::Now();
  ended.signal = WIFSIGNALED(status) ? WTERMSIG(status) : 0;
  ended.code = ended.signal != 0 ? 128 + ended.signal : WEXITSTATUS(status);
  ended.peak_bytes = std::int64_t{used.ru_maxrss} * 1024;
}

// Reaps all ended children. Returns whether `child` was one of them.
bool Reap(pid_t child, ProcessResult& ended) {
  bool is_over = false;
  while (true) {
    int status = 0;
    rusage used{};
    const pid_t one = wait4(-1, &status, WNOHANG, &used);
    if (one <= 0) return is_over;
    if (one != child) continue;
    is_over = true;
    SetEnd(status, used, ended);
  }
}

// Takes the next pending signal; its number is 0 if none is pending.
signalfd_siginfo NextSignal(int signals) {
  signalfd_siginfo info{};
  if (read(signals, &info, sizeof(info)) != sizeof(info)) info.ssi_signo = 0;
  return info;
}

// Adds the error to the output, as the command would have.
void NoteError(const std::string& what, int error, ProcessResult& ended) {
  const std::string line =
      absl::StrCat("mulligan: run: ", what, ": ", std::strerror(error), "\n");
  ended.tail += line;
  std::fputs(line.c_str(), stderr);
}

}  // namespace

Runner::Runner() {
  // Failed writes are handled instead.
  std::signal(SIGPIPE, SIG_IGN);
  const sigset_t own = OwnSignals();
  sigprocmask(SIG_BLOCK, &own, nullptr);
  signals_ = signalfd(-1, &own, SFD_CLOEXEC | SFD_NONBLOCK);
  prctl(PR_SET_CHILD_SUBREAPER, 1);
}

Runner::~Runner() {
  close(signals_);
  if (watch_ >= 0) close(watch_);
}

ProcessResult Runner::Run(const std::vector<std::string>& command,
                          const std::vector<std::string>& variables) {
  ProcessResult ended;
  NoteInput();
  ended.started_at = absl::Now();
  Pipe out = MakePipe();
  Pipe err = MakePipe();
  const pid_t child =
      Start(command, variables, out.write.get(), err.write.get());
  if (child < 0) {
    ended.code = -child == ENOENT ? 127 : 126;
    ended.ended_at = absl::Now();
    NoteError(command[0], -child, ended);
    return ended;
  }
  out.write.Close();
  err.write.Close();
  std::array<OutputPipe, 2> streams = {
      OutputPipe(std::move(out.read), STDOUT_FILENO),
      OutputPipe(std::move(err.read), STDERR_FILENO)};
  bool runs = true;
  while (runs || streams[0].open() || streams[1].open()) {
    std::array<pollfd, 3> waits = {streams[0].Waits(), streams[1].Waits(),
                                   pollfd{signals_, POLLIN, 0}};
    const absl::Duration left = ended.ended_at + kDrainTime - absl::Now();
    if (!runs && left <= absl::ZeroDuration()) break;
    const int longest =
        runs ? -1 : static_cast<int>(absl::ToInt64Milliseconds(left)) + 1;
    if (poll(waits.data(), waits.size(), longest) < 0 && errno != EINTR) break;
    streams[0].Step(waits[0], ended.tail);
    streams[1].Step(waits[1], ended.tail);
    while (true) {
      const signalfd_siginfo signal = NextSignal(signals_);
      const int number = static_cast<int>(signal.ssi_signo);
      if (number == 0) break;
      if (number == SIGCHLD) {
        if (runs && Reap(child, ended)) runs = false;
      } else if (number == SIGIO) {
        input_came_ = true;
      } else {
        if (Stops(number)) ended.stopped_by = number;
        // The terminal has already sent its signals to the command.
        if (runs && signal.ssi_code != SI_KERNEL) kill(child, number);
      }
    }
  }
  for (const OutputPipe& stream : streams) {
    if (stream.error() == 0) continue;
    if (stream.error() == EPIPE) {
      // Counts as a stop, because another attempt would have no reader either.
      if (ended.stopped_by == 0) ended.stopped_by = SIGPIPE;
      continue;
    }
    // The command may have ended before it could notice.
    NoteError(stream.name(), stream.error(), ended);
    if (ended.code == 0 || ended.signal == SIGPIPE) ended.code = 1;
    if (ended.signal == SIGPIPE) ended.signal = 0;
  }
  ended.tail = TailOf(ended.tail);
  return ended;
}

Runner::Input Runner::InputNow() {
  Input now;
  struct stat info {};
  if (fstat(STDIN_FILENO, &info) != 0) return now;
  if (S_ISREG(info.st_mode)) now.offset = lseek(STDIN_FILENO, 0, SEEK_CUR);
  if (S_ISFIFO(info.st_mode) || S_ISSOCK(info.st_mode)) {
    ioctl(STDIN_FILENO, FIONREAD, &now.pending);
    pollfd end = {STDIN_FILENO, POLLRDHUP, 0};
    now.ended = poll(&end, 1, 0) > 0;
  }
  return now;
}

void Runner::NoteInput() {
  struct stat info {};
  if (watch_ < 0 && fstat(STDIN_FILENO, &info) == 0 && S_ISFIFO(info.st_mode)) {
    watch_ = open("/proc/self/fd/0", O_RDONLY | O_NONBLOCK | O_CLOEXEC);
    if (watch_ >= 0) {
      fcntl(watch_, F_SETOWN, getpid());
      fcntl(watch_, F_SETFL, O_NONBLOCK | O_ASYNC);
    }
  }
  before_ = InputNow();
  // Without a watch, new bytes may replace those that are read.
  input_came_ = watch_ < 0 && before_.pending > 0;
}

bool Runner::RestoreInput() const {
  if (before_.offset >= 0) {
    return lseek(STDIN_FILENO, before_.offset, SEEK_SET) == before_.offset;
  }
  return InputNow() == before_ && (before_.ended || !input_came_);
}

void Runner::EndOrphans() {
  const std::string path =
      absl::StrCat("/proc/self/task/", getpid(), "/children");
  // Each round kills one generation.
  for (int round = 0; round < 100; ++round) {
    std::ifstream children(path);
    bool any = false;
    for (pid_t orphan = 0; children >> orphan;) {
      any = true;
      kill(orphan, SIGKILL);
      waitpid(orphan, nullptr, 0);
    }
    if (!any) return;
  }
}

int Runner::Sleep(absl::Duration span) {
  const absl::Time end = absl::Now() + span;
  while (true) {
    while (true) {
      const signalfd_siginfo signal = NextSignal(signals_);
      if (signal.ssi_signo == 0) break;
      const int number = static_cast<int>(signal.ssi_signo);
      if (Stops(number)) return number;
      if (number == SIGCHLD) {
        while (waitpid(-1, nullptr, WNOHANG) > 0) {
        }
      }
    }
    const absl::Duration left = end - absl::Now();
    if (left <= absl::ZeroDuration()) return 0;
    pollfd wait = {signals_, POLLIN, 0};
    const std::int64_t milliseconds =
        std::min<std::int64_t>(absl::ToInt64Milliseconds(left) + 1, 60'000);
    poll(&wait, 1, static_cast<int>(milliseconds));
  }
}

absl::StatusOr<std::string> OutputOf(const std::vector<std::string>& command) {
  constexpr std::size_t kMax = std::size_t{64} << 20;
  Pipe out = MakePipe();
  Pipe err = MakePipe();
  const pid_t child = Start(command, {}, out.write.get(), err.write.get());
  if (child < 0) {
    return absl::NotFoundError(
        absl::StrCat(command[0], ": ", std::strerror(-child)));
  }
  out.write.Close();
  err.write.Close();
  std::string output;
  std::string errors;
  std::array<pollfd, 2> waits = {pollfd{out.read.get(), POLLIN, 0},
                                 pollfd{err.read.get(), POLLIN, 0}};
  while (waits[0].fd >= 0 || waits[1].fd >= 0) {
    if (poll(waits.data(), waits.size(), -1) < 0 && errno != EINTR) break;
    for (pollfd& wait : waits) {
      if (wait.fd < 0 || wait.revents == 0) continue;
      std::string& text = &wait == &waits[0] ? output : errors;
      char buffer[1 << 14];
      const ssize_t size = read(wait.fd, buffer, sizeof(buffer));
      if (size < 0 && errno == EINTR) continue;
      if (size <= 0) {
        wait.fd = -1;
      } else if (text.size() < kMax) {
        text.append(buffer, static_cast<std::size_t>(size));
      }
    }
  }
  int status = 0;
  while (waitpid(child, &status, 0) < 0 && errno == EINTR) {
  }
  if (WIFEXITED(status) && WEXITSTATUS(status) == 0) return output;
  absl::StripAsciiWhitespace(&errors);
  return absl::InternalError(absl::StrCat(
      command[0], ": ", errors.empty() ? "it failed" : errors.substr(0, 1024)));
}

}  // namespace mulligan::cli
