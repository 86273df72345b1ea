#include <algorithm>
#include <filesystem>
#include <fstream>
#include <string>
#include <system_error>
#include <utility>
#include <vector>

#include "absl/strings/str_format.h"
#include "policy/loader/load.h"

namespace mulligan {
namespace {

namespace fs = std::filesystem;

void Report(const std::string& file, std::string message, Issues& issues) {
  issues.push_back(
      {Issue::Severity::kError, file, Position{}, std::move(message)});
}

// Reads `path`, shown as `name`. Adds nothing to `texts` on failure.
void ReadInto(const fs::path& path, const std::string& name,
              std::vector<PolicyText>& texts, Issues& issues) {
  std::error_code error;
  const fs::file_status status = fs::status(path, error);
  if (status.type() == fs::file_type::not_found) {
    return Report(name, "no such file", issues);
  }
  // Opening a pipe would wait for a writer.
  if (!fs::is_regular_file(status)) {
    return Report(
        name,
        error ? "cannot be read: " + error.message() : "not a regular file",
        issues);
  }
  std::ifstream in(path, std::ios::binary);
  std::string content(kMaxPolicyFileBytes + 1, '\0');
  if (in) in.read(content.data(), static_cast<std::streamsize>(content.size()));
  if (!in.is_open() || in.bad()) return Report(name, "cannot be read", issues);
  content.resize(static_cast<size_t>(in.gcount()));
  if (content.size() > kMaxPolicyFileBytes) {
    return Report(
        name, absl::StrFormat("larger than %d KiB", kMaxPolicyFileBytes / 1024),
        issues);
  }
  texts.push_back({name, std::move(content)});
}

bool IsPolicyName(const std::string& name) {
  const fs::path extension = fs::path(name).extension();
  return name[0] != '.' && (extension == ".yaml" || extension == ".yml");
}

}  // namespace

std::vector<PolicyText> ReadPolicyDirectory(const std::string& directory,
                                            Issues& issues) {
  std::vector<PolicyText> texts;
  std::error_code error;
  std::vector<std::string> names;
  for (fs::directory_iterator entry(directory, error), end;
       !error && entry != end; entry.increment(error)) {
    std::string name = entry->path().filename().string();
    if (IsPolicyName(name)) names.push_back(std::move(name));
  }
  if (error) {
    Report(directory, "cannot be read: " + error.message(), issues);
    return texts;
  }
  if (names.empty()) {
    Report(directory, "holds no *.yaml or *.yml file", issues);
  }
  std::sort(names.begin(), names.end());
  // A mounted ConfigMap is a folder of links through `..data`, which is
  // swapped on an update. Resolved once, all files are of one version.
  const fs::path data = fs::canonical(fs::path(directory) / "..data", error);
  for (const std::string& name : names) {
    const fs::path shown = fs::path(directory) / name;
    const bool in_data = !data.empty() && fs::exists(data / name, error);
    ReadInto(in_data ? data / name : shown, shown.string(), texts, issues);
  }
  return texts;
}

std::vector<PolicyText> ReadPolicyFile(const std::string& path,
                                       Issues& issues) {
  std::vector<PolicyText> texts;
  ReadInto(path, path, texts, issues);
  return texts;
}

}  // namespace mulligan
