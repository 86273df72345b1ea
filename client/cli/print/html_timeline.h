// A time line as SVG.
#ifndef MULLIGAN_CLIENT_CLI_PRINT_HTML_TIMELINE_H_
#define MULLIGAN_CLIENT_CLI_PRINT_HTML_TIMELINE_H_

#include <string>

#include "client/cli/story/timeline.h"

namespace mulligan::cli {

// An <svg> element with an axis in UTC; `title` is what a screen reader says.
// Roles differ in shape and not in colour alone. Events are numbered in the
// order of the timeline. Empty without lanes and events.
std::string TimelineSvg(const Timeline& timeline, const std::string& title);

}  // namespace mulligan::cli

#endif  // MULLIGAN_CLIENT_CLI_PRINT_HTML_TIMELINE_H_
