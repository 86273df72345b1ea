// The tables of a YAML file, checked and with nothing left to say.
#ifndef MULLIGAN_TOOLS_ROWS_ROWS_H_
#define MULLIGAN_TOOLS_ROWS_ROWS_H_

#include <string>
#include <vector>

#include "policy/base/issue.h"
#include "tools/rows/rows.pb.h"
#include "tools/rows/searched_texts.h"

namespace mulligan::demystify {

struct CompiledRow {
  // Defaults of table and sections included; without rows of its own.
  signatures::Row row;
  // Any of them.
  std::vector<SearchedText> texts;
  std::vector<std::string> samples;
  // Empty: no code asks for it.
  std::string constant;
  Position position;
};

struct CompiledTable {
  std::string file;
  std::string name;
  signatures::Kind kind = signatures::KIND_UNSPECIFIED;
  std::string evidence;
  // Those that are searched by their name or code are sorted by it.
  std::vector<CompiledRow> rows;
};

// Reads one file. Every problem becomes an issue at its place.
std::vector<CompiledTable> CompileTables(const std::string& file,
                                         const std::string& yaml,
                                         Issues& issues);

// Adds an issue for each table, row and constant whose name is taken.
void CheckNames(const std::vector<CompiledTable>& tables, Issues& issues);

}  // namespace mulligan::demystify

#endif  // MULLIGAN_TOOLS_ROWS_ROWS_H_
