#include "server/admin/admin_pages.h"

#include <google/protobuf/util/json_util.h>

#include <utility>

#include "absl/time/clock.h"
#include "absl/time/time.h"
#include "mulligan/v1/policy_service.pb.h"
#include "mulligan_build_info.h"
#include "server/observe/text.h"
#include "server/rpc/policy_service.h"

namespace mulligan {
namespace {

// Readiness mentions a certificate that expires within this time.
constexpr absl::Duration kExpiresSoon = absl::Hours(14 * 24);
constexpr char kJson[] = "application/json";
constexpr char kPrometheusText[] = "text/plain; version=0.0.4; charset=utf-8";

std::string InUtc(absl::Time time) {
  return absl::FormatTime(absl::RFC3339_sec, time, absl::UTCTimeZone());
}

}  // namespace

AdminResponse AdminPages::Handle(std::string_view method,
                                 std::string_view path) const {
  using Page = AdminResponse (AdminPages::*)() const;
  static constexpr std::pair<std::string_view, Page> kPages[] = {
      {"/metrics", &AdminPages::MetricsPage},
      {"/livez", &AdminPages::LivePage},
      {"/readyz", &AdminPages::ReadyPage},
      {"/policy", &AdminPages::PolicyPage},
      {"/buildinfo", &AdminPages::BuildInfoPage}};
  for (const auto& [name, page] : kPages) {
    if (path != name) continue;
    if (method != "GET" && method != "HEAD") {
      return {405, kPlainText, "use GET or HEAD\n"};
    }
    return (this->*page)();
  }
  return {404, kPlainText,
          "pages: /metrics /livez /readyz /policy /buildinfo\n"};
}

AdminResponse AdminPages::MetricsPage() const {
  return {200, kPrometheusText, metrics_.Serialize()};
}

AdminResponse AdminPages::LivePage() const {
  if (readiness_.listening()) return {200, kPlainText, "ok\n"};
  return {503, kPlainText, "not live: the gRPC listener does not answer\n"};
}

AdminResponse AdminPages::ServingPage() const {
  const absl::Time end = readiness_.certificate_end();
  const absl::Duration left = end - absl::Now();
  if (left <= absl::ZeroDuration()) {
    return {503, kPlainText, "not ready: the TLS certificate has expired\n"};
  }
  std::string text = "ok";
  if (left <= kExpiresSoon) {
    text += "; the TLS certificate expires at " + InUtc(end);
  }
  if (!readiness_.tls_files_usable()) {
    text +=
        "; the TLS files are unusable, the old ones stay in force: see the "
        "log";
  }
  if (const auto& since = snapshots_.Read().stale_since; since.has_value()) {
    text += "; the policies are stale since " + InUtc(*since) +
            ": newer files cannot be loaded, see /policy";
  }
  if (candidate_ != nullptr) {
    if (const auto& since = candidate_->Read().stale_since; since.has_value()) {
      text += "; loading the candidate policies has failed since " +
              InUtc(*since) + ": see the log";
    }
  }
  return {200, kPlainText, text + "\n"};
}

AdminResponse AdminPages::ReadyPage() const {
  switch (readiness_.state()) {
    case ServingState::kStarting:
      return {503, kPlainText, "not ready: starting\n"};
    case ServingState::kServing:
      return ServingPage();
    case ServingState::kDraining:
      return {503, kPlainText, "not ready: stopping\n"};
  }
  return {503, kPlainText, "not ready\n"};
}

AdminResponse AdminPages::PolicyPage() const {
  v1::ListPoliciesResponse policies;
  ListPolicies(snapshots_.Read(), policies);
  google::protobuf::util::JsonPrintOptions options;
  options.add_whitespace = true;
  std::string body;
  if (!google::protobuf::util::MessageToJsonString(policies, &body, options)
           .ok()) {
    return {500, kPlainText, "the policies cannot be shown as JSON\n"};
  }
  return {200, kJson, std::move(body)};
}

AdminResponse AdminPages::BuildInfoPage() const {
  JsonObject info;
  info.Add("version", kVersion)
      .Add("commit", kCommit)
      .Add("buildType", kBuildType)
      .Add("compiler", kCompiler);
  return {200, kJson, std::move(info).Finish() + "\n"};
}

}  // namespace mulligan
