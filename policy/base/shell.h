// Commands that people copy into a shell.
#ifndef MULLIGAN_POLICY_BASE_SHELL_H_
#define MULLIGAN_POLICY_BASE_SHELL_H_

#include <string>
#include <string_view>

namespace mulligan {

// `text` in single quotes for a POSIX shell.
std::string Quoted(std::string_view text);

// `text` as one word of a POSIX shell, quoted where it would be more or
// something else.
std::string ShellWord(std::string_view text);

// The name of an object as an argument that is never an option: a name of
// Kubernetes begins with no "-", but what a report calls a name may.
std::string NameWord(const char* kind, const std::string& name);

// " -n ml"; empty without a namespace.
std::string InNamespace(std::string_view space);

// A container whose log somebody should read.
struct LogPlace {
  std::string space;
  std::string pod;
  // Empty: the pod's only one.
  std::string container;
  // It ended, and was started again since.
  bool restarted = false;
};

// "kubectl logs -n ml a -c main --previous".
std::string LogCommand(const LogPlace& place);

}  // namespace mulligan

#endif  // MULLIGAN_POLICY_BASE_SHELL_H_
