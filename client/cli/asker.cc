#include "absl/strings/str_cat.h"
#include "client/cli/commands.h"
#include "client/cli/server_flags.h"

namespace mulligan::cli {

void AddAskFlags(CLI::App& command, AskFlags& flags) {
  CLI::Option* policy =
      AddOption(command, "--policy", flags.policies,
                "Policy file or directory; default: embedded", "PATH");
  AddServerFlags(command, flags.server);
  flags.server.server.clear();
  command.get_option("--server")
      ->default_str("")
      ->description("Server to ask; default: decides here")
      ->excludes(policy);
  AddOption(command, "--policy-name", flags.policy_name,
            "Policy to use; default: the first that matches", "NAME");
}

int Asker::Open(const AskFlags& flags, Streams& streams) {
  flags_ = &flags;
  if (flags.server.server.empty()) {
    return LoadValid(flags.policies, streams, policies_);
  }
  absl::StatusOr<std::unique_ptr<Client>> client = Connect(flags.server);
  if (!client.ok()) return Fail(streams, client.status());
  client_ = *std::move(client);
  return kExitOk;
}

absl::StatusOr<v1::DecideResponse> Asker::Ask(v1::DecideRequest request) const {
  if (!flags_->policy_name.empty()) request.set_policy(flags_->policy_name);
  if (client_ == nullptr) return DecideNow(request, *policies_.set);
  absl::StatusOr<v1::DecideResponse> response = client_->Decide(request);
  if (response.ok()) return response;
  return absl::Status(response.status().code(),
                      absl::StrCat(flags_->server.server, ": ",
                                   WhyNot(flags_->server, response.status())));
}

}  // namespace mulligan::cli
