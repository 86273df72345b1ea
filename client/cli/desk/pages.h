// The files of the playground's page, embedded by client/cli/CMakeLists.txt.
#ifndef MULLIGAN_CLIENT_CLI_DESK_PAGES_H_
#define MULLIGAN_CLIENT_CLI_DESK_PAGES_H_

#include <string_view>

namespace mulligan::cli {

// page/desk.html, desk.css (to follow the style sheet of all pages) and
// desk.js.
std::string_view DeskHtml();
std::string_view DeskStyle();
std::string_view DeskScript();

// [{"group": ..., "title": ..., "report": a FailureReport}]
std::string_view SituationsJson();

}  // namespace mulligan::cli

#endif  // MULLIGAN_CLIENT_CLI_DESK_PAGES_H_
