// How the page looks.
#ifndef MULLIGAN_CLIENT_CLI_PRINT_HTML_STYLE_H_
#define MULLIGAN_CLIENT_CLI_PRINT_HTML_STYLE_H_

#include <string_view>

namespace mulligan::cli {

// The style sheet: system fonts, one accent colour, light and dark, phone to
// wide screen, and paper.
std::string_view PageStyle();

}  // namespace mulligan::cli

#endif  // MULLIGAN_CLIENT_CLI_PRINT_HTML_STYLE_H_
