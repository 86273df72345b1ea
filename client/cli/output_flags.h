// The flags that say how a command prints.
#ifndef MULLIGAN_CLIENT_CLI_OUTPUT_FLAGS_H_
#define MULLIGAN_CLIENT_CLI_OUTPUT_FLAGS_H_

#include <string>
#include <vector>

#include "CLI/CLI.hpp"
#include "client/cli/base/command.h"

namespace mulligan::cli {

// Values of --output and --color; they outlive the parsing.
struct OutputFlags {
  std::string output = "human";
  std::string color = "auto";
};

OutputOptions ToOptions(const OutputFlags& flags);

// `formats` are those the command can print.
void AddOutputFlags(CLI::App& command, OutputFlags& flags,
                    std::vector<std::string> formats = {"human", "json",
                                                        "yaml"});

}  // namespace mulligan::cli

#endif  // MULLIGAN_CLIENT_CLI_OUTPUT_FLAGS_H_
