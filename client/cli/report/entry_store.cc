#include "client/cli/report/entry_store.h"

#include <fcntl.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <cstring>
#include <filesystem>
#include <system_error>
#include <type_traits>

#include "absl/strings/str_format.h"
#include "policy/base/utf8.h"

namespace mulligan::cli {
namespace {

static_assert(std::is_trivially_copyable_v<Entry>);

constexpr std::size_t kMaxLabelBytes = 1024;

absl::Status FileError(std::string_view what) {
  std::error_code error;
  return absl::ResourceExhaustedError(absl::StrFormat(
      "%s a temporary file in %s: %s; $TMPDIR names another folder", what,
      std::filesystem::temp_directory_path(error).string(),
      std::strerror(errno)));
}

}  // namespace

EntryStore::~EntryStore() {
  if (file_ >= 0) close(file_);
}

void EntryStore::Add(const Entry& entry, std::string_view workload) {
  std::string& part = parts_[entry.workload % kParts];
  const auto size = static_cast<std::uint16_t>(
      Utf8Boundary(workload, std::min(workload.size(), kMaxLabelBytes)));
  const std::size_t before = part.size();
  part.append(reinterpret_cast<const char*>(&entry), sizeof(entry));
  part.append(reinterpret_cast<const char*>(&size), sizeof(size));
  part.append(workload.substr(0, size));
  bytes_ += part.size() - before;
  if (bytes_ > most_bytes_) Spill();
}

void EntryStore::Spill() {
  if (!status_.ok()) return;
  if (file_ < 0) {
    std::error_code error;
    std::string path =
        (std::filesystem::temp_directory_path(error) / "mulligan-XXXXXX")
            .string();
    file_ = mkostemp(path.data(), O_CLOEXEC);
    if (file_ < 0) {
      status_ = FileError("cannot make");
      return;
    }
    unlink(path.c_str());
  }
  for (std::size_t i = 0; i < kParts; ++i) {
    std::string_view rest = parts_[i];
    if (rest.empty()) continue;
    pieces_[i].push_back({written_, rest.size()});
    while (!rest.empty()) {
      const ssize_t put = write(file_, rest.data(), rest.size());
      if (put < 0 && errno == EINTR) continue;
      if (put <= 0) {
        status_ = FileError("cannot write");
        return;
      }
      rest.remove_prefix(static_cast<std::size_t>(put));
      written_ += put;
    }
    parts_[i] = std::string();
  }
  bytes_ = 0;
}

void EntryStore::AppendPart(std::size_t part, std::string& bytes) {
  for (const Piece& piece : pieces_[part]) {
    const std::size_t start = bytes.size();
    bytes.resize(start + piece.size);
    for (std::size_t done = 0; done < piece.size;) {
      const ssize_t got =
          pread(file_, bytes.data() + start + done, piece.size - done,
                piece.offset + static_cast<std::int64_t>(done));
      if (got < 0 && errno == EINTR) continue;
      if (got <= 0) {
        status_ = FileError("cannot read");
        bytes.resize(start);
        return;
      }
      done += static_cast<std::size_t>(got);
    }
  }
  bytes += parts_[part];
}

std::vector<KeptEntry> ReadEntries(std::string_view bytes) {
  std::vector<KeptEntry> entries;
  while (!bytes.empty()) {
    KeptEntry& kept = entries.emplace_back();
    std::uint16_t size = 0;
    std::memcpy(&kept.entry, bytes.data(), sizeof(Entry));
    std::memcpy(&size, bytes.data() + sizeof(Entry), sizeof(size));
    bytes.remove_prefix(sizeof(Entry) + sizeof(size));
    kept.workload = bytes.substr(0, size);
    bytes.remove_prefix(size);
  }
  return entries;
}

}  // namespace mulligan::cli
