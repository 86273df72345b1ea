// `mulligan policy import`.
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "absl/strings/str_cat.h"
#include "absl/strings/str_format.h"
#include "absl/strings/str_join.h"
#include "client/cli/commands.h"
#include "client/cli/import/importer.h"
#include "policy/loader/issue_format.h"

namespace mulligan::cli {
namespace {

struct PolicyImportOptions {
  std::vector<std::string> files;
  // One of ImportableSystems(); empty to detect it.
  std::string from;
  // The policy's name; empty for the system's.
  std::string name;
  // File of requests or decision records; prints their differences instead.
  std::string compare;
  // Prints the systems instead.
  bool list = false;
  OutputOptions output;
};

// Returns the warnings as comments, so that they stay with the policy.
std::string AsComments(const Issues& issues) {
  std::string text;
  for (const Issue& issue : issues) {
    absl::StrAppend(&text, "# ", FormatIssue(issue), "\n");
  }
  return text;
}

// Loads the imported policies as a server does; null if they have errors. Adds
// issues at the settings that they are about.
std::unique_ptr<const PolicySet> Load(const ImportedPolicies& imported,
                                      Issues& issues) {
  Issues of_policy;
  auto set = LoadPolicies({{"<imported>", imported.yaml}}, of_policy);
  for (Issue& issue : of_policy) {
    auto [file, position] = imported.PlaceOf(issue.position.line);
    issue.file = std::move(file);
    issue.position = position;
    issues.push_back(std::move(issue));
  }
  return set;
}

// Prints the policies, or the differences. Returns the exit code.
int RunPolicyImport(PolicyImportOptions& options, Streams& streams) {
  if (options.list) {
    streams.out << DescribeImports();
    return FinishOutput(streams);
  }
  if (options.files.empty()) {
    PrintError(streams, "no FILE is given, expected at least one, or --list");
    return kExitUsage;
  }
  std::vector<PolicyText> texts;
  for (const std::string& path : options.files) {
    absl::StatusOr<std::string> text = ReadInput(path, streams.in);
    if (!text.ok()) return Fail(streams, text.status());
    texts.push_back({path == "-" ? "<stdin>" : path, *std::move(text)});
  }
  Issues issues;
  const ImportedPolicies imported =
      ImportPolicies(texts, options.from, options.name, issues);
  if (HasErrors(issues)) {
    streams.err << FormatIssues(issues, texts, options.output.color);
    return kExitUsage;
  }
  // Only compiling shows which settings of pasted blocks are not carried over.
  const auto set = Load(imported, issues);
  streams.err << FormatIssues(issues, texts, options.output.color);
  if (set == nullptr) return kExitPolicyInvalid;
  const std::string comments = AsComments(issues);
  if (options.compare.empty()) {
    streams.out << comments << imported.yaml;
    return FinishOutput(streams);
  }
  if (imported.count > 1) {
    PrintError(streams,
               "the files have several policies, expected one to "
               "compare: the others are chosen by name");
    return kExitUsage;
  }
  Issues none;
  const auto ours = LoadPolicies({EmbeddedPolicy()}, none);
  return PrintPolicyDiff(options.compare, *set, *ours, options.output, streams);
}

}  // namespace

void AddPolicyImport(CLI::App& policy, Streams& streams, int& code) {
  const auto [import, options] = AddCommand(
      "import", "Write a policy of another system's retry settings",
      R"(The policy goes to standard output; what is not carried over goes to
standard error, and is a comment of the policy.

Exit codes: 0 written, 1 answers differ (--compare), 2 bad settings, 3 settings
without a valid policy.

Example:
  mulligan policy import .gitlab-ci.yml > gitlab.yaml)",
      RunPolicyImport, policy, streams, code);
  AddOption(import, "FILE", options.files,
            "Manifests, job definitions or configuration, \"-\" for standard "
            "input",
            "FILE");
  AddOption(import, "--from", options.from,
            "System of the settings; default: detected", "SYSTEM")
      ->check(CLI::IsMember(ImportableSystems()));
  AddOption(import, "--name", options.name,
            "Name of the policy; default: the system's", "NAME");
  AddOption(import, "--compare", options.compare,
            "Print what the embedded default policy answers differently "
            "instead: requests or decision records, one a line",
            "FILE");
  import.add_flag("--list", options.list,
                  "Print the systems, and what is not carried over");
  AddOutputFlags(import, options.output);
}

}  // namespace mulligan::cli
