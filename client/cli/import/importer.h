// Policies from the retry settings of other systems, by the table systems.yaml.
#ifndef MULLIGAN_CLIENT_CLI_IMPORT_IMPORTER_H_
#define MULLIGAN_CLIENT_CLI_IMPORT_IMPORTER_H_

#include <string>
#include <string_view>
#include <vector>

#include "policy/base/issue.h"
#include "policy/loader/read_files.h"

namespace mulligan::cli {

struct ImportedPolicies {
  // A YAML document for each policy. Empty if there are errors.
  std::string yaml;
  int count = 0;
};

// Finds the retry settings in `file` and converts each block of them to a
// policy named `name`, or after its system. If they differ, the policies have
// names of their own and are `onlyByName`. A rule's description says where it
// is from.
//
// `from` is one of ImportableSystems(); empty: recognised. Issues of severity
// error say what is wrong with the settings, warnings what is not carried over.
ImportedPolicies ImportPolicies(const PolicyText& file, std::string_view from,
                                std::string_view name, Issues& issues);

// Returns the names of the systems, in the order of the table.
std::vector<std::string> ImportableSystems();

// Returns what is known about each system, as in docs/migrate.md.
std::string DescribeImports();

// Returns systems.yaml.
std::string_view ImportTable();

}  // namespace mulligan::cli

#endif  // MULLIGAN_CLIENT_CLI_IMPORT_IMPORTER_H_
