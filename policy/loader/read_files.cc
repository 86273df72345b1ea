#include "policy/loader/read_files.h"

#include <filesystem>
#include <fstream>
#include <map>
#include <string>
#include <string_view>
#include <system_error>
#include <utility>
#include <vector>

#include "absl/strings/str_cat.h"
#include "absl/strings/str_format.h"
#include "re2/re2.h"

namespace mulligan {
namespace {

namespace fs = std::filesystem;

// Suffix of files that may be test suites.
constexpr std::string_view kSuiteSuffix = "_test";

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
  // Keeps a thousand small files from taking a thousand times the largest.
  content.shrink_to_fit();
  if (content.size() > kMaxPolicyFileBytes) {
    return Report(
        name, absl::StrFormat("larger than %d KiB", kMaxPolicyFileBytes / 1024),
        issues);
  }
  texts.push_back({name, std::move(content)});
}

bool IsPolicyName(const std::string& name) {
  const fs::path path(name);
  const fs::path extension = path.extension();
  return name[0] != '.' && (extension == ".yaml" || extension == ".yml");
}

// Returns whether a file with the suffix is a suite: it declares so, or does
// not declare a policy. Ignores comments.
bool IsSuite(const fs::path& path) {
  if (!path.stem().string().ends_with(kSuiteSuffix)) return false;
  std::error_code error;
  if (!fs::is_regular_file(path, error)) return false;
  std::string text(kMaxPolicyFileBytes, '\0');
  std::ifstream file(path, std::ios::binary);
  file.read(text.data(), static_cast<std::streamsize>(text.size()));
  text.resize(static_cast<std::size_t>(file.gcount()));
  static const RE2* const kind = new RE2(
      "(?m)^[^#\\n]*?\\bkind[\"']?[ \\t]*:[ "
      "\\t]*[\"']?(RetryPolicy(?:Test)?)\\b");
  std::string found;
  return !RE2::PartialMatch(text, *kind, &found) || found == kSuiteKind;
}

// The policy files of a folder at one moment.
struct Listing {
  // Paths by name, sorted.
  std::map<std::string, fs::path> files;
  // Changes if a file, or the target of a link, changes.
  std::string stamp;
};

// Adds the policy files directly in `folder` for which `leave_out` is false.
void ListInto(const fs::path& folder, bool (*leave_out)(const fs::path& file),
              Listing& listing, std::error_code& error) {
  for (fs::directory_iterator entry(folder, error), end; !error && entry != end;
       entry.increment(error)) {
    std::string name = entry->path().filename().string();
    if (!IsPolicyName(name) || leave_out(entry->path())) continue;
    if (IsSuite(entry->path())) continue;
    listing.files.emplace(std::move(name), entry->path());
  }
}

constexpr char kData[] = "..data";

bool LeadsIntoData(const fs::path& file) {
  std::error_code error;
  const fs::path target = fs::read_symlink(file, error);
  return !error && !target.empty() && *target.begin() == kData;
}

bool Nothing(const fs::path&) { return false; }

// Resolves links once, so that all files are of one version. The folder may be
// a link (git-sync). A mounted ConfigMap has links through `..data`, which an
// update swaps before it adds or removes the links of files.
Listing List(const std::string& directory, std::error_code& error) {
  Listing listing;
  const fs::path root = fs::canonical(directory, error);
  if (error) return listing;
  std::error_code no_data;
  const fs::path data = fs::canonical(root / kData, no_data);
  ListInto(root, no_data ? Nothing : LeadsIntoData, listing, error);
  if (!no_data && !error) ListInto(data, Nothing, listing, error);
  listing.stamp = absl::StrCat(root.string(), "\n", data.string());
  for (const auto& [name, path] : listing.files) {
    std::error_code ignored;
    const auto written = fs::last_write_time(path, ignored);
    absl::StrAppend(&listing.stamp, "\n", name, " ",
                    fs::file_size(path, ignored), " ",
                    written.time_since_epoch().count());
  }
  return listing;
}

// Files that change this often are not stable enough to read.
constexpr int kMaxReadings = 20;

}  // namespace

std::vector<PolicyText> ReadPolicyDirectory(const std::string& directory,
                                            Issues& issues) {
  for (int look = 0; look < kMaxReadings; ++look) {
    std::error_code error;
    const Listing before = List(directory, error);
    std::vector<PolicyText> texts;
    Issues found;
    std::size_t bytes = 0;
    for (const auto& [name, path] : before.files) {
      const std::size_t read = texts.size();
      ReadInto(path, (fs::path(directory) / name).string(), texts, found);
      if (texts.size() > read) bytes += texts.back().yaml.size();
      if (bytes > kMaxPolicyFolderBytes) {
        Report(directory,
               absl::StrFormat("holds policies of more than %d MiB",
                               kMaxPolicyFolderBytes >> 20),
               found);
        break;
      }
    }
    if (error) {
      Report(directory, "cannot be read: " + error.message(), found);
    } else if (before.files.empty()) {
      Report(directory, "holds no *.yaml or *.yml file", found);
    }
    std::error_code error_after;
    if (List(directory, error_after).stamp != before.stamp ||
        error_after != error) {
      continue;
    }
    issues.insert(issues.end(), found.begin(), found.end());
    return texts;
  }
  Report(directory, "changes while it is read", issues);
  return {};
}

std::vector<PolicyText> ReadPolicyFile(const std::string& path,
                                       Issues& issues) {
  std::vector<PolicyText> texts;
  ReadInto(path, path, texts, issues);
  return texts;
}

}  // namespace mulligan
