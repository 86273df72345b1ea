#include "client/cli/log/log_file.h"

#include <fcntl.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <cstring>
#include <utility>

#include "absl/strings/str_format.h"
#include "client/cli/base/numbers.h"
#include "client/cli/input/gzip.h"

namespace mulligan::cli {
namespace {

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

}  // namespace mulligan::cli
