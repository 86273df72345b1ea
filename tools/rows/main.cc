// Usage: mulligan-rows FOLDER FILE.yaml...
//
// Writes the generated files below FOLDER, as in the repository, if they
// change. Exit codes: 0 done, 1 a file has errors, 2 a file cannot be read or
// written.
#include <fstream>
#include <iostream>
#include <iterator>
#include <optional>
#include <string>
#include <vector>

#include "absl/strings/match.h"
#include "tools/rows/fixed_tables.h"
#include "tools/rows/rows.h"
#include "tools/rows/write.h"

namespace mulligan::demystify {
namespace {

std::optional<std::string> Read(const std::string& path) {
  std::ifstream in(path, std::ios::binary);
  if (!in) return std::nullopt;
  return std::string(std::istreambuf_iterator<char>(in), {});
}

// An unchanged header must not cause a rebuild.
bool Write(const std::string& path, const std::string& text) {
  if (Read(path) == text) return true;
  std::ofstream out(path, std::ios::binary);
  out << text;
  out.close();
  if (!out) std::cerr << path << ": cannot be written\n";
  return static_cast<bool>(out);
}

int Main(const std::string& folder, const std::vector<std::string>& files) {
  std::vector<CompiledTable> tables;
  signatures::CauseTable causes;
  signatures::XidTable xids;
  Issues issues;
  for (const std::string& file : files) {
    const std::optional<std::string> yaml = Read(file);
    if (!yaml) {
      std::cerr << file << ": cannot be read\n";
      return 2;
    }
    Issues found;
    if (absl::EndsWith(file, "/causes.yaml")) {
      causes = CompileCauses(file, *yaml, found);
    } else if (absl::EndsWith(file, "/xid_codes.yaml")) {
      xids = CompileXids(file, *yaml, found);
    } else {
      for (CompiledTable& table : CompileTables(file, *yaml, found)) {
        tables.push_back(std::move(table));
      }
    }
    issues.insert(issues.end(), found.begin(), found.end());
  }
  CheckNames(tables, issues);
  for (const Issue& issue : issues) std::cerr << FormatIssue(issue) << "\n";
  if (HasErrors(issues)) return 1;
  const std::string policy = folder + "/policy/";
  const std::string rows = policy + "demystify/signatures/";
  const bool written =
      Write(rows + "rows.h", HeaderOf(tables)) &&
      Write(rows + "rows.cc", SourceOf(tables)) &&
      Write(rows + "samples.cc", SamplesOf(tables)) &&
      Write(policy + "demystify/cause_rows.cc", CausesSource(causes)) &&
      Write(policy + "demystify/causes.md", CausesMarkdown(causes)) &&
      Write(policy + "request/xid_codes.cc", XidsSource(xids));
  return written ? 0 : 2;
}

}  // namespace
}  // namespace mulligan::demystify

int main(int argc, char** argv) {
  if (argc < 3) {
    std::cerr << "usage: mulligan-rows FOLDER FILE.yaml...\n";
    return 2;
  }
  return mulligan::demystify::Main(argv[1], {argv + 2, argv + argc});
}
