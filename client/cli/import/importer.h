// Converts the retry settings of other systems to policies, by the table
// systems.yaml.
#ifndef MULLIGAN_CLIENT_CLI_IMPORT_IMPORTER_H_
#define MULLIGAN_CLIENT_CLI_IMPORT_IMPORTER_H_

#include <map>
#include <string>
#include <string_view>
#include <vector>

#include "policy/base/issue.h"
#include "policy/loader/read_files.h"

namespace mulligan::cli {

struct ImportedPolicies {
  struct Place {
    std::string file;
    Position position;
  };

  // Returns where the settings are that became this line of `yaml`.
  Place PlaceOf(int line) const;

  // A YAML document for each policy. Empty if there are errors.
  std::string yaml;
  int count = 0;
  // By line of `yaml`; a line without a place has that of the line before.
  std::map<int, Place> places;
};

// Finds the retry settings in `files` and converts them to policies named
// `name`, or after their systems. Equal settings share a policy; if there are
// several, each has its own name and is `onlyByName`. Descriptions of policies
// and rules state their source.
//
// `from` is one of ImportableSystems(), or empty to detect the system. Issues
// of severity error say what is wrong with the settings, others what is not
// carried over.
ImportedPolicies ImportPolicies(const std::vector<PolicyText>& files,
                                std::string_view from, std::string_view name,
                                Issues& issues);

// Returns the names of the systems, in the order of the table.
std::vector<std::string> ImportableSystems();

// Returns the table of systems in docs/migrate.md.
std::string DescribeImports();

// Returns systems.yaml.
std::string_view ImportTable();

}  // namespace mulligan::cli

#endif  // MULLIGAN_CLIENT_CLI_IMPORT_IMPORTER_H_
