// Compiles the tables of causes and XID codes from YAML to C++, and that of
// causes to Markdown.
#ifndef MULLIGAN_TOOLS_ROWS_FIXED_TABLES_H_
#define MULLIGAN_TOOLS_ROWS_FIXED_TABLES_H_

#include <string>

#include "policy/base/issue.h"
#include "tools/rows/rows.pb.h"

namespace mulligan::demystify {

// Each reads one file and adds all issues. Without errors the table is usable.
signatures::CauseTable CompileCauses(const std::string& file,
                                     const std::string& yaml, Issues& issues);
signatures::XidTable CompileXids(const std::string& file,
                                 const std::string& yaml, Issues& issues);

// Returns the definition of kCauseRows (policy/demystify/causes.h).
std::string CausesSource(const signatures::CauseTable& table);

// Returns the table of docs/causes.md.
std::string CausesMarkdown(const signatures::CauseTable& table);

// Returns the definition of XidCodeRows (policy/request/xid_codes.h).
std::string XidsSource(const signatures::XidTable& table);

}  // namespace mulligan::demystify

#endif  // MULLIGAN_TOOLS_ROWS_FIXED_TABLES_H_
