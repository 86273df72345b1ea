// The table of causes and that of XID codes, from YAML to C++ and, of causes,
// to Markdown.
#ifndef MULLIGAN_TOOLS_ROWS_FIXED_TABLES_H_
#define MULLIGAN_TOOLS_ROWS_FIXED_TABLES_H_

#include <string>

#include "policy/base/issue.h"
#include "tools/rows/rows.pb.h"

namespace mulligan::demystify {

// Read one file each. Every problem becomes an issue at its place; the table is
// of use only if none is an error.
signatures::CauseTable CompileCauses(const std::string& file,
                                     const std::string& yaml, Issues& issues);
signatures::XidTable CompileXids(const std::string& file,
                                 const std::string& yaml, Issues& issues);

// The definition of kCauseRows (policy/demystify/causes.h).
std::string CausesSource(const signatures::CauseTable& table);

// The table of docs/causes.md.
std::string CausesMarkdown(const signatures::CauseTable& table);

// The definition of XidCodeRows (policy/request/xid_codes.h).
std::string XidsSource(const signatures::XidTable& table);

}  // namespace mulligan::demystify

#endif  // MULLIGAN_TOOLS_ROWS_FIXED_TABLES_H_
