#include <algorithm>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "client/cli/base/errors.h"
#include "client/cli/report/gathered.h"

namespace mulligan::cli {
namespace {

struct PartFile {
  PartCounts counts;
  bool has_lines = false;
};

absl::Status TakeBlock(const std::string& name, const LogBlock& block,
                       PartFile& file, Gathered& gathered) {
  LogPosition place = {name, block.first_line};
  std::string_view text = block.text;
  for (; !text.empty(); ++place.line) {
    const std::size_t end = text.find('\n');
    const bool is_torn = end == std::string_view::npos;
    const std::string_view line = text.substr(0, end);
    text.remove_prefix(is_torn ? text.size() : end + 1);
    if (line.empty()) continue;
    file.has_lines = true;
    const absl::Status taken = TakePartLine(line, file.counts, gathered);
    if (taken.ok()) continue;
    return Invalid(
        "%s: %s%s", place.Text(), taken.message(),
        is_torn ? "; the file ends within this line: make the part again" : "");
  }
  if (block.error.empty()) return absl::OkStatus();
  return Invalid("%s: %s", place.Text(), block.error);
}

// Names the file whose entries differ from what the parts state.
absl::Status NotWhole(const std::vector<std::string>& names,
                      const std::vector<PartFile>& files,
                      const PartCounts& all) {
  const auto difference = [](const PartCounts& counts) {
    return counts.read.entries <=> counts.stated.entries;
  };
  const auto lacks = difference(all);
  const auto file = std::ranges::find_if(files, [&](const PartFile& part) {
    return lacks == 0 ? part.counts.read != part.counts.stated
                      : difference(part.counts) == lacks;
  });
  const std::string& name =
      names[static_cast<std::size_t>(file - files.begin())];
  return Invalid(
      "%s: %s; expected parts as mulligan report wrote them, each line once, "
      "up "
      "to the last (reportPart), which states the entries: %s read, %s stated. "
      "Make the part again, or name every file that has its lines, each once",
      name,
      lacks < 0   ? "lacks entries"
      : lacks > 0 ? "lacks its end, or has entries twice"
                  : "has other entries than its end states",
      Plural(all.read.entries, "entry", "entries"),
      Plural(all.stated.entries, "entry", "entries"));
}

}  // namespace

absl::Status GatherParts(LogBlocks& parts, const ReportSettings& settings,
                         bool whole, Gathered& gathered) {
  gathered.stores.push_back(std::make_unique<EntryStore>(settings.most_bytes));
  std::vector<PartFile> files(parts.files().size());
  LogBlock block;
  while (parts.Next(block)) {
    const absl::Status taken = TakeBlock(parts.files()[block.file], block,
                                         files[block.file], gathered);
    if (!taken.ok()) return taken;
  }
  for (std::size_t i = 0; i < files.size(); ++i) {
    gathered.parts.stated += files[i].counts.stated;
    gathered.parts.read += files[i].counts.read;
    if (!whole || files[i].has_lines) continue;
    return Invalid(
        "%s: is empty; expected what mulligan report -o entries or sums wrote, "
        "which has a line even of an empty log: make the part again",
        parts.files()[i]);
  }
  if (whole && gathered.parts.read != gathered.parts.stated) {
    return NotWhole(parts.files(), files, gathered.parts);
  }
  gathered.read.compared = gathered.made_with.has_value() &&
                           gathered.made_with->contains(kCompareFlag);
  return absl::OkStatus();
}

absl::Status WriteEntries(Gathered& gathered, std::ostream& out) {
  for (std::size_t part = 0; part < EntryStore::kParts; ++part) {
    std::string bytes;
    for (const auto& store : gathered.stores) store->AppendPart(part, bytes);
    std::vector<std::string> lines;
    for (const KeptEntry& kept : ReadEntries(bytes)) {
      lines.push_back(EntryLine(kept, gathered.names));
    }
    std::ranges::sort(lines);
    for (const std::string& line : lines) {
      out << line;
      gathered.parts.stated +=
          CountOf(std::string_view(line).substr(0, line.size() - 1));
    }
  }
  for (const auto& store : gathered.stores) {
    if (!store->status().ok()) return store->status();
  }
  out << RestLine(gathered);
  return absl::OkStatus();
}

void WriteSums(const Gathered& gathered, std::ostream& out) {
  out << SumsLine(gathered);
}

}  // namespace mulligan::cli
