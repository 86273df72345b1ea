#include "client/cli/log/log_blocks.h"

#include <algorithm>
#include <cerrno>
#include <cstring>
#include <filesystem>
#include <fstream>
#include <memory>
#include <set>
#include <string>
#include <string_view>
#include <system_error>
#include <utility>
#include <vector>

#include "absl/status/status.h"
#include "absl/strings/str_format.h"
#include "client/cli/base/errors.h"
#include "client/cli/input/gzip.h"

namespace mulligan::cli {
namespace {

namespace fs = std::filesystem;

constexpr std::size_t kBlockBytes = std::size_t{1} << 20;
// The longest line. Memory must not grow with a file without line breaks.
constexpr std::size_t kMaxLineBytes = std::size_t{64} << 20;

std::int64_t SizeOf(const std::string& file) {
  std::error_code error;
  const auto size = fs::file_size(file, error);
  return error ? 0 : static_cast<std::int64_t>(size);
}

absl::Status AddFilesBelow(const std::string& folder,
                           std::vector<std::string>& files) {
  std::vector<std::string> inside;
  std::error_code error;
  fs::recursive_directory_iterator entry(folder, error);
  for (; !error && entry != fs::recursive_directory_iterator();
       entry.increment(error)) {
    std::error_code ignored;
    if (entry->path().filename().string().front() == '.') {
      entry.disable_recursion_pending();
    } else if (entry->is_regular_file(ignored)) {
      inside.push_back(entry->path());
    }
  }
  if (error) {
    return Invalid("%s: %s", folder, error.message());
  }
  std::ranges::sort(inside);
  files.insert(files.end(), inside.begin(), inside.end());
  return absl::OkStatus();
}

absl::Status CheckReadable(const std::string& file) {
  errno = 0;
  std::ifstream stream(file, std::ios::binary);
  if (!stream) {
    return Invalid("%s: %s", file, std::strerror(errno));
  }
  std::string begin(kMaxMagicBytes, '\0');
  stream.read(begin.data(), static_cast<std::streamsize>(begin.size()));
  begin.resize(static_cast<std::size_t>(stream.gcount()));
  if (OtherDecompressor(begin).empty()) return absl::OkStatus();
  return Invalid("%s: %s", file, OtherCompression(begin));
}

}  // namespace

absl::StatusOr<std::vector<std::string>> FindLogs(
    const std::vector<std::string>& paths) {
  std::vector<std::string> files;
  for (const std::string& path : paths) {
    std::error_code error;
    if (path != "-" && !fs::exists(path, error)) {
      return absl::NotFoundError(absl::StrFormat(
          "%s: %s", path, error ? error.message() : std::strerror(ENOENT)));
    }
    if (!fs::is_directory(path, error)) {
      files.push_back(path);
      continue;
    }
    const absl::Status added = AddFilesBelow(path, files);
    if (!added.ok()) return added;
  }
  std::set<std::string> seen;
  for (const std::string& file : files) {
    std::error_code error;
    const std::string place =
        file == "-" ? file : fs::canonical(file, error).string();
    if (!seen.insert(place).second) {
      return Invalid("%s: is named twice, expected each log once", file);
    }
    // A pipe can be read only once.
    if (!fs::is_regular_file(file, error)) continue;
    const absl::Status readable = CheckReadable(file);
    if (!readable.ok()) return readable;
  }
  return files;
}

LogBlocks::LogBlocks(std::vector<std::string> files)
    : files_(std::move(files)) {
  for (const std::string& file : files_) {
    if (file == "-") {
      bytes_ = 0;
      return;
    }
    bytes_ += SizeOf(file);
  }
}

std::int64_t LogBlocks::bytes_read() const {
  return bytes_before_ + (file_ == nullptr ? 0 : file_->offset());
}

void LogBlocks::Close() {
  file_.reset();
  bytes_before_ += SizeOf(files_[next_file_ - 1]);
}

void LogBlocks::Open() {
  file_ = std::make_unique<LogFile>(files_[next_file_++]);
  line_ = 1;
  rest_.clear();
}

bool LogBlocks::Next(LogBlock& block) {
  while (true) {
    block = LogBlock();
    if (file_ == nullptr) {
      if (next_file_ == files_.size()) return false;
      Open();
    }
    block.file = next_file_ - 1;
    block.first_line = line_;
    Fill(block);
    if (!block.text.empty() || !block.error.empty()) return true;
  }
}

bool LogBlocks::Read(std::string& text, std::string& error) {
  if (file_->Read(kBlockBytes, text)) return true;
  if (!file_->error().empty()) error = file_->error();
  Close();
  return false;
}

void LogBlocks::Fill(LogBlock& block) {
  std::string& text = block.text;
  text = std::exchange(rest_, std::string());
  std::size_t searched = 0;
  std::size_t end = std::string::npos;
  while (true) {
    end = std::string_view(text).substr(searched).rfind('\n');
    if (end != std::string::npos) break;
    if (text.size() > kMaxLineBytes) return SkipLine(block);
    searched = text.size();
    if (!Read(text, block.error)) break;
  }
  if (end != std::string::npos) {
    rest_ = text.substr(searched + end + 1);
    text.resize(searched + end + 1);
  }
  line_ += static_cast<std::size_t>(std::ranges::count(text, '\n'));
}

void LogBlocks::SkipLine(LogBlock& block) {
  block.error =
      absl::StrFormat("a line is longer than %d bytes", kMaxLineBytes);
  ++line_;
  std::size_t end = std::string::npos;
  do {
    block.text.clear();
    if (!Read(block.text, block.error)) return;
    end = block.text.find('\n');
  } while (end == std::string::npos);
  rest_ = block.text.substr(end + 1);
  block.text.clear();
}

}  // namespace mulligan::cli
