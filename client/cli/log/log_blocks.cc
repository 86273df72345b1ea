#include "client/cli/log/log_blocks.h"

#include <fcntl.h>
#include <unistd.h>
#include <zlib.h>

#include <algorithm>
#include <cerrno>
#include <cstddef>
#include <cstdint>
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
#include "client/cli/base/numbers.h"
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

constexpr std::size_t kAheadBytes = std::size_t{256} << 10;
// Length of gzip's magic number.
constexpr std::size_t kMagicBytes = 2;
// Limits the work that a crafted gzip causes. Repeated lines compress 180:1,
// crafted data 1000:1. The first 16 MiB are always unpacked.
constexpr std::int64_t kMaxUnpacked = 250;
constexpr std::int64_t kAlwaysUnpacked = std::int64_t{16} << 20;
// Each line counts as at least this many extra bytes, because even an empty one
// costs time. Lines of decision logs are longer.
constexpr std::int64_t kLeastLine = 256;

}  // namespace

// One file, plain or gzip. Gzip members may follow one another, as appending
// and `cat` produce them. Not thread-safe.
class LogFile {
 public:
  // "-" is standard input. If it cannot be opened, error() says why.
  explicit LogFile(const std::string& name);
  ~LogFile();
  LogFile(const LogFile&) = delete;
  LogFile& operator=(const LogFile&) = delete;

  // Appends at most `most` bytes to `text`. Returns false at the end, or with a
  // non-empty error() if the rest cannot be read or a gzip expands too much.
  bool Read(std::size_t most, std::string& text);

  const std::string& error() const { return error_; }
  // The number of bytes on disk that were read.
  std::int64_t offset() const { return offset_; }

 private:
  enum class Form { kNotKnown, kPlain, kGzip, kEnded };

  // Reads bytes of the file into `out`. Returns 0 at its end or on error().
  std::size_t ReadBytes(char* out, std::size_t most);
  // Returns the bytes that are read ahead and not yet used.
  std::string_view Ahead() const;
  // Reads ahead until there are at least `wanted` bytes or the file ends.
  void LookAhead(std::size_t wanted);
  void FindForm();
  std::size_t Inflate(char* out, std::size_t most);
  // Continues with the next member, or checks the bytes after the last one.
  void EndMember();
  void Fail(std::string why);

  int file_ = -1;
  Form form_ = Form::kNotKnown;
  std::vector<char> ahead_;
  z_stream stream_ = {};
  bool inflates_ = false;
  std::int64_t offset_ = 0;
  std::int64_t unpacked_ = 0;
  std::string error_;
};

LogFile::LogFile(const std::string& name)
    : file_(name == "-" ? dup(STDIN_FILENO)
                        : open(name.c_str(), O_RDONLY | O_CLOEXEC)),
      ahead_(kAheadBytes) {
  stream_.next_in = reinterpret_cast<Bytef*>(ahead_.data());
  if (file_ < 0) Fail(std::strerror(errno));
}

LogFile::~LogFile() {
  if (inflates_) inflateEnd(&stream_);
  if (file_ >= 0) close(file_);
}

void LogFile::Fail(std::string why) {
  error_ = std::move(why);
  form_ = Form::kEnded;
}

bool LogFile::Read(std::size_t most, std::string& text) {
  if (form_ == Form::kNotKnown) FindForm();
  const std::size_t start = text.size();
  text.resize(start + most);
  std::size_t got = 0;
  if (form_ == Form::kPlain) {
    got = ReadBytes(text.data() + start, most);
    if (got == 0) form_ = Form::kEnded;
  }
  while (form_ == Form::kGzip && got == 0) {
    got = Inflate(text.data() + start, most);
  }
  text.resize(start + got);
  return got > 0;
}

std::size_t LogFile::ReadBytes(char* out, std::size_t most) {
  if (const std::size_t ahead = std::min(Ahead().size(), most); ahead > 0) {
    std::memcpy(out, Ahead().data(), ahead);
    stream_.next_in += ahead;
    stream_.avail_in -= static_cast<uInt>(ahead);
    return ahead;
  }
  ssize_t got = 0;
  do {
    got = read(file_, out, most);
  } while (got < 0 && errno == EINTR);
  if (got < 0) Fail(std::strerror(errno));
  offset_ += std::max<ssize_t>(got, 0);
  return static_cast<std::size_t>(std::max<ssize_t>(got, 0));
}

std::string_view LogFile::Ahead() const {
  return {reinterpret_cast<const char*>(stream_.next_in), stream_.avail_in};
}

void LogFile::LookAhead(std::size_t wanted) {
  if (Ahead().size() >= wanted) return;
  std::size_t have = Ahead().size();
  std::memmove(ahead_.data(), Ahead().data(), have);
  stream_.avail_in = 0;
  while (have < wanted) {
    const std::size_t got =
        ReadBytes(ahead_.data() + have, ahead_.size() - have);
    if (got == 0) break;
    have += got;
  }
  stream_.next_in = reinterpret_cast<Bytef*>(ahead_.data());
  stream_.avail_in = static_cast<uInt>(have);
}

void LogFile::FindForm() {
  LookAhead(kMaxMagicBytes);
  if (form_ == Form::kEnded) return;
  if (!OtherDecompressor(Ahead()).empty()) {
    return Fail(OtherCompression(Ahead()));
  }
  form_ = IsGzip(Ahead()) ? Form::kGzip : Form::kPlain;
  if (form_ == Form::kPlain) return;
  inflates_ = inflateInit2(&stream_, kGzipWindow) == Z_OK;
  if (!inflates_) Fail("no memory to decompress");
}

std::size_t LogFile::Inflate(char* out, std::size_t most) {
  LookAhead(1);
  if (form_ == Form::kEnded) return 0;
  if (stream_.avail_in == 0) {
    Fail("the gzip is cut off: unexpected end of file");
    return 0;
  }
  stream_.next_out = reinterpret_cast<Bytef*>(out);
  stream_.avail_out = static_cast<uInt>(most);
  const int code = inflate(&stream_, Z_NO_FLUSH);
  const std::size_t got = most - stream_.avail_out;
  unpacked_ += static_cast<std::int64_t>(got) +
               kLeastLine * std::count(out, out + got, '\n');
  if (unpacked_ > std::max(kAlwaysUnpacked, kMaxUnpacked * offset_)) {
    Fail(absl::StrFormat(
        "the gzip unpacks to more than %d times its bytes, a line counted as "
        "%d more, expected a decision log: the rest is not read",
        kMaxUnpacked, kLeastLine));
    return got;
  }
  if (code == Z_STREAM_END) {
    EndMember();
  } else if (code != Z_OK && code != Z_BUF_ERROR) {
    Fail(absl::StrFormat("the gzip is damaged: %s",
                         stream_.msg == nullptr ? zError(code) : stream_.msg));
  }
  return got;
}

void LogFile::EndMember() {
  LookAhead(kMagicBytes);
  if (form_ == Form::kEnded) return;
  if (IsGzip(Ahead())) {
    inflateReset(&stream_);
    return;
  }
  form_ = Form::kEnded;
  Count bytes = 0;
  Count lines = 0;
  bool is_padding = true;  // tapes leave zeros, and gzip ignores them
  for (; !Ahead().empty(); LookAhead(1)) {
    bytes += static_cast<Count>(Ahead().size());
    lines += std::ranges::count(Ahead(), '\n');
    is_padding &= std::ranges::all_of(Ahead(), [](char c) { return c == 0; });
    stream_.avail_in = 0;
  }
  if (is_padding) return;
  Fail(absl::StrFormat(
      "behind the end of the gzip are %s bytes in %s lines that are not gzip "
      "and are not read; expected them compressed, or in their own file",
      WithCommas(bytes), WithCommas(lines)));
}

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

LogBlocks::~LogBlocks() = default;

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
