// The text of a suite, to which a case is added where people would write it.
#ifndef MULLIGAN_CLIENT_CLI_DESK_SUITE_TEXT_H_
#define MULLIGAN_CLIENT_CLI_DESK_SUITE_TEXT_H_

#include <string>
#include <string_view>

namespace mulligan::cli {

// `yaml` with what `entry` says, a text in block style, behind the last entry
// of spec.SECTION, and that section behind the others where it is missing. All
// lines stay as they are. A guess by indentation: whether it says what it
// should, a parser has to tell. Empty: there is no "spec:" or "SECTION:" on a
// line of its own.
std::string WithEntry(std::string_view yaml, std::string_view section,
                      std::string_view entry);

}  // namespace mulligan::cli

#endif  // MULLIGAN_CLIENT_CLI_DESK_SUITE_TEXT_H_
