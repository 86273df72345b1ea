// Stores entries by workload, in memory and beyond that in a file.
#ifndef MULLIGAN_CLIENT_CLI_REPORT_ENTRY_STORE_H_
#define MULLIGAN_CLIENT_CLI_REPORT_ENTRY_STORE_H_

#include <array>
#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "absl/status/status.h"
#include "client/cli/report/entry.h"

namespace mulligan::cli {

// Keeps entries in parts, all of a workload in the same one. Beyond
// `most_bytes` it writes them to a temporary file ($TMPDIR, else /tmp) that is
// removed with the process. Not thread-safe.
class EntryStore {
 public:
  static constexpr std::size_t kParts = 64;

  explicit EntryStore(std::size_t most_bytes) : most_bytes_(most_bytes) {}
  ~EntryStore();
  EntryStore(const EntryStore&) = delete;
  EntryStore& operator=(const EntryStore&) = delete;

  // Errors are kept in status().
  void Add(const Entry& entry, std::string_view workload);

  // Appends the content of a part to `bytes`, for ReadEntries().
  void AppendPart(std::size_t part, std::string& bytes);

  // Returns whether all entries could be written and read back.
  const absl::Status& status() const { return status_; }

 private:
  struct Piece {
    std::int64_t offset;
    std::size_t size;
  };

  void Spill();

  const std::size_t most_bytes_;
  std::size_t bytes_ = 0;
  std::array<std::string, kParts> parts_;
  std::array<std::vector<Piece>, kParts> pieces_;
  int file_ = -1;
  std::int64_t written_ = 0;
  absl::Status status_;
};

// A stored entry. The label points into the bytes it was read from.
struct KeptEntry {
  Entry entry;
  std::string_view workload;
};

std::vector<KeptEntry> ReadEntries(std::string_view bytes);

}  // namespace mulligan::cli

#endif  // MULLIGAN_CLIENT_CLI_REPORT_ENTRY_STORE_H_
