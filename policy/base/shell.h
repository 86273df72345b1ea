// Commands to copy into a shell.
#ifndef MULLIGAN_POLICY_BASE_SHELL_H_
#define MULLIGAN_POLICY_BASE_SHELL_H_

#include <string>
#include <string_view>

namespace mulligan {

// Returns `text` in single quotes for a POSIX shell.
std::string Quoted(std::string_view text);

// Returns `text` as one word of a POSIX shell, quoted if necessary.
std::string ShellWord(std::string_view text);

// Returns the name of an object as an argument that is never an option.
// Kubernetes names do not begin with "-", but names in a report may.
std::string NameWord(const char* kind, const std::string& name);

// Returns for example " -n ml"; empty if `space` is empty.
std::string InNamespace(std::string_view space);

// A container whose log is worth reading.
struct LogPlace {
  std::string space;
  std::string pod;
  // Empty if the pod has only one.
  std::string container;
  // The container has been restarted since the failure.
  bool restarted = false;
};

// Returns for example "kubectl logs -n ml a -c main --previous".
std::string LogCommand(const LogPlace& place);

}  // namespace mulligan

#endif  // MULLIGAN_POLICY_BASE_SHELL_H_
