// The command line with rows of the text tables left out, for
// tests/evaluation/unseen.py: how a failure is diagnosed without the rows that
// only failures of the same project support.
//
// $MULLIGAN_ROWS_LEFT_OUT names a file with their names ("text/cuda-oom"), one
// per line. The linker replaces TextTable::Find() by WithoutRows(), so that the
// product is unaffected.
#include <cstddef>
#include <cstdlib>
#include <fstream>
#include <map>
#include <mutex>
#include <set>
#include <string>
#include <string_view>

#include "policy/demystify/signatures/matching/text_table.h"

namespace mulligan::demystify {
namespace {

const std::set<std::string, std::less<>>& RowsLeftOut() {
  static const auto* const names = [] {
    auto* const all = new std::set<std::string, std::less<>>;
    const char* const path = std::getenv("MULLIGAN_ROWS_LEFT_OUT");
    std::ifstream file(path == nullptr ? "" : path);
    for (std::string line; std::getline(file, line);) all->insert(line);
    return all;
  }();
  return *names;
}

bool IsLeftOut(const TextTable& table, const TextSignature& row) {
  std::string name(table.name());
  name.append("/").append(row.row.key);
  return RowsLeftOut().contains(name);
}

// The rows of `table` after `row`; those before it did not match.
const TextTable& RestAfter(const TextTable& table, const TextSignature* row) {
  static std::mutex mutex;
  static auto* const rests =
      new std::map<const TextSignature*, const TextTable*>;
  const std::lock_guard<std::mutex> lock(mutex);
  const TextTable*& rest = (*rests)[row];
  if (rest == nullptr) {
    const auto next = static_cast<std::size_t>(row - table.rows().data()) + 1;
    rest = new TextTable(table.name(), table.rows().subspan(next));
  }
  return *rest;
}

}  // namespace

// The linker's name of TextTable::Find(), also in CMakeLists.txt.
#define MULLIGAN_FIND                             \
  "_ZNK8mulligan9demystify9TextTable4Find"        \
  "ESt17basic_string_viewIcSt11char_traitsIcEEPm" \
  "PNS_16PatternAllowanceE"

const TextSignature* Find(
    const TextTable* table, std::string_view text, std::size_t* at,
    PatternAllowance* allowance) asm("__real_" MULLIGAN_FIND);
const TextSignature* WithoutRows(
    const TextTable* table, std::string_view text, std::size_t* at,
    PatternAllowance* allowance) asm("__wrap_" MULLIGAN_FIND);

const TextSignature* WithoutRows(const TextTable* table, std::string_view text,
                                 std::size_t* at, PatternAllowance* allowance) {
  const TextSignature* row = Find(table, text, at, allowance);
  while (row != nullptr && IsLeftOut(*table, *row)) {
    table = &RestAfter(*table, row);
    row = Find(table, text, at, allowance);
  }
  return row;
}

}  // namespace mulligan::demystify
