// Which Kubernetes kinds a report takes, and in which field.
#ifndef MULLIGAN_CLIENT_CLI_KINDS_H_
#define MULLIGAN_CLIENT_CLI_KINDS_H_

#include <string>
#include <string_view>

namespace mulligan::cli {

// One row of the table.
struct KindRow {
  std::string_view kind;
  // API group, "" for the core group. Versions do not matter: parsers skip
  // what they do not know, and the fields we read keep their names.
  std::string_view group;
  // JSON name of the field of FailureReport.
  std::string_view field;
};

// The row of `kind`; null when a report has no place for it. An empty
// `api_version` fits every group: objects cut down by hand often lack it.
const KindRow* FindKind(std::string_view kind, std::string_view api_version);

// The one kind that goes into `field`; empty when there are several or none.
std::string_view KindOfField(std::string_view field);

// The group of "batch/v1" is "batch", that of "v1" is "".
std::string_view ApiGroup(std::string_view api_version);

// All kinds, for messages: "Pod, Job, ...".
std::string KnownKinds();

}  // namespace mulligan::cli

#endif  // MULLIGAN_CLIENT_CLI_KINDS_H_
