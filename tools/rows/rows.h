// Reads and checks the tables of a YAML file, with all defaults applied.
#ifndef MULLIGAN_TOOLS_ROWS_ROWS_H_
#define MULLIGAN_TOOLS_ROWS_ROWS_H_

#include <string>
#include <vector>

#include "policy/base/issue.h"
#include "tools/rows/rows.pb.h"
#include "tools/rows/searched_texts.h"

namespace mulligan::demystify {

struct CompiledRow {
  // Includes defaults of table and sections; has no nested rows.
  signatures::Row row;
  // The row matches if any of these does.
  std::vector<SearchedText> texts;
  std::vector<std::string> samples;
  // Empty if no code uses the row.
  std::string constant;
  Position position;
};

struct CompiledTable {
  std::string file;
  std::string name;
  signatures::Kind kind = signatures::KIND_UNSPECIFIED;
  std::string evidence;
  // Sorted by name or code if it is looked up by that.
  std::vector<CompiledRow> rows;
};

// Reads one file and adds an issue for every problem.
std::vector<CompiledTable> CompileTables(const std::string& file,
                                         const std::string& yaml,
                                         Issues& issues);

// Adds an issue for each duplicate name of a table, row or constant.
void CheckNames(const std::vector<CompiledTable>& tables, Issues& issues);

}  // namespace mulligan::demystify

#endif  // MULLIGAN_TOOLS_ROWS_ROWS_H_
