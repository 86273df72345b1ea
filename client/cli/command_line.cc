#include "client/cli/command_line.h"

#include <algorithm>
#include <cstddef>
#include <filesystem>
#include <system_error>

#include "absl/strings/str_format.h"
#include "absl/strings/str_join.h"
#include "policy/loader/suggest.h"

namespace mulligan::cli {
namespace {

constexpr std::string_view kHelp = "help";

std::vector<std::string> CommandsOf(const CLI::App& app) {
  std::vector<std::string> names;
  for (const CLI::App* command :
       app.get_subcommands([](const CLI::App*) { return true; })) {
    names.push_back(command->get_name());
  }
  return names;
}

// Where a line of words leads: the command they name, and how many did.
struct Path {
  const CLI::App* command;
  std::string name;
  std::size_t words = 0;
};

Path Follow(const CLI::App& app, const std::vector<std::string>& arguments) {
  Path path{&app, app.get_name(), 0};
  for (const std::string& word : arguments) {
    const std::vector<std::string> names = CommandsOf(*path.command);
    if (std::find(names.begin(), names.end(), word) == names.end()) break;
    path.command = path.command->get_subcommand(word);
    path.name += " " + word;
    ++path.words;
  }
  return path;
}

std::vector<std::string> OptionsOf(const CLI::App& app) {
  std::vector<std::string> names;
  for (const CLI::Option* option : app.get_options()) {
    for (const std::string& name : option->get_lnames()) {
      names.push_back("--" + name);
    }
  }
  return names;
}

// The first option in the arguments that the command does not have, without its
// value; empty: it has all.
std::string UnknownOption(const CLI::App& app,
                          const std::vector<std::string>& arguments) {
  const std::vector<std::string> names = OptionsOf(app);
  for (const std::string& argument : arguments) {
    const std::string name = argument.substr(0, argument.find('='));
    if (name == "--") break;
    if (name.compare(0, 2, "--") == 0 &&
        std::find(names.begin(), names.end(), name) == names.end()) {
      return name;
    }
  }
  return "";
}

}  // namespace

std::vector<std::string> WithHelpFlag(const CLI::App& app,
                                      std::vector<std::string> arguments) {
  if (arguments.empty()) return arguments;
  std::error_code error;
  if (arguments.front() == kHelp) {
    arguments.erase(arguments.begin());
    // What is no command gets no help, but the error that says so.
    if (Follow(app, arguments).words < arguments.size()) return arguments;
  } else if (arguments.back() == kHelp &&
             !std::filesystem::exists(kHelp, error) &&
             Follow(app, arguments).words + 1 == arguments.size()) {
    arguments.pop_back();
  } else {
    return arguments;
  }
  arguments.emplace_back("--help");
  return arguments;
}

std::string UsageError(const CLI::App& app, const CLI::ParseError& error,
                       const std::vector<std::string>& arguments) {
  const Path path = Follow(app, arguments);
  const std::vector<std::string> names = CommandsOf(*path.command);
  const bool has_more = path.words < arguments.size();
  if (!names.empty() && has_more && arguments[path.words][0] != '-') {
    const std::string& word = arguments[path.words];
    const std::string nearest = Nearest(word, names);
    return absl::StrFormat(
        "\"%s\" is no command of %s, expected one of %s%s", word, path.name,
        absl::StrJoin(names, ", "),
        nearest.empty() ? "" : "; did you mean " + nearest + "?");
  }
  if (!names.empty() && !has_more) {
    return absl::StrFormat("a command is missing after %s, expected one of %s",
                           path.name, absl::StrJoin(names, ", "));
  }
  const std::string unknown = UnknownOption(*path.command, arguments);
  const std::string nearest =
      unknown.empty() ? unknown : Nearest(unknown, OptionsOf(*path.command));
  if (!nearest.empty()) {
    return absl::StrFormat(
        "\"%s\" is no option of %s; did you mean %s? (see %s --help)", unknown,
        path.name, nearest, path.name);
  }
  return absl::StrFormat("%s (see %s --help)", error.what(), path.name);
}

}  // namespace mulligan::cli
