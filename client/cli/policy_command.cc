// `mulligan policy`, with `check` and `show`.
#include <memory>

#include "absl/strings/str_format.h"
#include "client/cli/base/proto_json.h"
#include "client/cli/commands.h"
#include "client/cli/input/policy_files.h"
#include "mulligan/v1/policy_service.pb.h"
#include "policy/loader/issue_format.h"

namespace mulligan::cli {
namespace {

struct PolicyCheckOptions {
  // Files and directories, loaded together.
  std::vector<std::string> paths;
  OutputOptions output;
  // Warnings fail, too.
  bool strict = false;
};

v1::CheckPolicyResponse ToMessage(const LoadedPolicies& loaded) {
  v1::CheckPolicyResponse response;
  response.set_valid(loaded.set != nullptr);
  *response.mutable_issues() = ToMessages(loaded.issues);
  return response;
}

std::string Summary(const LoadedPolicies& loaded) {
  const size_t files = loaded.files;
  return absl::StrFormat("%d %s: %s\n", files, files == 1 ? "file" : "files",
                         SummarizeIssues(loaded.issues));
}

// Prints all problems, or a CheckPolicyResponse as JSON. Returns the exit code.
int RunPolicyCheck(const PolicyCheckOptions& options, Streams& streams) {
  const absl::StatusOr<LoadedPolicies> loaded =
      LoadPolicyPaths(options.paths, streams.in);
  if (!loaded.ok()) return Fail(streams, loaded.status());
  if (!IsForPeople(options.output.format)) {
    const absl::StatusOr<std::string> text =
        PrintProtoAs(options.output.format, ToMessage(*loaded));
    if (!text.ok()) return Fail(streams, text.status());
    streams.out << *text;
  } else {
    streams.out << FormatIssues(loaded->issues, loaded->texts,
                                options.output.color)
                << Summary(*loaded);
  }
  if (const int code = FinishOutput(streams); code != kExitOk) return code;
  const bool valid =
      loaded->set != nullptr && (!options.strict || loaded->issues.empty());
  return valid ? kExitOk : kExitPolicyInvalid;
}

// Prints the embedded default policy as YAML.
int RunPolicyShow(Streams& streams) {
  streams.out << EmbeddedPolicy().yaml;
  return FinishOutput(streams);
}

void AddCheck(CLI::App& policy, Streams& streams, int& code) {
  const auto options = std::make_shared<PolicyCheckOptions>();
  CLI::App& check = *policy.add_subcommand(
      "check", "Print every problem of policy files, loaded together");
  check.footer(R"(Example:
  mulligan policy check --strict policies/)");
  check.add_option("PATH", options->paths, "Files and directories")
      ->required()
      ->type_name("PATH");
  check.add_flag("--strict", options->strict, "Warnings fail, too");
  AddOutputFlags(check, options->output);
  check.callback(
      [options, &streams, &code] { code = RunPolicyCheck(*options, streams); });
}

void AddShow(CLI::App& policy, Streams& streams, int& code) {
  CLI::App& show =
      *policy.add_subcommand("show", "Print the embedded default policy");
  show.footer(R"(Example:
  mulligan policy show | less)");
  show.callback([&streams, &code] { code = RunPolicyShow(streams); });
}

}  // namespace

void AddPolicy(CLI::App& app, Streams& streams, int& code) {
  CLI::App& policy = *app.add_subcommand("policy", "Work with policy files");
  policy.require_subcommand(1);
  policy.footer(R"(Example:
  mulligan policy show > training.yaml && mulligan policy check training.yaml)");
  AddCheck(policy, streams, code);
  AddShow(policy, streams, code);
  AddPolicySchema(policy, streams, code);
  AddPolicyTest(policy, streams, code);
  AddPolicyDiff(policy, streams, code);
}

}  // namespace mulligan::cli
