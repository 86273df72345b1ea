#include "client/cli/log/log_blocks.h"

#include <algorithm>
#include <cerrno>
#include <cstring>
#include <filesystem>
#include <memory>
#include <set>
#include <string>
#include <string_view>
#include <system_error>
#include <utility>
#include <vector>

#include "absl/status/status.h"
#include "absl/strings/str_format.h"

namespace mulligan::cli {
namespace {

constexpr std::size_t kBlockBytes = std::size_t{1} << 20;
// Of a line; memory must not grow with a file that has no line breaks.
constexpr std::size_t kMostLineBytes = std::size_t{64} << 20;

std::int64_t SizeOf(const std::string& file) {
  std::error_code error;
  const auto size = std::filesystem::file_size(file, error);
  return error ? 0 : static_cast<std::int64_t>(size);
}

}  // namespace

absl::StatusOr<std::vector<std::string>> FindLogs(
    const std::vector<std::string>& paths) {
  std::vector<std::string> files;
  for (const std::string& path : paths) {
    std::error_code error;
    if (path != "-" && !std::filesystem::exists(path, error)) {
      return absl::NotFoundError(absl::StrFormat(
          "%s: %s", path, error ? error.message() : std::strerror(ENOENT)));
    }
    if (!std::filesystem::is_directory(path, error)) {
      files.push_back(path);
      continue;
    }
    std::vector<std::string> inside;
    for (const auto& entry : std::filesystem::directory_iterator(path, error)) {
      const std::string name = entry.path().filename();
      if (entry.is_regular_file(error) && name.front() != '.') {
        inside.push_back(entry.path());
      }
    }
    std::ranges::sort(inside);
    files.insert(files.end(), inside.begin(), inside.end());
  }
  std::set<std::string> seen;
  for (const std::string& file : files) {
    std::error_code error;
    const bool stream = file == "-";
    const std::string place =
        stream ? file : std::filesystem::canonical(file, error).string();
    if (!seen.insert(place).second) {
      return absl::InvalidArgumentError(
          absl::StrFormat("%s: is named twice, expected each log once", file));
    }
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
    if (text.size() > kMostLineBytes) return SkipLine(block);
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
      absl::StrFormat("a line is longer than %d bytes", kMostLineBytes);
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
