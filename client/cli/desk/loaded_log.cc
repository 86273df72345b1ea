#include "client/cli/desk/loaded_log.h"

#include <sys/mman.h>
#include <unistd.h>

#include <algorithm>
#include <utility>

#include "absl/cleanup/cleanup.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_join.h"
#include "client/cli/log/log_blocks.h"
#include "policy/decide.h"

namespace mulligan::cli {
namespace {

// Adds the lines of `text`, the first of which is at `place`. Returns false if
// the log is full.
bool AddLines(std::string_view text, LogPosition place, LoadedLog& log) {
  for (; !text.empty(); ++place.line) {
    const std::size_t end = std::min(text.find('\n'), text.size());
    const std::string_view line = text.substr(0, end);
    text.remove_prefix(std::min(end + 1, text.size()));
    if (line.find_first_not_of(" \t\r") == line.npos) continue;
    log.bytes += line.size();
    if (log.lines.size() == LoadedLog::kMaxRecords ||
        log.bytes > LoadedLog::kMaxBytes) {
      log.is_cut = true;
      return false;
    }
    log.lines.push_back({place, std::string(line)});
  }
  return true;
}

// Adds the lines of the blocks; `names` are the names of the files.
void AddBlocks(LogBlocks& blocks, const std::vector<std::string>& names,
               LoadedLog& log) {
  LogBlock block;
  while (blocks.Next(block)) {
    const std::string& file = names[block.file];
    if (!AddLines(block.text, {file, block.first_line}, log)) return;
    if (block.error.empty()) continue;
    const auto before = std::ranges::count(block.text, '\n');
    log.lines.push_back(
        {{file, block.first_line + static_cast<std::size_t>(before)},
         "",
         block.error});
  }
}

}  // namespace

absl::StatusOr<LoadedLog> ReadLogs(const std::vector<std::string>& paths) {
  const absl::StatusOr<std::vector<std::string>> files = FindLogs(paths);
  if (!files.ok()) return files.status();
  LoadedLog log;
  log.name = absl::StrJoin(paths, ", ");
  LogBlocks blocks(*files);
  AddBlocks(blocks, *files, log);
  return log;
}

absl::StatusOr<LoadedLog> LogOf(std::string name, std::string_view bytes) {
  // A file in memory, so that the same code reads it.
  const int file = memfd_create(name.c_str(), MFD_CLOEXEC);
  const absl::Cleanup end = [file] { close(file); };
  const bool is_written =
      file >= 0 && write(file, bytes.data(), bytes.size()) ==
                       static_cast<ssize_t>(bytes.size());
  if (!is_written) {
    return absl::ResourceExhaustedError("no memory for the log");
  }
  LoadedLog log;
  log.name = name;
  LogBlocks blocks({absl::StrCat("/proc/self/fd/", file)});
  AddBlocks(blocks, {std::move(name)}, log);
  return log;
}

Compared Compare(const LoadedLog& log, const PolicySet& policies,
                 Watch& watch) {
  Compared compared;
  ReplayResult& result = compared.result;
  result.revision = policies.revision();
  QuickReader reader;
  DecideOptions options;
  options.watch = &watch;
  for (const LoadedLog::Line& line : log.lines) {
    if (!watch.Check().ok()) break;
    ++result.lines;
    if (!line.error.empty()) {
      result.AddBad(line.place, line.error);
      continue;
    }
    v1::DecisionRecord record;
    if (absl::Status read = ReadRecord(line.text, reader, record); !read.ok()) {
      result.AddBad(line.place, std::string(read.message()));
      continue;
    }
    v1::DecideResponse response;
    const absl::Status decided = Decide(record.request(), policies,
                                        record.decided_at(), response, options);
    if (!watch.Check().ok()) {
      --result.lines;
      break;
    }
    result.Add(record, line.place,
               decided.ok()
                   ? absl::StatusOr<const v1::DecideResponse*>(&response)
                   : decided);
  }
  compared.left = log.lines.size() - static_cast<std::size_t>(result.lines);
  return compared;
}

}  // namespace mulligan::cli
