#include "client/cli/output_flags.h"

#include <map>
#include <utility>

namespace mulligan::cli {

OutputOptions ToOptions(const OutputFlags& flags) {
  static const std::map<std::string, OutputFormat> kFormats = {
      {"human", OutputFormat::kHuman},
      {"json", OutputFormat::kJson},
      {"yaml", OutputFormat::kYaml},
      {"html", OutputFormat::kHtml}};
  return {.format = kFormats.at(flags.output),
          .color = WantsColor(flags.color)};
}

void AddOutputFlags(CLI::App& command, OutputFlags& flags,
                    std::vector<std::string> formats) {
  const std::string last = formats.back();
  std::string help;
  for (const std::string& format : formats) {
    help += help.empty() ? "" : format == last ? " or " : ", ";
    help += format;
  }
  command.add_option("-o,--output", flags.output, help)
      ->check(CLI::IsMember(std::move(formats)))
      ->type_name("FORMAT");
  command.add_option("--color", flags.color, "auto, always or never")
      ->check(CLI::IsMember({"auto", "always", "never"}))
      ->type_name("WHEN");
}

}  // namespace mulligan::cli
