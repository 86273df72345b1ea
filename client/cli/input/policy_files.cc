#include "client/cli/input/policy_files.h"

#include <filesystem>
#include <iterator>
#include <system_error>
#include <utility>

#include "absl/status/status.h"
#include "absl/strings/str_format.h"
#include "client/cli/input/inputs.h"

namespace mulligan::cli {
namespace {

absl::StatusOr<std::vector<PolicyText>> ReadPath(const std::string& path,
                                                 std::istream& standard_input,
                                                 Issues& issues) {
  if (path == "-") {
    absl::StatusOr<std::string> yaml = ReadInput(path, standard_input);
    if (!yaml.ok()) return yaml.status();
    return std::vector<PolicyText>{{"<stdin>", *std::move(yaml)}};
  }
  std::error_code error;
  if (!std::filesystem::exists(path, error)) {
    return absl::NotFoundError(absl::StrFormat(
        "%s: no such file or directory, expected a policy", path));
  }
  return std::filesystem::is_directory(path, error)
             ? ReadPolicyDirectory(path, issues)
             : ReadPolicyFile(path, issues);
}

}  // namespace

absl::StatusOr<LoadedPolicies> LoadPolicyPaths(
    const std::vector<std::string>& paths, std::istream& standard_input) {
  LoadedPolicies loaded;
  for (const std::string& path : paths) {
    absl::StatusOr<std::vector<PolicyText>> texts =
        ReadPath(path, standard_input, loaded.issues);
    if (!texts.ok()) return texts.status();
    loaded.texts.insert(loaded.texts.end(),
                        std::make_move_iterator(texts->begin()),
                        std::make_move_iterator(texts->end()));
  }
  loaded.files = loaded.texts.size();
  for (const Issue& issue : loaded.issues) {
    std::error_code error;
    if (!std::filesystem::is_directory(issue.file, error)) ++loaded.files;
  }
  // Problems with reading do not hide those in the files that could be read.
  loaded.set = LoadPolicies(loaded.texts, loaded.issues);
  if (HasErrors(loaded.issues)) loaded.set = nullptr;
  return loaded;
}

}  // namespace mulligan::cli
