// Usage: mulligan-signatures FOLDER FILE.yaml...
//
// Writes rows.h, rows.cc and samples.cc to FOLDER, those that change. Exit
// codes: 0 done, 1 a file has errors, 2 a file cannot be read or written.
#include <fstream>
#include <iostream>
#include <iterator>
#include <optional>
#include <string>
#include <vector>

#include "policy/demystify/signatures/compiler/rows.h"
#include "policy/demystify/signatures/compiler/write.h"

namespace mulligan::demystify {
namespace {

std::optional<std::string> Read(const std::string& path) {
  std::ifstream in(path, std::ios::binary);
  if (!in) return std::nullopt;
  return std::string(std::istreambuf_iterator<char>(in), {});
}

// A header that stays as it was builds nothing anew.
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
  Issues issues;
  for (const std::string& file : files) {
    const std::optional<std::string> yaml = Read(file);
    if (!yaml) {
      std::cerr << file << ": cannot be read\n";
      return 2;
    }
    Issues found;
    for (CompiledTable& table : CompileTables(file, *yaml, found)) {
      tables.push_back(std::move(table));
    }
    issues.insert(issues.end(), found.begin(), found.end());
  }
  CheckNames(tables, issues);
  for (const Issue& issue : issues) std::cerr << FormatIssue(issue) << "\n";
  if (HasErrors(issues)) return 1;
  const bool written = Write(folder + "/rows.h", HeaderOf(tables)) &&
                       Write(folder + "/rows.cc", SourceOf(tables)) &&
                       Write(folder + "/samples.cc", SamplesOf(tables));
  return written ? 0 : 2;
}

}  // namespace
}  // namespace mulligan::demystify

int main(int argc, char** argv) {
  if (argc < 3) {
    std::cerr << "usage: mulligan-signatures FOLDER FILE.yaml...\n";
    return 2;
  }
  return mulligan::demystify::Main(argv[1], {argv + 2, argv + argc});
}
