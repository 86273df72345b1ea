#include "client/cli/policy_command.h"

#include "absl/strings/str_format.h"
#include "client/cli/base/proto_json.h"
#include "client/cli/input/policy_files.h"
#include "client/cli/policy_issues.h"
#include "mulligan/v1/policy_service.pb.h"
#include "policy/loader/issue_format.h"

namespace mulligan::cli {
namespace {

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

}  // namespace

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

int RunPolicyShow(Streams& streams) {
  streams.out << EmbeddedPolicy().yaml;
  return FinishOutput(streams);
}

int RunPolicySchema(SchemaForm form, Streams& streams) {
  streams.out << PolicySchema(form);
  return FinishOutput(streams);
}

}  // namespace mulligan::cli
