// Parses the command line, explains its errors, and prints help and version.
#include <unistd.h>

#include <algorithm>
#include <cstddef>
#include <cstdlib>
#include <exception>
#include <filesystem>
#include <iostream>
#include <limits>
#include <map>
#include <memory>
#include <sstream>
#include <string>
#include <system_error>
#include <utility>
#include <vector>

#include "CLI/CLI.hpp"
#include "absl/strings/str_format.h"
#include "absl/strings/str_join.h"
#include "client/cli/base/json_text.h"
#include "client/cli/base/utf8.h"
#include "client/cli/commands.h"
#include "google/protobuf/descriptor.h"
#include "google/protobuf/stubs/logging.h"
#include "mulligan/v1/cause.pb.h"
#include "mulligan_build_info.h"
#include "policy/loader/suggest.h"

namespace mulligan::cli {
namespace {

constexpr char kMainFooter[] = R"(Example:
  kubectl get pod X -o json | mulligan explain -
  mulligan help explain

Exit codes: 0 answered, 1 internal error, 2 bad flag or input,
3 invalid policy, 4 no answer from the server.)";

constexpr std::string_view kHelp = "help";

std::vector<std::string> CommandsOf(const CLI::App& app) {
  std::vector<std::string> names;
  for (const CLI::App* command :
       app.get_subcommands([](const CLI::App*) { return true; })) {
    names.push_back(command->get_name());
  }
  return names;
}

// A command, and how many words of the command line name it.
struct Path {
  const CLI::App* command;
  std::string name;
  std::size_t words = 0;
};

Path Follow(const CLI::App& app, const std::vector<std::string>& arguments) {
  Path path{&app, app.get_name(), 0};
  for (const std::string& word : arguments) {
    const std::vector<std::string> names = CommandsOf(*path.command);
    if (std::ranges::find(names, word) == names.end()) break;
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

// Returns the first option that the command does not have, without its value;
// empty if it has all.
std::string UnknownOption(const CLI::App& app,
                          const std::vector<std::string>& arguments) {
  const std::vector<std::string> names = OptionsOf(app);
  for (const std::string& argument : arguments) {
    std::string name = argument.substr(0, argument.find('='));
    if (name == "--") break;
    if (name.starts_with("--") &&
        std::ranges::find(names, name) == names.end()) {
      return name;
    }
  }
  return "";
}

// Returns the arguments after the program's name with `help` as the flag:
// {help, policy, check} and {policy, check, help} become {policy, check,
// --help}. A final `help` counts only after commands alone, and if no file has
// that name.
std::vector<std::string> WithHelpFlag(const CLI::App& app,
                                      std::vector<std::string> arguments) {
  if (arguments.empty()) return arguments;
  std::error_code error;
  if (arguments.front() == kHelp) {
    arguments.erase(arguments.begin());
    // An unknown command gets an error, not help.
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

// Removes and returns the arguments after "--", the command that `run` runs.
std::vector<std::string> TakeCommandLine(std::vector<std::string>& arguments) {
  if (arguments.empty() || arguments.front() != "run") return {};
  const auto mark = std::ranges::find(arguments, "--");
  if (mark == arguments.end()) return {};
  std::vector<std::string> command(mark + 1, arguments.end());
  arguments.erase(mark, arguments.end());
  return command;
}

// Returns a sentence about `arguments`, which `app` refused with `error`: names
// an unknown command and the known ones, or repeats the error and where to find
// help.
std::string UsageError(const CLI::App& app, const CLI::ParseError& error,
                       const std::vector<std::string>& arguments) {
  const Path path = Follow(app, arguments);
  const std::vector<std::string> names = CommandsOf(*path.command);
  const bool has_more = path.words < arguments.size();
  if (!names.empty() && has_more && arguments[path.words][0] != '-') {
    const std::string& word = arguments[path.words];
    const std::string nearest = Nearest(word, names);
    return absl::StrFormat(
        "\"%s\" is not a command of %s, expected one of %s%s", word, path.name,
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
        "\"%s\" is not an option of %s; did you mean %s? (see %s --help)",
        unknown, path.name, nearest, path.name);
  }
  return absl::StrFormat("%s (see %s --help)", error.what(), path.name);
}

// CLI11's formatter lists every exclusion next to the flag.
class HelpFormatter : public CLI::Formatter {
 public:
  // The name of an argument is its type.
  std::string make_option(const CLI::Option* option,
                          bool is_positional) const override {
    if (!is_positional) return Formatter::make_option(option, false);
    std::ostringstream out;
    CLI::detail::format_help(out, make_option_name(option, true),
                             make_option_desc(option), get_column_width());
    return out.str();
  }

  std::string make_option_opts(const CLI::Option* option) const override {
    std::string text;
    const std::string type = option->get_type_name();
    // Checks are part of the type's name: "N:INT in [1 - 1000]".
    const size_t end = std::min(type.find(":{"), type.find(":INT"));
    if (!type.empty()) text += " " + type.substr(0, end);
    if (!option->get_default_str().empty()) {
      text += "=" + option->get_default_str();
    }
    return text;
  }
};

std::string VersionText() {
  return absl::StrFormat("mulligan %s (commit %s, %s, %s)", kVersion, kCommit,
                         kBuildType, kCompiler);
}

int RunVersion(OutputOptions& output, Streams& streams) {
  const std::string json = absl::StrFormat(
      R"({"version":%s,"commit":%s,"buildType":%s,"compiler":%s})",
      QuoteJson(kVersion), QuoteJson(kCommit), QuoteJson(kBuildType),
      QuoteJson(kCompiler));
  streams.out << (output.format == OutputFormat::kJson ? json + "\n"
                  : output.format == OutputFormat::kYaml
                      ? JsonToYaml(json)
                      : VersionText() + "\n");
  return FinishOutput(streams);
}

void AddVersion(CLI::App& app, Streams& streams, int& code) {
  app.set_version_flag("-V,--version", VersionText(), "As the command version");
  const auto [command, output] =
      AddCommand("version", "Print version, commit and compiler", R"(Example:
  mulligan version -o json)",
                 RunVersion, app, streams, code);
  AddOutputFlags(command, output);
}

int RunCommandLine(int argc, const char* const* argv, Streams& streams) {
  CLI::App app("Says why batch work failed and whether it deserves a retry.",
               "mulligan");
  const auto formatter = std::make_shared<HelpFormatter>();
  formatter->column_width(28);
  app.formatter(formatter);
  app.require_subcommand(1);
  app.footer(kMainFooter);
  int code = kExitOk;
  AddExplain(app, streams, code);
  AddDecide(app, streams, code);
  AddPolicy(app, streams, code);
  AddReplay(app, streams, code);
  AddReport(app, streams, code);
  AddPlayground(app, streams, code);
  std::vector<std::string> given(argv + std::min(argc, 1), argv + argc);
  const std::vector<std::string> command_line = TakeCommandLine(given);
  AddRun(app, command_line, streams, code);
  AddSlurm(app, streams, code);
  AddHealthcheck(app, streams, code);
  AddVersion(app, streams, code);
  const std::vector<std::string> arguments =
      WithHelpFlag(app, std::move(given));
  try {
    // CLI11 expects them in reverse order.
    app.parse(std::vector<std::string>(arguments.rbegin(), arguments.rend()));
  } catch (const CLI::Success& e) {
    return app.exit(e, streams.out, streams.err);
  } catch (const CLI::ParseError& e) {
    PrintError(streams, UsageError(app, e, arguments));
    return kExitUsage;
  }
  return code;
}

// Returns empty, or why `name` is not a cause.
std::string IsCause(const std::string& name) {
  const google::protobuf::EnumDescriptor& causes = *v1::Cause_descriptor();
  std::vector<std::string> names;
  // 0 is not a cause.
  for (int i = 1; i < causes.value_count(); ++i) {
    names.push_back(std::string(causes.value(i)->name()));
  }
  if (std::ranges::find(names, name) != names.end()) return "";
  const std::string nearest = Nearest(name, names);
  return absl::StrFormat(
      "\"%s\" is not a cause, expected a name of docs/causes.md%s",
      Printable(name),
      nearest.empty() ? std::string() : "; " + nearest + " is near");
}

constexpr char kInputHelp[] = "Kubernetes objects, JSON or YAML; \"-\": stdin";

}  // namespace

void AddOutputFlags(CLI::App& command, OutputOptions& output,
                    std::vector<std::string> formats) {
  static const std::map<std::string, OutputFormat> kFormats = {
      {"text", OutputFormat::kHuman},
      {"json", OutputFormat::kJson},
      {"yaml", OutputFormat::kYaml},
      {"html", OutputFormat::kHtml}};
  const std::string last = formats.back();
  std::string help;
  for (const std::string& format : formats) {
    help += help.empty() ? "" : format == last ? " or " : ", ";
    help += format;
  }
  const auto set_format = [&output](const std::string& format) {
    output.format = kFormats.at(format);
  };
  command.add_option_function<std::string>("-o,--output", set_format, help)
      ->check(CLI::IsMember(std::move(formats)))
      ->type_name("FORMAT");
  output.color = WantsColor("auto");
  const auto set_color = [&output](const std::string& when) {
    output.color = WantsColor(when);
  };
  command
      .add_option_function<std::string>("--color", set_color,
                                        "auto, always or never")
      ->check(CLI::IsMember({"auto", "always", "never"}))
      ->type_name("WHEN");
}

void AddAnswerFlags(CLI::App& command, OutputOptions& output) {
  AddOutputFlags(command, output, {"text", "json", "yaml", "html"});
}

void AddRequestFlags(CLI::App& command, RequestOptions& request) {
  // Two options, because CLI11 accepts no positional after the flag of a
  // combined option.
  const auto append = [&request](const std::vector<std::string>& files) {
    request.files.insert(request.files.end(), files.begin(), files.end());
  };
  const auto files = [&](const char* names, const char* help) {
    return command
        .add_option_function<std::vector<std::string>>(names, append, help)
        ->type_name("FILE")
        ->allow_extra_args(false);
  };
  CLI::Option* flagged = files("-f,--filename", kInputHelp);
  CLI::Option* positional = files("FILE", "As -f")->expected(-1);
  CLI::Option* requests =
      AddOption(command, "--requests", request.requests,
                "DecideRequests, one JSON object per line", "FILE");
  requests->excludes(flagged)->excludes(positional);
  const auto single = [&](const char* name, auto& value, const char* help,
                          const char* type) {
    return AddOption(command, name, value, help, type)->excludes(requests);
  };
  single("--ledger", request.ledger,
         "Ledger of the last answer; default: annotation", "FILE");
  single("--ledger-out", request.ledger_out, "Where to store the new ledger",
         "FILE");
  single("--policy-name", request.policy_name,
         "Policy to use; default: the first that matches", "NAME");
  command
      .add_flag("--compare-native", request.compare_native,
                "Show the operator's own verdict in full")
      ->excludes(requests);
  command.add_flag("--details", request.details,
                   "Text also has the reasons, evidence and budgets");
  single("--workload", request.workload,
         "Only this workload, named as in kubectl", "KIND/NAME");
  single("--cause", request.causes,
         "Only workloads with this cause, repeatable", "NAME")
      ->check(IsCause);
  command.add_flag("--broken", request.broken, "Only broken workloads")
      ->excludes(requests);
  // For programs with their own names for workloads, such as the plugin.
  command.add_option("--name-one", request.name_one)
      ->envname("MULLIGAN_NAME_ONE")
      ->group("");
  single("--explain", request.explain, "none, summary or full", "LEVEL")
      ->check(CLI::IsMember({"none", "summary", "full"}));
  single("--observed-at", request.observed_at,
         "When the failure was observed; default: now", "RFC3339");
  single("--hint", request.hints,
         "Another tool's SOURCE:CAUSE[:CONFIDENCE[:TEXT]]", "HINT");
  single("--limit", request.limits,
         "This workload's limit of a budget, repeatable", "BUDGET=N");
  single("--failure-id", request.failure_id,
         "Name of this failure; default: derived", "ID");
  single("--attempt", request.attempt, "Number of the attempt that failed", "N")
      ->check(CLI::Range(1, std::numeric_limits<int>::max()));
}

bool DefaultToStandardInput(RequestOptions& request, Streams& streams) {
  if (!request.files.empty() || !request.requests.empty()) return true;
  if (isatty(STDIN_FILENO) != 0) {
    PrintError(streams,
               "no input: expected -f FILE, \"-\" or --requests FILE (see "
               "--help)");
    return false;
  }
  request.files.emplace_back("-");
  return true;
}

}  // namespace mulligan::cli

int main(int argc, char** argv) {
  std::ios::sync_with_stdio(false);
  std::cin.tie(nullptr);
  mulligan::cli::Streams streams{std::cin, std::cout, std::cerr};
  // Silences protobuf's messages about input; ours name file and field.
  google::protobuf::SetLogHandler(nullptr);
  // Silences gRPC's messages about connections; ours say what is wrong.
  // GRPC_VERBOSITY=ERROR restores them.
  setenv("GRPC_VERBOSITY", "NONE", /*overwrite=*/0);
  try {
    return mulligan::cli::RunCommandLine(argc, argv, streams);
  } catch (const std::exception& e) {
    mulligan::cli::PrintError(streams, e.what());
    return mulligan::cli::kExitInternal;
  }
}
